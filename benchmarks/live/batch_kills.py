"""kill -9 while a run creates, waits for and collects batches, again and again: what is paid twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.live.kills import checkout
from tests.batch_server import BatchServer, Stored
from tests.servers import Answer, Body

CELLS, TRIALS, REQUESTS = 2, 60, 30
"""These make four batches."""
MOMENTS = ("before a batch is claimed", "claimed, its id not known", "created", "collecting")
DONE = "all is collected"

ASKS = "it begins with its batches"
LONGEST_S = 1.2
"""Half of the seconds that a run's batches take, so that most kills leave something to do."""
RUN = f"""
import sys
from longctx.live.batches import claims, parts, wait
parts.MOST_REQUESTS, wait.SETTLE_S, wait.FIRST_POLL_S, wait.LONGEST_POLL_S = {REQUESTS}, 1.0, 0.2, 0.2
collect = claims.Batches.collect
def announced(*arguments):
    print({ASKS!r}, flush=True)
    return collect(*arguments)
claims.Batches.collect = announced
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


class SlowServer(BatchServer):
    """A server that takes a while to create a batch, to answer, to end the batch, and to send its results."""

    def _create(self, body: Body) -> Answer:
        time.sleep(random.uniform(0.0, 0.2))
        answer = super()._create(body)
        time.sleep(random.uniform(0.0, 0.2))
        return answer

    def _results(self, batch: Stored) -> Answer:
        time.sleep(random.uniform(0.0, 0.3))
        return super()._results(batch)


def batch_kills(number: int) -> list[list[str]]:
    """Rows: when it was killed, needed and paid answers, and what the runs after them measured."""
    lots = random.Random(0)
    killed: Counter[str] = Counter()
    paid: list[int] = []
    measured = created = 0
    while sum(killed.values()) < number:
        with tempfile.TemporaryDirectory() as folder, SlowServer() as server:
            server.takes_s, server.lists_end, server.unknown = 1.5, True, 1
            project = checkout(Path(folder) / "checkout", CELLS, TRIALS)
            while sum(killed.values()) < number:
                process = _start(project, server)
                done = not _killed(process, lots) or _moment(project) == DONE
                killed[_moment(project)] += not done
                process.communicate()
                if done:
                    break
            process = _start(project, server)
            process.communicate()
            lines = (project / "reports/latest/results.jsonl").read_text().splitlines()
            measured += sum(json.loads(line)["source"] is not None for line in lines)
            paid += server.paid.values()
            created += len(server.created)
            print(f"{sum(killed.values())} kills, {created} batches, {process.returncode}", file=sys.stderr, flush=True)
    return [
        *([f"killed: {moment}", str(killed[moment])] for moment in MOMENTS),
        ["kills", str(sum(killed.values()))],
        ["trials", f"{len(paid):,}"],
        ["answers paid for", f"{sum(paid):,}"],
        ["paid twice", str(sum(times > 1 for times in paid))],
        ["batches created, of up to 30 requests", f"{created:,}"],
        ["measured by the runs after", f"{measured:,}"],
    ]


def _killed(process: subprocess.Popen[bytes], lots: random.Random) -> bool:
    """Kill the run at a random moment after it began with its batches; return False if it ended before."""
    assert process.stdout is not None
    for line in process.stdout:
        if ASKS.encode() in line:
            break
    time.sleep(lots.uniform(0.0, LONGEST_S))
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGKILL)
    return True


def _moment(project: Path) -> str:
    """Return the moment of the kill, as the files of the batches on disk show it."""
    claims = []
    for path in (project / "cassettes/batches").glob("*.json"):
        try:
            claims.append(json.loads(path.read_text()))
        except FileNotFoundError:  # collected meanwhile
            continue
    if any(not claim["id"] for claim in claims):
        return MOMENTS[1]
    recorded = any((project / "cassettes").rglob("*.jsonl"))
    if claims:
        return MOMENTS[3] if recorded else MOMENTS[2]
    return DONE if recorded else MOMENTS[0]


def _start(project: Path, server: BatchServer) -> subprocess.Popen[bytes]:
    options = [f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-batch"]
    return subprocess.Popen(
        [sys.executable, "-c", RUN, "-q", "tests_longctx/test_line_retrieval.py", "--ctx-profile=kills.toml", *options],
        cwd=project,
        env={**os.environ, "LONGCTX_PAGE": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
