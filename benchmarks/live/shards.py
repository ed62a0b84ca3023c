"""A large run in shards against a simulated server: throughput, memory, and what is paid twice if each is killed once.

    python -m benchmarks.live --part shards      # 100,000 trials

Each shard is a job with a folder of its own, as in docs/ci.md. Each is killed with kill -9 in the middle of asking and
started again; then all are merged, and one is replayed. No model is asked: the server answers at once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.live.server import serving
from benchmarks.ratios import ROOT, Spent, spent
from benchmarks.simulated import DISTANCES, project
from benchmarks.simulated import TRIALS as OF_A_CELL

TRIALS, SHARDS = 100_000, 8
AT_ONCE = 2
"""How many shards run at the same time: one per core."""
IN_FLIGHT = 16


@dataclass(frozen=True, slots=True)
class Ended:
    """A shard's process that ended."""

    status: int
    peak_mb: float


class Job:
    """A running process, which is killed once it has recorded so many answers; 0 for never."""

    def __init__(self, folder: Path, *arguments: str, kill_at: int = 0) -> None:
        self._folder, self._kill_at = folder, kill_at
        with (folder / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT), "LONGCTX_PAGE": "0"},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def ended(self) -> Ended | None:
        """Return how it ended; None while it runs. Kill it if it is time."""
        if self._kill_at and _recorded(self._folder) >= self._kill_at:
            os.killpg(self._process.pid, signal.SIGKILL)
        pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        if not pid:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(self._process.returncode, usage.ru_maxrss / 1024)


def shards(trials: int, number: int = SHARDS) -> list[list[str]]:
    """Rows: what was measured of a run of this many trials, in whole windows, and shards."""
    trials -= trials % (OF_A_CELL * DISTANCES)
    with tempfile.TemporaryDirectory() as name, serving() as server:
        folder = Path(name)
        folders = [project(folder / str(place), trials, recorded=False) for place in range(number)]
        begun = time.monotonic()
        ended = list(_in_turns(folders, server.url, trials // number // 2))
        took = time.monotonic() - begun
        requests = Counter(server.seen().paid)
        runs = [str(run.parent) for folder in folders for run in folder.glob("reports/*/run.json")]
        merged, merge_s = _timed(folders[0], "-m", "longctx", "merge", *runs, "--out", "merged", "--no-page")
        rows = Counter(_rows(folders[0] / "merged"))
        replay, replay_s = _timed(folders[0], *_run_of(1, number), "--ctx-record=none", "--ctx-report=replayed")
        replayed = len(_rows(folders[0] / "replayed"))
    kills = sum(end.status < 0 for end in ended)
    failed = sum(end.status > 0 for end in ended)
    needed = Counter(digest for _, digest in rows.elements())
    twice, never, bound = (requests - needed).total(), (needed - requests).total(), kills * IN_FLIGHT
    return [
        ["trials", f"{trials:,} in {number} shards, {AT_ONCE} at once, {IN_FLIGHT} requests in flight each"],
        ["recorded, tested and reported in", f"{took:,.0f} s: {trials / took:,.0f} trials per second"],
        ["most memory of a shard", f"{max(end.peak_mb for end in ended):,.0f} MB"],
        ["killed while asking, and resumed", f"{kills}; shards that failed otherwise: {failed}"],
        ["answers paid for", f"{requests.total():,}; trials measured without one: {never}"],
        ["paid twice", f"{twice} of at most {bound} in flight; beyond these {max(0, twice - bound)}"],
        ["merged", f"{rows.total():,} rows in {merge_s:,.0f} s, {merged.peak_mb:,.0f} MB"],
        ["missing after the merge, there twice", f"{trials - len(rows)}, {rows.total() - len(rows)}"],
        [
            "replay of one shard",
            f"{replayed:,} trials in {replay_s:,.0f} s: {replayed / replay_s:,.0f} trials per second, "
            f"{replay.peak_mb:,.0f} MB",
        ],
    ]


def _in_turns(folders: list[Path], url: str, middle: int) -> Iterator[Ended]:
    """Run all shards, so many at a time: each is killed in its middle, and then run to its end."""
    waiting = [(place, middle) for place in range(len(folders))]
    running: dict[int, Job] = {}
    asking = [f"--ctx-base-url={url}", "--ctx-record=once", f"--ctx-concurrency={IN_FLIGHT}"]
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            place, kill_at = waiting.pop(0)
            report = f"--ctx-report=reports/{'killed' if kill_at else 'resumed'}"
            command = [*_run_of(place + 1, len(folders)), *asking, report]
            running[place] = Job(folders[place], *command, kill_at=kill_at)
        for place, job in list(running.items()):
            if (end := job.ended()) is not None:
                yield end
                del running[place]
                waiting += [(place, 0)] if end.status < 0 else []
        time.sleep(0.1)


def _run_of(shard: int, shards: int) -> list[str]:
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark"]
    return [*tests, "--ctx-profile=many", "--ctx-model=simulated", f"--ctx-shard={shard}/{shards}"]


def _timed(folder: Path, *arguments: str) -> tuple[Spent, float]:
    """Run Python to its end; return what it spent, and the seconds that it took.

    A process of its own starts it, since the peak memory of a child includes that of the process that forked it.
    """
    begun = time.monotonic()
    return spent(*arguments, cwd=folder, page=False), time.monotonic() - begun


def _recorded(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in (folder / "cassettes").rglob("*.jsonl"))


def _rows(run: Path) -> list[tuple[str, str]]:
    """Return the measured trials of a run, each with the digest of its request."""
    with (run / "results.jsonl").open() as lines:
        rows = [json.loads(line) for line in lines]
    return [(f"{row['cell']} {row['trial']}", row["prompt_sha256"]) for row in rows if row["source"] is not None]
