"""Every figure that the guide claims of the gate is in a table of benchmarks/gate.

tests/figures.txt names the cell of each figure: after a line with a page and the beginning of a paragraph or table, a
line per figure, `96% = PAGE | section | first cells of the row | column`, the cells divided by slashes; `*` stands for
every row or cell. `at most` or `at least` may come first. Of a drop that is simulated in several ways, the figure is
the worst.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.here import HERE

PAGES = [
    HERE.root / "README.md",
    *sorted((HERE.root / "docs").glob("*.md")),
]
FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"(?<![\d.])(?<!one-sided, )\d[\d.]*%(?! of (?:pairs|the trials))")
OF_THE_GATE = re.compile(
    r"unchanged model|\bfound\b|\bfinds\b|\bmisses\b|false (?:alarm|pass)|\bnames any\b|passes a drop"
)
NOT_OF_THE_GATE = {"glossary.md"}
"""Pages that say how often a passkey is found."""


def _named() -> dict[tuple[str, str], list[str]]:
    """Return the claims by the page and the beginning of their paragraph or table."""
    entries = HERE.root.joinpath("tests/figures.txt").read_text(encoding="utf-8").split("\n\n")
    heads = [entry.strip().splitlines() for entry in entries]
    return {(head.partition(": ")[0], head.partition(": ")[2]): claims for head, *claims in heads}


NAMED = _named()


def cells(page: str, section: str, row: str, column: str) -> list[str]:
    """Return the cells of a column of a table, in the rows that begin with these cells."""
    text = (HERE.root / f"benchmarks/gate/{page}.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {section}\n")
    assert found, f"{page}.md has no section {section!r}"
    lines = [line.strip("| ").split(" | ") for line in rest.partition("\n## ")[0].splitlines() if line.startswith("|")]
    head, rows = lines[0], lines[2:]
    wanted = [] if row == "*" else row.split(" / ")
    at = [
        line[head.index(column)]
        for line in rows
        if all(cell in ("*", shown) for cell, shown in zip(wanted, line, strict=False))
    ]
    assert at, f"{page}.md, {section}: no row begins with {row}"
    return at


def bears_out(claim: str) -> bool:
    """Return whether the cell that a claim names has its figure, rounded as it is."""
    how, figure, place = parts(claim)
    found = cells(*place.split(" | "))
    if figure.startswith("$"):
        return all(figure in cell.split("; ") for cell in found)
    digits, number = len(figure.rstrip("%").partition(".")[2]), float(figure.rstrip("%"))
    values = [float(cell.partition("%")[0]) for cell in found]
    if not how and place.count(" | What ") + place.count(" | A drop"):  # of the two ways to draw a drop, the worse
        values = [min(values) if "found" in place else max(values)]
    if how == "at most":
        return max(values) <= number
    if how == "at least":
        return min(values) >= number
    return all(f"{value:.{digits}f}" == f"{number:.{digits}f}" for value in values)


def parts(claim: str) -> tuple[str, str, str]:
    """Return `at most`, `at least` or nothing, the figure, and the place of its cell."""
    stated, _, place = claim.partition(" = ")
    how, _, figure = stated.rpartition(" ")
    return how, figure, place


def blocks(page: Path) -> Iterator[tuple[list[str], str]]:
    """Yield each paragraph or table of a page with its claims."""
    name = page.relative_to(HERE.root).as_posix()
    of_page = {begin: claims for (of, begin), claims in NAMED.items() if of == name}
    for block in re.split(r"\n\s*\n", FENCED.sub("", page.read_text(encoding="utf-8"))):
        yield next((claims for begin, claims in of_page.items() if block.strip().startswith(begin)), []), block


def stated_in(block: str) -> set[str]:
    return set(FIGURE.findall(block)) if OF_THE_GATE.search(block) else set()


CLAIMS = [claim for claims in NAMED.values() for claim in claims]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_table_bears_out_each_claim(claim: str) -> None:
    assert bears_out(claim)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in NOT_OF_THE_GATE], ids=lambda page: page.name
)
def test_each_figure_has_its_cell(page: Path) -> None:
    for claims, block in blocks(page):
        named = {parts(claim)[1] for claim in claims}
        assert stated_in(block) <= named, block
        assert all(figure in block for figure in named), block


def test_each_place_of_figures_exists() -> None:
    for page, begin in NAMED:
        assert f"\n\n{begin}" in (HERE.root / page).read_text(encoding="utf-8"), begin


def test_a_false_claim_is_noticed() -> None:
    place = "PROFILES | Nothing has changed | gate-pr / 0.9 / 10% | passes"
    assert bears_out(f"96% = {place}")
    assert not bears_out(f"97% = {place}")
    assert bears_out(f"at most 97% = {place}")
    assert not bears_out(f"at least 97% = {place}")
    assert stated_in("An unchanged model passes in 96%.") == {"96%"}
