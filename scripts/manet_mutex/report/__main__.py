"""Writes ``report.html`` into folders of runs: ``python -m manet_mutex.report FOLDER...``"""

from __future__ import annotations

import sys
from pathlib import Path

from ..project import NotReady
from .run_page import write_run_report


def main(folders: list[str]) -> int:
    """Returns an exit code: 2 if a folder holds no run."""
    if not folders or folders[0].startswith("-"):
        print("usage: python -m manet_mutex.report FOLDER...", file=sys.stderr)
        return 2
    for folder in folders:
        try:
            report = write_run_report(Path(folder))
        except FileNotFoundError as error:
            print(f"{folder} holds no run: {error.filename} is missing", file=sys.stderr)
            return 2
        except NotReady as error:
            print(error, file=sys.stderr)
            return 2
        print(f"  report in {report}" if report else "  no report without events: --events=true")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
