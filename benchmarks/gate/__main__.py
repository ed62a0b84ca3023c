"""`python -m benchmarks.gate` simulates, prints the tables and writes RESULTS.md beside this file."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.gate.simulate import run

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the gates to simulate; less than 1 writes no file")
    share = parser.parse_args().share
    parts = []
    for part in run(share):
        print(part, end="\n\n", flush=True)
        parts.append(part)
    if share >= 1:
        RESULTS.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
