"""Writes ``report.html`` into the folder of a run: ``python -m manet_mutex.report FOLDER``"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..project import NotReady
from .netanim import write_netanim
from .run_page import write_run_report


def main(arguments: Sequence[str]) -> int:
    """Returns an exit code: 2 if the folder holds no run."""
    parser = argparse.ArgumentParser(prog="manet_mutex.report", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-report", action="store_true", help="not the page")
    parser.add_argument("--netanim", type=Path, metavar="FILE", help="for ns-3's NetAnim as well")
    args = parser.parse_args(arguments)
    try:
        if args.netanim:
            write_netanim(args.folder, args.netanim)
            print(f"  for NetAnim {args.netanim}")
        if not args.no_report:
            print(f"  report in {write_run_report(args.folder)}")
    except OSError as error:
        print(f"no report of {args.folder}: {error.strerror}: {error.filename}", file=sys.stderr)
        return 2
    except NotReady as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
