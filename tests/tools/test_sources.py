"""What docs/sources.md prints of the three sources is what was recorded, and what an estimate gives.

`python -m tests.tools.test_sources` writes it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import pytest

from longctx import Run
from longctx.live.cost.estimate import Price
from longctx.protocols.reports.passkey_report import FEWEST
from longctx.summary.summary import Summary
from longctx.views.answers import CellSummary
from tests.here import HERE
from tests.tools.blocks import block, write_blocks
from tests.tools.tables import table

SOURCES = HERE.root / "docs/sources.md"
PRICED = "claude-haiku-5-5"
RUNS = {
    "line retrieval": ("line_retrieval", "paper", ("line_retrieval",)),
    "passkey": ("passkey", "paper", ("passkey",)),
    "long-context QA": ('"collage or control"', "paper", ("collage", "control")),
    "a tenth of its questions": ('"collage or control"', "qa-tenth", ("collage", "control")),
}
"""What repeats each source: -k, the profile and its protocols."""
PLACES = {0: "beginning", 50: "middle", 100: "end"}
MIDDLE = 50
RECORDS = {"right": "the right section", "wrong": "a wrong section", "none": "no section"}
EXAMPLES = {
    "none": "none",
    "unrelated": "two unrelated",
    "two": "two",
    "five": "five",
    "none_scratchpad": "scratchpad",
    "unrelated_scratchpad": "unrelated + scratchpad",
    "two_scratchpad": "two + scratchpad",
    "five_scratchpad": "five + scratchpad",
}
NONE = "-"


@cache
def recorded() -> Summary:
    """Return the summary of what is recorded of the three sources."""
    run = Run("recorded", root=HERE.root, say=lambda _: None)
    of_sources = {name for _, _, names in RUNS.values() for name in names}
    return run.measure([cell for cell in run.plan.cells if cell.point.test in of_sources]).summary


def cells(test: str) -> list[CellSummary]:
    """Return the cells of a protocol that were asked as text."""
    return [cell for cell in recorded().cells if cell.test == test and cell.subject.shape == "text"]


def number(cell: CellSummary, name: str) -> int:
    return int(cell.params[name] or 0)


def accuracy(cell: CellSummary) -> str:
    return str(cell.rate).split()[0]


def by_model(found: Sequence[CellSummary]) -> dict[str, list[CellSummary]]:
    models: dict[str, list[CellSummary]] = {}
    for cell in found:
        models.setdefault(cell.subject.model, []).append(cell)
    return models


def order(size: int | float | str | None) -> str:
    return {None: "ordered", 1: "shuffled"}.get(size, f"blocks of {size}")  # type: ignore[call-overload,no-any-return]


def windows() -> Iterator[tuple[str, int, str]]:
    """Yield model, window, and k_max with its interval."""
    test = recorded().tests["passkey"]
    fewest = {
        (model, cell.params["window"]): cell.rate.n for model, of in by_model(cells("passkey")).items() for cell in of
    }
    for entry in test.reporting.data(test.analysis)["passkey"]:
        model, window = entry["model"], entry["window"]
        if "shape" not in entry and fewest[model, window] >= FEWEST:
            found = f"{entry['k_max'] or 0:,} [{entry['k_max_lo']:,}, {entry['k_max_hi']:,}]"
            yield model, window, found


def lines() -> str:
    """Return the accuracies of line retrieval: a column for each order, a row for each model and length."""
    found = {
        (cell.subject.model, number(cell, "lines"), order(cell.params["block_size"])): str(cell.rate)
        for cell in cells("line_retrieval")
    }
    orders = list(dict.fromkeys(name for _, _, name in found))
    rows = sorted({(model, length) for model, length, _ in found})
    return table(
        ["model", "lines", *orders],
        [
            [model, f"{length:,}", *(found.get((model, length, name), NONE) for name in orders)]
            for model, length in rows
        ],
    )


def passkeys() -> str:
    return table(["model", "window", "k_max [95%]"], [[model, f"{window:,}", k] for model, window, k in windows()])


def qa() -> str:
    """Return the accuracies of long-context QA: of each model, the controls, then a row for each record and prompt."""
    found: dict[tuple[str, int, int, str], dict[str, str]] = {}
    for cell in cells("control"):
        found[cell.subject.model, 0, len(found), RECORDS[str(cell.params["record"])]] = {PLACES[0]: str(cell.rate)}
    for cell in cells("collage"):
        budget, variant = number(cell, "budget"), list(EXAMPLES).index(str(cell.params["variant"]))
        row = cell.subject.model, budget, variant, f"{budget:,} tokens, {list(EXAMPLES.values())[variant]}"
        found.setdefault(row, {})[PLACES[number(cell, "depth")]] = str(cell.rate)
    rows = [
        [model.rpartition("-")[2], shown, *(of.get(place, NONE) for place in PLACES.values())]
        for (model, _, _, shown), of in sorted(found.items(), key=lambda entry: entry[0][:3])
    ]
    return table(["model", "shown", *PLACES.values()], rows)


@cache
def prices() -> str:
    rows = []
    for source, (chosen, profile, names) in RUNS.items():
        run = Run(profile, PRICED, root=HERE.root, say=lambda _: None)
        found = run.estimate([cell for cell in run.plan.cells if cell.point.test in names])
        price = sum((each.price for each in found if each.price), Price(0, 0, 0))
        trials = sum(each.trials for each in found)
        command = f"`pytest tests_longctx -k {chosen} --ctx-profile={profile} --ctx-model={PRICED}`"
        rows.append([source, command, f"{trials:,}", f"${price.cached:,.2f}", f"${price.batch:,.2f}"])
    return table(["source", "command", "trials", "price", "in batches"], rows)


WRITTEN: dict[str, Callable[[], str]] = {"prices": prices, "lines": lines, "passkey": passkeys, "qa": qa}
"""The parts of the page that are made here."""


@pytest.mark.parametrize("name", WRITTEN)
def test_the_page_has_what_was_recorded_and_what_it_costs(name: str) -> None:
    assert block(SOURCES, name) == WRITTEN[name]()


def test_the_reduced_profile_costs_a_tenth() -> None:
    whole, reduced = (float(row.split("$")[-1].strip(" |").replace(",", "")) for row in prices().splitlines()[-2:])
    assert 0.08 < reduced / whole < 0.1


if __name__ == "__main__":
    write_blocks(SOURCES, {name: made() for name, made in WRITTEN.items()})
