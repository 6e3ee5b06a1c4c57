"""Where things are in this project, and which version of it this is."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The project's folder."""


class NotReady(ImportError):
    """Something has to be installed or built first. The text says how."""


def build_folder() -> Path:
    """The folder that manet-mutex is built in: ``build``, or what MANET_MUTEX_BUILD says."""
    return Path(os.environ.get("MANET_MUTEX_BUILD", ROOT / "build")).resolve()


def scenario_program() -> Path:
    """The compiled scenario."""
    program = build_folder() / "bin/manet-mutex-scenario"
    if not program.exists():
        raise NotReady(
            f"manet-mutex is not built: there is no {program}. Run scripts/setup, or name the "
            "folder it is built in with MANET_MUTEX_BUILD"
        )
    return program


def commit() -> str:
    """The commit of this folder; if files were changed since, also what they were built into.

    Two trees with changes have the same name in git; their programs tell them apart.
    """
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    name = done.stdout.strip() or "unknown"
    if name == "unknown" or name.endswith("-dirty"):
        name += "-" + program_digest()
    return name


def program_digest() -> str:
    """Eight digits that stand for the bytes of the scenario and of the module's library."""
    digest = hashlib.sha256(scenario_program().read_bytes())
    for library in sorted((build_folder() / "lib").glob("libns3-manet-mutex*")):
        digest.update(library.read_bytes())
    return digest.hexdigest()[:8]
