"""What docs/protocols.md and cassettes/README.md print of the sources is what was recorded, and what an estimate gives.

`python -m tests.tools.test_sources` writes it anew, and the picture of line retrieval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from longctx import Run
from longctx.live.cost.estimate import Price
from longctx.protocols.reports.passkey_report import FEWEST
from longctx.report.colours import colours
from longctx.report.svg import draw, numbers_of, standing_alone
from longctx.report.tables import tables
from longctx.summary.summary import Summary
from longctx.views.answers import CellSummary, constant_of
from longctx.views.chart import Chart, Plot, PlotMark, Table
from tests.here import HERE
from tests.tools.blocks import block, write_blocks
from tests.tools.tables import table

SOURCES, CASSETTES = HERE.root / "docs/protocols.md", HERE.root / "cassettes/README.md"
PICTURE = HERE.root / "docs/images/line-retrieval.svg"
WIDTH = 720
"""The width of the picture, in pixels."""
PRICED = "claude-haiku-5-5"
RUNS = {
    "line retrieval": ("line_retrieval", "paper", ("line_retrieval",)),
    "passkey": ("passkey", "paper", ("passkey",)),
    "long-context QA": ('"collage or control"', "paper", ("collage", "control")),
    "a tenth of its questions": ('"collage or control"', "qa-tenth", ("collage", "control")),
}
"""What repeats each source: -k, the profile and its protocols."""
RECORDED = "recorded"
PROFILES = {
    RECORDED: ("line_retrieval", "passkey", "collage", "control"),
    "long": ("line_retrieval", "passkey"),
    "letters": ("collage",),
    "falling": ("line_retrieval",),
}
"""The profiles that have recordings of the sources, and what is taken of each: `long` has more trials of two."""
LONG = {"lines": 500, "budget": 7000}
"""The shortest file and the shortest record of the profile `long`, in lines and in tokens."""
ORDERS = ("ordered", "shuffled")
PLACES = {0: "beginning", 50: "middle", 100: "end"}
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
NEW, FILTERED = ", own letters", "\\*"
"""What marks collages with own letters, and the number of questions that passed a filter."""


@cache
def recorded(profile: str) -> Summary:
    """Return the summary of what is recorded of the three sources in a profile."""
    run = Run(profile, root=HERE.root, say=lambda _: None)
    return run.measure([cell for cell in run.plan.cells if cell.point.test in PROFILES[profile]]).summary


def cells(test: str) -> list[CellSummary]:
    """Return the cells of a protocol that were asked as text; one that two profiles have is that of more trials."""
    found: dict[tuple[str, str, str], CellSummary] = {}
    for profile, names in PROFILES.items():
        for cell in recorded(profile).cells if test in names else ():
            key = cell.subject.model, cell.subject.prompt_set, cell.cell
            enough = profile == RECORDED or cell.rate.n >= FEWEST
            if cell.test == test and cell.subject.shape == "text" and enough:
                found[key] = max(found.get(key, cell), cell, key=lambda each: each.rate.n)
    return [*found.values()]


def number(cell: CellSummary, name: str) -> int:
    return int(cell.params[name] or 0)


def by_model(found: Sequence[CellSummary]) -> dict[str, list[CellSummary]]:
    models: dict[str, list[CellSummary]] = {}
    for cell in found:
        models.setdefault(cell.subject.model, []).append(cell)
    return models


def order(cell: CellSummary) -> str:
    size = cell.params["block_size"]
    return {None: "ordered", 1: "shuffled"}.get(size, f"blocks of {size}")  # type: ignore[call-overload,no-any-return]


def place(cell: CellSummary) -> str:
    return PLACES[number(cell, "depth")]


def windows() -> dict[tuple[str, int], str]:
    """Return k_max with its interval of each model and window, that of the most distances."""
    fewest = {
        (model, cell.params["window"]): cell.rate.n for model, of in by_model(cells("passkey")).items() for cell in of
    }
    found = {}
    for profile in (name for name, tests in PROFILES.items() if "passkey" in tests):
        test = recorded(profile).tests["passkey"]
        for entry in test.reporting.data(test.analysis)["passkey"]:
            key = entry["model"], entry["window"]
            if "shape" not in entry and fewest[key] >= FEWEST:
                found[key] = f"{entry['k_max'] or 0:,} [{entry['k_max_lo']:,}, {entry['k_max_hi']:,}]"
    return dict(sorted(found.items()))


def by_length(
    test: str, length: str, column: Callable[[CellSummary], str]
) -> dict[tuple[str, int], dict[str, CellSummary]]:
    """Return the cells of a protocol by their columns, for each model and length."""
    rows: dict[tuple[str, int], dict[str, CellSummary]] = {}
    for cell in cells(test):
        rows.setdefault((cell.subject.model, number(cell, length)), {})[column(cell)] = cell
    return dict(sorted(rows.items()))


def lines() -> str:
    """Return the accuracies of line retrieval: a length per column, a row for each model and order."""
    found = by_length("line_retrieval", "lines", order)
    lengths = sorted({length for _, length in found})
    rows = []
    for model in dict.fromkeys(model for model, _ in found):
        for name in ORDERS:
            row = [found[model, length].get(name) if (model, length) in found else None for length in lengths]
            trials = [cell.rate.n for cell in row if cell]
            rates = [f"{cell.rate.rate:.2f}" if cell else NONE for cell in row]
            rows.append([f"{model}, {name}", *rates, f"{min(trials)} to {max(trials)}"])
    return table(["lines", *(f"{length:,}" for length in lengths), "n"], rows)


def long(test: str, length: str, column: Callable[[CellSummary], str], columns: Sequence[str]) -> str:
    """Return the accuracies of a protocol at the lengths of the profile `long`."""
    rows = []
    for (model, size), of in by_length(test, length, column).items():
        if size >= LONG[length]:
            found = [of[name] for name in columns]
            rates = [str(cell.rate).partition(" n=")[0] for cell in found]
            best = [str(constant_of(found) or NONE)] if found[0].choices else []
            rows.append([model, f"{size:,}", f"{found[0].tokens:,}", str(found[0].rate.n), *rates, *best])
    constant = ["best constant answer"] if rows and len(rows[0]) > len(columns) + 4 else []
    return table(["model", length, "tokens", "trials", *columns, *constant], rows)


def long_lines() -> str:
    return long("line_retrieval", "lines", order, [*ORDERS, *(f"blocks of {size}" for size in (10, 50, 100))])


def long_collages() -> str:
    return long("collage", "budget", place, [*PLACES.values()])


def picture() -> str:
    """Return the picture of line retrieval by length."""
    found = by_length("line_retrieval", "lines", order)
    marks = [
        PlotMark(length, cell.rate.rate, (cell.rate.lo, cell.rate.hi), f"{model}, {name}", f"{length:,}: {cell.rate}")
        for (model, length), of in found.items()
        for name, cell in of.items()
        if name in ORDERS
    ]
    tokens = {length: of["ordered"].tokens for (_, length), of in found.items() if length >= LONG["lines"]}
    longest = ", ".join(f"{round(tokens[length], -2):,}" for length in sorted(tokens))
    plot = Plot(marks=marks, x=f"lines; the longest three have {longest} tokens")
    title = "Line retrieval: accuracy by length, 95% intervals"
    chart = Chart("line-retrieval", "line_retrieval", title, plot, Table(title, (), ()))
    drawn = draw(chart, numbers_of(model for model, _ in found), WIDTH)
    return standing_alone(drawn, title, colours("light"))


def long_passkeys() -> str:
    found: dict[tuple[str, int], list[CellSummary]] = {}
    for cell in recorded("long").cells:
        if cell.test == "passkey":
            found.setdefault((cell.subject.model, number(cell, "window")), []).append(cell)
    rows = []
    for (model, window), of in sorted(found.items()):
        right, trials = (sum(getattr(cell.rate, name) for cell in of) for name in ("correct", "n"))
        tokens = f"{round(sum(cell.tokens for cell in of) / len(of)):,}"
        rows.append(
            [model, f"{window:,}", tokens, str(trials), f"{right} of {trials}", windows().get((model, window), NONE)]
        )
    return table(["model", "window", "tokens", "trials", "found", "k_max [95%]"], rows)


def qa() -> str:
    """Return the accuracies of long-context QA: of each model, the controls, then a row for each record and prompt.

    A row has the number of its questions, those of a filter marked, and the best constant answer to them if notable.
    """
    found: dict[tuple[str, int, int, str], dict[str, CellSummary]] = {}
    for cell in cells("control"):
        found[cell.subject.model, 0, len(found), RECORDS[str(cell.params["record"])]] = {PLACES[0]: cell}
    for cell in cells("collage"):
        budget, variant = number(cell, "budget"), list(EXAMPLES).index(str(cell.params["variant"]))
        earlier = 0 if cell.params.get("letters") else 1
        if budget >= LONG["budget"]:  # in the other page, with their tokens
            continue
        shown = f"{budget:,}, {list(EXAMPLES.values())[variant]}{'' if earlier else NEW}"
        found.setdefault((cell.subject.model, budget, 2 * variant + earlier, shown), {})[place(cell)] = cell
    rows = []
    for (model, _, _, shown), of in sorted(found.items(), key=lambda entry: entry[0][:3]):
        constant = constant_of([*of.values()])
        numbers = [cell.rate.n for cell in of.values()]
        asked = " to ".join(f"{n:g}" for n in dict.fromkeys([min(numbers), max(numbers)]))
        passed = FILTERED if any(cell.params.get("filter_asked") for cell in of.values()) else ""
        rates = (str(of[name].rate).partition(" n=")[0] if name in of else NONE for name in PLACES.values())
        label = f"{shown} ({constant})" if constant else shown
        rows.append([model.rpartition("-")[2], label, f"{asked}{passed}", *rates])
    return table(["model", "record (tokens), examples", "questions", *PLACES.values()], rows)


def claims(test: str) -> str:
    """Return what a source claims, and whether it holds of each model that was asked as text."""
    rows: dict[tuple[str, str], list[str]] = {}
    for profile, names in PROFILES.items():
        for found in tables(recorded(profile)) if test in names else ():
            for entry in found.frame.reset_index().to_dict("records") if found.title.endswith("claims") else ():
                key = str(entry["model"]), str(entry["claim"])
                if found.test == test and entry.get("shape", "text") in ("", "text") and key not in rows:
                    rows[key] = [*key, *(str(entry[name]) for name in JUDGED)]
    return table(["model", "claim", *JUDGED], list(rows.values()))


JUDGED = ("verdict", "measured [95%]", "n", "unparseable")


@cache
def prices() -> str:
    rows = []
    for source, (chosen, profile, names) in RUNS.items():
        run = Run(profile, PRICED, root=HERE.root, say=lambda _: None)
        found = run.estimate([cell for cell in run.plan.cells if cell.point.test in names])
        price = sum((each.price for each in found if each.price), Price(0, 0, 0))
        trials = sum(each.trials for each in found)
        command = f"`-k {chosen} --ctx-profile={profile}`"
        rows.append([source, command, f"{trials:,}", f"${price.cached:,.2f}", f"${price.batch:,.2f}"])
    return table(["source", "options", "trials", "with the prompt cache", "in batches, without it"], rows)


WRITTEN: dict[Path, dict[str, Callable[[], str]]] = {
    SOURCES: {
        "prices": prices,
        "lines": lines,
        "qa": qa,
        "line_claims": lambda: claims("line_retrieval"),
        "passkey_claims": lambda: claims("passkey"),
        "qa_claims": lambda: claims("collage"),
    },
    CASSETTES: {"lines": long_lines, "passkey": long_passkeys, "qa": long_collages},
}
"""The parts of the pages that are made here."""


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, made in WRITTEN.items() for name in made])
def test_the_pages_have_what_was_recorded_and_what_it_costs(page: Path, name: str) -> None:
    assert block(page, name) == WRITTEN[page][name]()


def test_the_picture_shows_what_was_recorded() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture()


def test_the_reduced_profile_costs_a_tenth() -> None:
    whole, reduced = (float(row.split("$")[-1].strip(" |").replace(",", "")) for row in prices().splitlines()[-2:])
    assert 0.08 < reduced / whole < 0.1


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    for page, parts in WRITTEN.items():
        write_blocks(page, {name: made() for name, made in parts.items()})
