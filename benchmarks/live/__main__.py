"""`python -m benchmarks.live` runs all, prints the tables and writes RESULTS.md beside this file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.gate.table import table
from benchmarks.live.batch_kills import batch_kills
from benchmarks.live.cpu import IN_FLIGHT, cpu
from benchmarks.live.kills import kills
from benchmarks.live.limited import LATENCY_S, PER_S, SETTLING_S, limited
from benchmarks.live.ramp import TRIALS as TRIALS_OF_RAMPS
from benchmarks.live.ramp import ramps
from benchmarks.live.rated import rates
from benchmarks.live.shards import TRIALS, shards
from benchmarks.live.storm import storm
from benchmarks.live.throughput import IN_FLIGHT as IN_FLIGHT_AT_ONCE
from benchmarks.live.throughput import throughput
from longctx.config.project import FIRST_IN_FLIGHT, MOST_IN_FLIGHT

RESULTS = Path(__file__).with_name("RESULTS.md")
Part = Callable[[argparse.Namespace], str]


def _throughput(options: argparse.Namespace) -> str:
    rows = throughput(options.share, options.inspect_python)
    heading = (
        f"Trials of about 7,000 tokens, {IN_FLIGHT_AT_ONCE} in flight from the start; ideal: whole rounds of them, one "
        "latency each"
    )
    head = ["latency", "trials", "asked with", "time", "of the ideal", "most in flight"]
    return f"## Throughput\n\n{heading}.\n\n{table(head, rows)}"


def _ramps(options: argparse.Namespace) -> str:
    runs = max(1, round(8 * options.share))
    heading = (
        f"{TRIALS_OF_RAMPS} trials through the asking pass in virtual time: only the simulated server takes any. "
        f"Where it draws lots, mean and range of {runs} runs"
    )
    head = [
        "server",
        "an answer",
        f"seconds with `--ctx-concurrency {FIRST_IN_FLIGHT}`",
        f"by default, {FIRST_IN_FLIGHT} to {MOST_IN_FLIGHT}",
        "most at once",
        "refused",
    ]
    title = f"From {FIRST_IN_FLIGHT} to {MOST_IN_FLIGHT} requests in flight"
    return f"## {title}\n\n{heading}.\n\n{table(head, list(ramps(runs)))}"


def _limited(options: argparse.Namespace) -> str:
    trials = round(2000 * options.share)
    head = ["429 comes with", "of the rate, settled", "refused in the beginning", "refused once settled"]
    heading = (
        f"{trials:,} trials, {PER_S:.0f} allowed a second, {LATENCY_S:.1f} s latency, {SETTLING_S:.0f} s to settle"
    )
    return f"## A server that allows so many a second\n\n{heading}.\n\n{table(head, limited(trials))}"


def _rates(options: argparse.Namespace) -> str:
    head = ["allowed", "an answer", "429 comes with", "of the rate", "refused"]
    heading = "A minute's trials, the beginning included, in virtual time; the spread of answers is 0.5"
    return f"## A whole run at an allowed rate\n\n{heading}.\n\n{table(head, list(rates()))}"


def _cpu(options: argparse.Namespace) -> str:
    trials = round(600 * options.share)
    heading = f"{trials:,} trials of about 7,000 tokens, {IN_FLIGHT} in flight; the least of 3 rounds"
    return f"## CPU\n\n{heading}.\n\n{table(['sent with', 'CPU a request', 'times the SDK'], cpu(trials))}"


def _storm(options: argparse.Namespace) -> str:
    return f"## Fault storm\n\n{table(['what', 'number'], storm(round(2000 * options.share)))}"


def _kills(options: argparse.Namespace) -> str:
    return f"## kill -9\n\n{table(['what', 'number'], kills(round(40 * options.share)))}"


def _batches(options: argparse.Namespace) -> str:
    return f"## Batches\n\n{table(['what', 'number'], batch_kills(round(40 * options.share)))}"


def _shards(options: argparse.Namespace) -> str:
    rows = shards(round(TRIALS * options.share))
    heading = "Passkeys of 300 to 900 tokens, and a simulated server that answers at once. No model is asked"
    return f"## Shards\n\n{heading}.\n\n{table(['what', 'number'], rows)}"


PARTS: dict[str, Part] = {
    "throughput": _throughput,
    "ramps": _ramps,
    "limited": _limited,
    "rates": _rates,
    "cpu": _cpu,
    "storm": _storm,
    "kills": _kills,
    "batches": _batches,
    "shards": _shards,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the trials to ask; less than 1 writes no file")
    parser.add_argument("--part", choices=PARTS, help="only this part; writes no file")
    parser.add_argument("--inspect-python", type=Path, help="python of an environment that holds inspect-ai")
    options = parser.parse_args()
    parts = []
    for name, part in PARTS.items():
        if options.part in (None, name):
            parts.append(part(options))
            print(parts[-1], end="\n\n", flush=True)
    if options.share >= 1 and options.part is None:
        RESULTS.write_text("\n\n".join(["# Live runs, against simulated servers", *parts]) + "\n")


if __name__ == "__main__":
    main()
