"""A large run in shards against a simulated server: throughput, memory, and what is paid twice if two are killed.

    python -m benchmarks.live --part shards --share 1      # 100,000 trials

Each shard is a job with a checkout of its own, as in docs/ci.md. Two are killed with kill -9 in the middle of asking
and started again, and all are merged. No model is asked: the server answers after a fixed latency.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.live.kills import checkout
from benchmarks.live.server import serving

TRIALS, SHARDS, CELLS = 100_000, 8, 40
AT_ONCE = 2
"""How many shards run at the same time: one per core."""
IN_FLIGHT = 16
KILLED = (2, 5)
LATENCY_S = 0.02


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that ended."""

    status: int
    rss_mb: float


@dataclass(slots=True)
class Job:
    """A running shard."""

    number: int
    project: Path
    process: subprocess.Popen[bytes]
    kill_at: int
    """The bytes of recordings after which it is killed; 0 for never."""

    def recorded(self) -> int:
        return sum(file.stat().st_size for file in (self.project / "cassettes").rglob("*.jsonl"))

    def ended(self) -> Ended | None:
        """Return how it ended; None while it runs. Kill it if it is time."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if not pid and self.kill_at and self.recorded() > self.kill_at:
            os.killpg(self.process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(self.process.pid, 0)
        elif not pid:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(self.process.returncode, usage.ru_maxrss / 1024)


def shards(trials: int) -> list[list[str]]:
    """Rows: what was measured of a run of this many trials."""
    each = max(1, trials // CELLS)
    needed, ended = each * CELLS, []
    with tempfile.TemporaryDirectory() as name, serving(latency_s=LATENCY_S) as server:
        folder = Path(name)
        projects = {number: checkout(folder / str(number), CELLS, each) for number in range(1, SHARDS + 1)}
        waiting, running = list(projects), []
        to_kill = dict.fromkeys(KILLED, 200 * each)  # about a fifth of a shard's recordings
        begun = time.monotonic()
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                number = waiting.pop(0)
                process = _start(projects[number], number, server.url)
                running.append(Job(number, projects[number], process, to_kill.pop(number, 0)))
            for job in list(running):
                if (end := job.ended()) is not None:
                    running.remove(job)
                    ended.append(end)
                    waiting += [job.number] if end.status < 0 else []
            time.sleep(0.05)
        took = time.monotonic() - begun
        paid = sum(server.seen().paid.values())
        rows, merged = _merge(folder, projects)
    killed = sum(end.status < 0 for end in ended)
    failed = sum(end.status > 0 for end in ended)
    return [
        ["trials", f"{needed:,} in {SHARDS} shards, {AT_ONCE} at once, {IN_FLIGHT} requests in flight each"],
        ["recorded, tested and reported in", f"{took:,.0f} s: {needed / took:,.0f} trials per second"],
        ["most memory of a shard", f"{max(end.rss_mb for end in ended):,.0f} MB"],
        ["killed while asking, and resumed", f"{killed}; shards that failed otherwise: {failed}"],
        ["answers paid for", f"{paid:,}"],
        [
            "paid twice",
            f"{paid - needed:,} of at most {killed * IN_FLIGHT} in flight; "
            f"beyond these {max(0, paid - needed - killed * IN_FLIGHT):,}",
        ],
        ["merged", f"{rows:,} rows in {merged[0]:,.0f} s, {merged[1]:,.0f} MB"],
    ]


def _start(project: Path, number: int, url: str) -> subprocess.Popen[bytes]:
    options = [f"--ctx-base-url={url}", "--ctx-record=once", f"--ctx-concurrency={IN_FLIGHT}"]
    shard = [f"--ctx-shard={number}/{SHARDS}", f"--ctx-report=reports/shard-{time.time_ns()}"]
    with (project / "output.txt").open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "tests_longctx", "--ctx-profile=kills.toml", *options, *shard],
            cwd=project,
            env={**os.environ, "LONGCTX_PAGE": "0"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _merge(folder: Path, projects: dict[int, Path]) -> tuple[int, tuple[float, float]]:
    """Merge the shards; return the number of measured rows, the seconds that it took, and its memory in MB."""
    runs = [str(run.parent) for project in projects.values() for run in project.glob("reports/shard-*/run.json")]
    command = [sys.executable, "-m", "longctx", "merge", *runs, "--out", str(folder / "merged"), "--no-page"]
    begun = time.monotonic()
    with (folder / "merge.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=projects[1], stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError((folder / "merge.txt").read_text())
    with (folder / "merged/results.jsonl").open() as rows:
        measured = sum(json.loads(row)["source"] is not None for row in rows)
    return measured, (time.monotonic() - begun, usage.ru_maxrss / 1024)
