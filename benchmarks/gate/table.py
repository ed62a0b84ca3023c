"""The pages of simulations: tables in Markdown, shares with their Wilson interval, and the command that writes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from longctx.stats.rates import wilson


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def share(count: int, n: int) -> str:
    """Return the share in percent, with its Wilson 95% interval."""
    lo, hi = wilson(count, n)
    return f"{100 * count / n:.1f}% [{100 * lo:.1f}, {100 * hi:.1f}]"


def sections(parts: Iterable[tuple[str, Callable[[int], str]]], gates: int) -> Iterator[str]:
    """Yield a section for each title and what makes its table, given how many gates to simulate."""
    for title, part in parts:
        yield f"## {title}\n\n{part(gates)}"


def command(module: str, about: str | None, run: Callable[[int], Iterable[str]], page: Path, gates: int = 1000) -> None:
    """Run a simulation from the command line. run: yields the parts of the page, given how many gates to simulate."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.gate.{module}", description=about)
    parser.add_argument(
        "--gates", type=int, default=gates, help="to simulate of each case; fewer than 1000 write no file"
    )
    asked = parser.parse_args().gates
    publish(run(asked), page if asked >= 1000 else None)


def publish(parts: Iterable[str], page: Path | None) -> None:
    """Print the parts of a page as they come, and write it if it has a path."""
    printed = []
    for part in parts:
        print(part, end="\n\n", flush=True)
        printed.append(part)
    if page:
        page.write_text("\n\n".join(printed) + "\n")
