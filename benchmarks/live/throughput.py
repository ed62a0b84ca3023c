"""Trials a second at a fixed latency, against the ideal, and inspect_ai on the same prompts at the same concurrency."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from benchmarks.live.asked import ask, case
from benchmarks.live.server import serving

IN_FLIGHT = 64
LATENCY_S = 0.5


def throughput(trials: int, inspect_python: Path | None) -> list[list[str]]:
    """Rows of what was asked with: seconds, share of the ideal throughput, most requests in flight."""
    ideal_s = trials * LATENCY_S / IN_FLIGHT
    rows = [["ideal", f"{ideal_s:.1f} s", "100%", str(IN_FLIGHT)]]
    with serving(latency_s=LATENCY_S) as server:
        ours = ask(server.url, trials, IN_FLIGHT)
        assert ours.asked.answered == ours.on_tape == trials
        most = str(server.seen().most_open)
    rows.append(["longctx, asking", f"{ours.asking_s:.1f} s", f"{ideal_s / ours.asking_s:.1%}", most])
    whole_s = ours.finding_s + ours.asking_s
    rows.append(["longctx, with finding what is missing", f"{whole_s:.1f} s", f"{ideal_s / whole_s:.1%}", most])
    if inspect_python is not None:
        with serving(latency_s=LATENCY_S) as server:
            inspect_s, version = _inspect(inspect_python, server.url, trials)
            most = str(server.seen().most_open)
        rows.append([f"inspect_ai {version}", f"{inspect_s:.1f} s", f"{ideal_s / inspect_s:.1%}", most])
    return rows


def _inspect(python: Path, url: str, trials: int) -> tuple[float, str]:
    """Seconds that inspect_ai takes for the same prompts, from its own log, and its version."""
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples.jsonl"
        built = (question.build() for question in case(trials).questions())
        samples.write_text("".join(json.dumps({"input": one.user, "target": one.expected}) + "\n" for one in built))
        program = Path(__file__).with_name("inspect_run.py")
        done = subprocess.run(
            [python, program, samples, url, str(IN_FLIGHT), folder], check=True, capture_output=True, text=True
        )
        told = json.loads(done.stdout.splitlines()[-1])
        assert told["samples"] == trials, told
        return told["seconds"], told["version"]
