"""What the workers of a campaign do. They find it by its name, on whatever machine they are."""

from __future__ import annotations

import functools

from .project import scenario_program
from .runs import Options, Run, run, version


class WrongVersion(RuntimeError):
    """A worker would run another program than the campaign means."""


def work(options: Options, expected: tuple[str, str]) -> Run:
    """One run; ``expected`` are the commit and the version of ns-3 that it has to be of."""
    found = _version(scenario_program().stat().st_mtime_ns)
    if found != expected:
        raise WrongVersion(
            f"this worker has commit {found[0]} with ns-3 {found[1]}, the campaign needs commit "
            f"{expected[0]} with ns-3 {expected[1]}: check it out and build it there"
        )
    return run(options, version=expected[0])


@functools.lru_cache(maxsize=1)
def _version(_built: int) -> tuple[str, str]:
    """What this process would run, asked once for each build."""
    return version()
