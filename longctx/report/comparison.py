"""Runs side by side, as sentences and tables: the first is the reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from longctx.compare.runs import Change, Comparison, Flip, Versus
from longctx.report.document import Document
from longctx.report.table import Table
from longctx.results.subject import Subject

LONGEST = 80
"""Characters shown of what was returned."""

Against = Sequence[tuple[str, Comparison]]
"""The name of each other run, and how it compares with the reference."""


def comparison(reference: str, others: Against, about: Sequence[str], flips: int) -> Document:
    """about: sentences on what each name stands for. flips: how many to list of each family, 0 for none."""
    notes = [
        *about,
        "A rate is of all that a run measured of a scenario; a difference, of the trials that both measured.",
        *_notes(reference, others),
    ]
    title = f"{' and '.join(name for name, _ in others)} against {reference}"
    return Document(title, tuple(notes), tuple(_tables(reference, others, flips)))


def _tables(reference: str, others: Against, flips: int) -> Iterator[Table]:
    """All families together, where there are several; then each with its scenarios and what changed."""
    groups: dict[tuple[str, Subject], list[tuple[str, Versus]]] = {}
    for name, found in others:
        for one in found.versus:
            groups.setdefault((one.family, one.before), []).append((name, one))
    if len(groups) > 1:
        rows = [
            {
                "family": family,
                "of": _who(reference, group),
                **_cells(reference, [(name, one.total) for name, one in group]),
            }
            for (family, _), group in groups.items()
        ]
        yield Table("All families: rate [95% interval]", _frame(rows))
    for (family, _), group in groups.items():
        yield Table(f"{family}, {_who(reference, group)}: rate [95% interval]", _scenarios(reference, group))
        for name, one in group:
            if one.flips and flips:
                yield _flips(reference, name, one, flips)


def _scenarios(reference: str, group: Sequence[tuple[str, Versus]]) -> pd.DataFrame:
    changes: dict[str, list[tuple[str, Change]]] = {}
    for name, one in group:
        for change in one.scenarios:
            changes.setdefault(change.scenario, []).append((name, change))
    changes["all"] = [(name, one.total) for name, one in group]
    return _frame([{"scenario": scenario, **_cells(reference, found)} for scenario, found in changes.items()])


def _cells(reference: str, changes: Sequence[tuple[str, Change]]) -> dict[str, str]:
    """The cells of one scenario, or of one family."""
    cells = {reference: " / ".join(dict.fromkeys(str(one.before) for _, one in changes))}
    for name, one in changes:
        cells[name] = str(one.after)
        cells[f"{name} - {reference}"] = f"{one.paired}{' *' if one.clustered else ''}"
        cells[f"{name} gained"] = str(one.paired.gained)
        cells[f"{name} lost"] = str(one.paired.lost)
    return cells


def _frame(rows: Sequence[dict[str, str]]) -> pd.DataFrame:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return pd.DataFrame(rows, columns=columns, dtype=object).fillna("").set_index(columns[0])


def _flips(reference: str, name: str, versus: Versus, limit: int) -> Table:
    shown = versus.flips[:limit]
    frame = pd.DataFrame(
        {
            "trial": [f"{versus.family}/{one.scenario}#{one.trial}{_besides(one)}" for one in shown],
            "change": [f"{one.before[0]} -> {one.after[0]}" for one in shown],
            "expected": [_short(one.expected) for one in shown],
            f"{reference} returned": [_short(one.before[1]) for one in shown],
            f"{name} returned": [_short(one.after[1]) for one in shown],
        },
        dtype=object,
    ).set_index("trial")
    rest = len(versus.flips) - len(shown)
    more = f"; {rest} more, --flips {len(versus.flips)} lists all" if rest else ""
    title = f"Changed answers, {versus.family}, {_who(reference, [(name, versus)])}{more}"
    return Table(title, frame, said=("expected", f"{reference} returned", f"{name} returned"))


def _besides(flip: Flip) -> str:
    found = {"seed": flip.seed, "repeat": flip.repeat, "item": flip.item}
    return "".join(f" {name} {value}" for name, value in found.items() if value)


def _short(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _who(reference: str, group: Sequence[tuple[str, Versus]]) -> str:
    """The subject that all measured, or what each did."""
    before = group[0][1].before
    if all(one.after == before for _, one in group):
        return str(before)
    return "; ".join([f"{reference}: {before}", *(f"{name}: {one.after}" for name, one in group)])


def _notes(reference: str, others: Against) -> Iterator[str]:
    for name, found in others:
        for one in found.versus:
            if one.before.prompt_set == one.after.prompt_set and len(set(one.digests)) > 1:
                yield (
                    f"{one.family}: the prompts {one.before.prompt_set!r} are in other words in {name} "
                    f"({one.digests[1]}) than in {reference} ({one.digests[0]})."
                )
            for who, number in zip((reference, name), one.alone, strict=True):
                if number:
                    yield f"{one.family}: {_trials(number)} only {who} measured, not paired ({one.before})."
            if one.mismatched:
                yield (
                    f"{one.family}: {_trials(one.mismatched)} expect other answers in {name} than in {reference}, so "
                    "they ask something else (another version of the suite, or other documents); not paired."
                )
        for who, left in zip((reference, name), found.left, strict=True):
            for family, subject, number in left:
                yield f"{family}: {subject} was measured by {who} only ({_trials(number)}), compared with nothing."
    if any(change.clustered for _, found in others for one in found.versus for change in (one.total, *one.scenarios)):
        yield "*: some questions are asked more than once in it; the interval takes trials for independent: too narrow."


def _trials(number: int) -> str:
    return f"{number:,} {'trial' if number == 1 else 'trials'}"
