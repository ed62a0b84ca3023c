"""`python -m benchmarks.gate` simulates, prints the tables and writes RESULTS.md beside this file."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.gate.simulate import run
from benchmarks.gate.table import publish

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    pages = (page.stem.lower() for page in sorted(RESULTS.parent.glob("*.md")))
    others = [f"python -m benchmarks.gate.{name}" for name in pages if RESULTS.with_name(f"{name}.py").exists()]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gate",
        description=__doc__,
        epilog=f"Further simulations, each with a page of its name: {', '.join(others)}.",
    )
    parser.add_argument("--share", type=float, default=1.0, help="of the gates to simulate; less than 1 writes no file")
    share = parser.parse_args().share
    publish(run(share), RESULTS if share >= 1 else None)


if __name__ == "__main__":
    main()
