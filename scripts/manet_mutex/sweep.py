"""Runs campaigns: only what is missing, on all cores or on many machines.

Work is handed out by Dask: to threads of this process, each of which waits for one scenario
program, or with ``--scheduler`` to the workers of a cluster. A worker that is lost loses nothing:
Dask hands its runs to another one. Only this process writes results, so each is there once.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from . import campaign as campaigns
from . import outcome
from .campaign import Campaign
from .project import ROOT, NotReady
from .results import Busy, Store, of_version
from .runs import command, key, version
from .worker import WrongVersion, work

_BROKEN = ("violations", "unserved", "unresolved")


@dataclass(frozen=True)
class Swept:
    """What a campaign came to."""

    ran: int
    kept: int
    """Runs that were there before."""
    failed: int


def sweep(
    campaign: Campaign,
    store: Store,
    current: tuple[str, str],
    client: Any,
    progress: Any = None,
) -> Swept:
    """Runs what is missing. ``client`` is Dask's."""
    from distributed import as_completed

    missing = [job for job in campaign.jobs if not store.has(job, current)]
    # Keys of Dask must not be those of an earlier campaign, whose results it may still have.
    futures = {
        client.submit(work, job, current, key=f"{key(job)} {os.urandom(4).hex()}"): job
        for job in missing
    }
    failed = 0
    with progress(len(missing)) if progress else _silent() as bar:
        for future in as_completed(list(futures)):
            job = futures.pop(future)
            error = future.exception()
            if isinstance(error, WrongVersion):
                raise error
            if error is not None:
                store.add_failure(job, shlex.join(command(job, current[0])), None, repr(error))
                failed += 1
            else:
                failed += not store.add(job, future.result())
            bar.update()
            future.release()
    return Swept(len(missing) - failed, len(campaign.jobs) - len(missing), failed)


class _Bar:
    def update(self) -> None:
        pass


@contextmanager
def _silent() -> Iterator[Any]:
    yield _Bar()


def show_progress(total: int) -> Any:
    """A bar with the time left; where nobody looks, a line now and then."""
    from tqdm import tqdm

    watched = sys.stderr.isatty()
    return tqdm(
        total=total,
        unit="run",
        smoothing=0.1,
        mininterval=0.2 if watched else 30,
        maxinterval=1 if watched else 60,
        bar_format="{l_bar}{bar:30}| {n_fmt} of {total_fmt} runs, {elapsed} so far, "
        "{remaining} left",
    )


@contextmanager
def connect(scheduler: Optional[str], jobs: int) -> Iterator[Any]:
    """A client of a cluster that exists, or of threads of this process."""
    import dask
    from distributed import Client, LocalCluster

    if scheduler is not None:
        with Client(scheduler, timeout="20s") as client:
            yield client
        return
    # Each thread only waits for a program, so that one process is enough for any number of cores.
    with dask.config.set({"distributed.worker.memory.terminate": False}):
        cluster = LocalCluster(
            n_workers=1, threads_per_worker=jobs, processes=False, dashboard_address=":0"
        )
        with cluster, Client(cluster) as client:
            yield client


def main(arguments: Sequence[str]) -> int:
    """The command line of ``scripts/sweep``. Returns an exit code."""
    args = _parse(arguments)
    try:
        campaign = campaigns.load(args.file)
        folder = args.out or ROOT / "results" / campaign.name
        store = Store(folder)
        current = version()
    except (campaigns.BadCampaign, Busy, NotReady, RuntimeError, OSError) as error:
        print(f"scripts/sweep: {error}", file=sys.stderr)
        return 2
    _tell(campaign, store, current)
    try:
        with connect(args.scheduler, args.jobs) as client:
            swept = sweep(campaign, store, current, client, show_progress)
    except (WrongVersion, OSError) as error:
        print(f"scripts/sweep: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted: the same command goes on where this one stopped", file=sys.stderr)
        return 130
    finally:
        store.close()
    return _finish(campaign, folder, store, current, swept)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/sweep",
        description="Runs a campaign: a grid of options times seeds, in parallel. Only what is "
        "missing is run; the same command goes on where it was interrupted.",
    )
    parser.add_argument("file", type=Path, metavar="FILE.toml", help="see docs/experiments.md")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time; all cores"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster to run on")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="results/NAME-OF-THE-FILE unless told"
    )
    args = parser.parse_args(arguments)
    if args.jobs < 1:
        parser.error("--jobs must be 1 or more")
    if not args.file.exists():
        parser.error(f"there is no {args.file}: campaigns of the project are in experiments/")
    return args


def _tell(campaign: Campaign, store: Store, current: tuple[str, str]) -> None:
    there = sum(store.has(job, current) for job in campaign.jobs)
    print(
        f"{campaign.title}: {len(campaign.jobs)} runs, {there} of them there, commit {current[0]}, "
        f"ns-3 {current[1]}",
        file=sys.stderr,
    )
    others = len(store.rows) - len(of_version(store.rows, current))
    if others:
        print(
            f"{others} runs of other commits stay where they are and are not used", file=sys.stderr
        )


def _finish(
    campaign: Campaign, folder: Path, store: Store, current: tuple[str, str], swept: Swept
) -> int:
    rows = of_version(store.rows, current)
    if not rows:
        print(f"nothing ran: see {folder / 'failures.jsonl'}", file=sys.stderr)
        return 1
    print(outcome.write(campaign, folder, rows))
    wanted = {key(job) for job in campaign.jobs}
    broken = [
        row
        for row in rows
        if row["key"] in wanted and any(row["summary"][name] for name in _BROKEN)
    ]
    for row in broken:
        counts = ", ".join(f"{name} {row['summary'][name]}" for name in _BROKEN)
        print(f"BROKEN ({counts}): {row['command']}", file=sys.stderr)
    if swept.failed:
        print(
            f"{swept.failed} runs failed: their commands are in {folder / 'failures.jsonl'}; "
            "the same command tries them again",
            file=sys.stderr,
        )
    return 1 if broken or swept.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
