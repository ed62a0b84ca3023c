"""kill -9 at a random moment, again and again, while a run asks or tests: what is paid twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.live.server import Remote, serving

ROOT = Path(__file__).resolve().parents[2]
IN_FLIGHT = 16
TRIALS, CELLS = 200, 5


def kills(number: int) -> list[list[str]]:
    """Rows: when it was killed, needed and paid answers, and what the run after them measured."""
    lots = random.Random(0)
    needed = TRIALS * CELLS
    killed = dict.fromkeys(("asking", "testing, all processes", "testing, one worker"), 0)
    with tempfile.TemporaryDirectory() as folder, serving(latency_s=0.2) as server:
        project = checkout(Path(folder) / "checkout", CELLS, TRIALS)
        while sum(killed.values()) < number:
            process = _start(project, server)
            if _kill_while_asking(process, server, lots, most=4 * needed // number):
                killed["asking"] += 1
            elif when := _kill_while_testing(process, lots):
                killed[when] += 1
            process.communicate()
        process = _start(project, server)
        process.communicate()
        paid = sum(server.seen().paid.values())
        rows = [json.loads(line) for line in (project / "reports/latest/results.jsonl").read_text().splitlines()]
    again = (paid - needed) / killed["asking"]
    measured = sum(row["source"] is not None for row in rows)
    return [
        *([f"killed while {when}", str(times)] for when, times in killed.items()),
        ["trials", f"{needed:,}"],
        ["answers paid for", f"{paid:,}"],
        ["paid again, for each kill while asking", f"{again:.1f}, of {IN_FLIGHT} in flight"],
        ["measured by the run after", f"{measured:,}, all replayed: {process.returncode == 0}"],
    ]


def _kill_while_asking(process: subprocess.Popen[bytes], server: Remote, lots: random.Random, most: int) -> bool:
    """Kill the run after a random number of answers; return False if it had all its answers before."""
    paid = sum(server.seen().paid.values())
    enough = paid + lots.randint(1, most)
    assert process.stdout is not None
    for line in process.stdout:
        if b"trials to ask" in line:
            if b" 0 of " in line:
                return False
            break
    os.set_blocking(process.stdout.fileno(), False)
    while sum(server.seen().paid.values()) < enough:
        if b"asked " in (process.stdout.read() or b""):
            return False
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    return True


def _kill_while_testing(process: subprocess.Popen[bytes], lots: random.Random) -> str | None:
    """Kill the run or one of its workers in the middle of its tests; return None if it ended before."""
    time.sleep(lots.uniform(0.5, 4.0))
    if process.poll() is not None:
        return None
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    if workers and lots.random() < 0.5:
        os.kill(int(lots.choice(workers)), signal.SIGKILL)
        return "testing, one worker"
    os.killpg(process.pid, signal.SIGKILL)
    return "testing, all processes"


def checkout(folder: Path, cells: int, trials: int) -> Path:
    """Copy what a run needs, and write the profile kills.toml with these numbers of cells and trials."""
    for name in ("longctx", "fixtures", "tests_longctx"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("conftest.py", "pytest.ini"):
        shutil.copy2(ROOT / name, folder / name)
    lines = [10 + cell for cell in range(cells)]
    table = f'models = ["toy"]\nlines = {lines}\norders = ["ordered"]\ntrials = {trials}\n'
    (folder / "kills.toml").write_text(f"[line_retrieval]\n{table}")
    return folder


def _start(project: Path, server: Remote) -> subprocess.Popen[bytes]:
    options = [f"--ctx-base-url={server.url}", "--ctx-record=once", f"--ctx-concurrency={IN_FLIGHT}"]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-n2", "tests_longctx", "--ctx-profile=kills.toml", *options],
        cwd=project,
        env={**os.environ, "LONGCTX_PAGE": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
