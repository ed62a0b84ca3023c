"""Trials a second at a fixed latency, against the ideal, and inspect_ai on the same prompts at the same concurrency."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from benchmarks.live.asked import ask, cell
from benchmarks.live.server import serving

IN_FLIGHT = 64
ROUNDS = {0.5: 30, 2.0: 20, 10.0: 5}
"""Seconds that an answer takes -> how often as many trials as may be in flight are asked."""


def throughput(share: float, inspect_python: Path | None) -> list[list[str]]:
    """Rows of the latency, what was asked with, seconds, share of the ideal throughput, most requests in flight.

    share: of the rounds to ask.
    """
    rows = []
    for latency_s, rounds in ROUNDS.items():
        rounds = max(1, round(rounds * share))
        trials, ideal_s = rounds * IN_FLIGHT, rounds * latency_s
        about = [f"{latency_s:g} s", f"{trials:,}"]
        with serving(latency_s=latency_s) as server:
            ours = ask(server.url, trials, IN_FLIGHT)
            assert ours.asked.answered == ours.on_tape == trials
            most = str(server.seen().most_open)
        rows.append([*about, "longctx, asking", *_of(ideal_s, ours.asking_s), most])
        rows.append(
            [*about, "longctx, with finding what is missing", *_of(ideal_s, ours.finding_s + ours.asking_s), most]
        )
        if inspect_python is not None:
            with serving(latency_s=latency_s) as server:
                inspect_s, version = _inspect(inspect_python, server.url, trials)
                most = str(server.seen().most_open)
            rows.append([*about, f"inspect_ai {version}", *_of(ideal_s, inspect_s), most])
    return rows


def _of(ideal_s: float, took_s: float) -> list[str]:
    return [f"{took_s:.1f} s", f"{ideal_s / took_s:.1%}"]


def _inspect(python: Path, url: str, trials: int) -> tuple[float, str]:
    """Seconds that inspect_ai takes for the same prompts, from its own log, and its version."""
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples.jsonl"
        built = (trial.build() for trial in cell(trials).each_trial())
        samples.write_text(
            "".join(json.dumps({"input": built.user, "target": built.expected}) + "\n" for built in built)
        )
        program = Path(__file__).with_name("inspect_run.py")
        done = subprocess.run(
            [python, program, samples, url, str(IN_FLIGHT), folder], check=True, capture_output=True, text=True
        )
        result = json.loads(done.stdout.splitlines()[-1])
        assert result["samples"] == trials, result
        return result["seconds"], result["version"]
