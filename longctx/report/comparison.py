"""The comparison of runs with a reference run, in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.compare.runs import CellChange, Comparison, Flip, SubjectComparison
from longctx.report.comparison_lines import comparison_lines
from longctx.report.document import Document
from longctx.report.usage_table import trials
from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.stats.averaged import Averaged
from longctx.stats.unpaired import Unpaired
from longctx.text import count, visible
from longctx.views.chart import Chart, Plot, PlotMark, Table

LONGEST = 80
"""The most characters that are shown of an answer."""
COLUMNS = "test", "of", "accuracy", "cell", "difference", "gained", "lost"
"""The columns of the tables besides those of the runs, whose names must be others."""

Others = Sequence[tuple[str, Comparison]]
"""The name of each other run, and its comparison with the reference."""


def comparison(reference: str, others: Others, about: Sequence[str], flips: int) -> Document:
    """Return the comparison in words.

    reference: the name of the reference run. about: sentences on what each name stands for. flips: the most changed
    answers to list of each test; 0 for none.
    """
    uncompared = list(_notes(reference, others))
    notes = [
        *about,
        "A rate is over all trials that a run measured; a difference is over the trials that both runs measured.",
        *uncompared,
    ]
    title = f"{' and '.join(name for name, _ in others)} against {reference}"
    brief = comparison_lines(title, about, reference, others, len(uncompared))
    return Document(title, tuple(notes), tuple(_tables(reference, others, flips)), brief=brief)


def changes(others: Others) -> Chart | None:
    """Return the change of accuracy of each test, or of each cell of a single one, in percentage points."""
    compared = [(name, versus) for name, comparison in others for versus in comparison.versus]
    single = len({(versus.test, versus.before) for _, versus in compared}) == 1
    marks = []
    for name, versus in compared:
        subject = versus.after if single or len({other.after for _, other in compared}) == 1 else None
        title = versus.test if subject else f"{versus.test}, {versus.after}"
        cells = {change.cell: change for change in versus.cells} if single else {}
        rows = cells | {f"{title}, {change.cell}": change for change in _pooled(versus, beside_cells=single)}
        for row, change in rows.items():
            if not change.paired.n:
                continue
            low, high = (100 * end for end in change.paired.interval())
            shift = 100 * change.paired.difference
            text = f"{shift:+.1f} [{low:+.1f}, {high:+.1f}]"
            way = "a significant drop" if high < 0 else "a significant gain" if low > 0 else "not significant"
            marks.append(
                PlotMark(
                    row,
                    shift,
                    (low, high),
                    series=name if len(others) > 1 else way,
                    say=f"{row}, {name}: {text}, n={change.paired.n:,}",
                    text=text,
                )
            )
    colours = {"a significant drop": "var(--bad)", "a significant gain": "var(--good)", "not significant": SOFT}
    plot = Plot(
        marks=marks,
        kind="rows",
        value="change of accuracy, percentage points",
        ends=None,
        lines=[(0.0, "no change")],
        colours=colours if len(others) == 1 else {},
    )
    title = "Change of accuracy on the same trials [95% interval]"
    return Chart("changes", "", title, plot, Table(title, (), ())) if marks else None


def change_title(title: str, others: Others) -> str:
    """Return the title of a comparison's page: its sides, and what all compared subjects differ in."""
    pairs = [(versus.before, versus.after) for _, comparison in others for versus in comparison.versus]
    named = dict.fromkeys("; ".join(_differ(*pair)) for pair in pairs)
    return f"{title}: {difference}" if len(named) == 1 and (difference := next(iter(named))) else title


def _differ(before: Subject, after: Subject) -> Iterator[str]:
    for name, was, now in (
        ("model", before.model, after.model),
        ("prompts", before.prompt_set, after.prompt_set),
        ("", before.label or "none", after.label or "none"),
    ):
        if was != now:
            yield f"{name} {was} → {now}".strip()


SOFT = "var(--ink-soft)"


def _tables(reference: str, others: Others, flips: int) -> Iterator[Table]:
    """Yield a table of all tests, if there are several; then, for each, its cells and its changed answers."""
    named = ((name, versus) for name, compared in others for versus in compared.versus)
    groups = grouped(named, lambda pair: (pair[1].test, pair[1].before))
    if len(groups) > 1:
        rows = [
            {
                "test": test,
                "of": _who(reference, group),
                "accuracy": pool,
                **_cells(reference, changes, len(others) == 1),
            }
            for (test, _), group in groups.items()
            for pool, changes in _by_pool(group).items()
        ]
        if rows:
            yield Table.from_rows("What the first table of a run states: accuracy [95% interval]", rows)
    for (test, _), group in groups.items():
        yield _by_cell(reference, test, group, len(others) == 1)
        for name, versus in group:
            if versus.flips and flips:
                yield _flips(reference, name, versus, flips)


def _by_pool(
    group: Sequence[tuple[str, SubjectComparison]], *, beside_cells: bool = False
) -> dict[str, list[tuple[str, CellChange]]]:
    named = ((name, change) for name, versus in group for change in _pooled(versus, beside_cells=beside_cells))
    return grouped(named, lambda pair: pair[1].cell)


def _pooled(versus: SubjectComparison, *, beside_cells: bool) -> list[CellChange]:
    """Return the changes of what the first table states; beside_cells: only those of several cells."""
    return [change for change in versus.pooled if not beside_cells or len(change.of) > 1]


def _by_cell(reference: str, test: str, group: Sequence[tuple[str, SubjectComparison]], single: bool) -> Table:
    named = ((name, change) for name, versus in group for change in versus.cells)
    changes = grouped(named, lambda pair: pair[1].cell)
    changes |= _by_pool(group, beside_cells=True)
    rows = [{"cell": cell, **_cells(reference, cell_changes, single)} for cell, cell_changes in changes.items()]
    return Table.from_rows(f"{test}, {_who(reference, group)}: accuracy [95% interval]", rows)


def _cells(reference: str, changes: Sequence[tuple[str, CellChange]], single: bool) -> dict[str, str]:
    """Return the cells of a cell or a test. changes: its change in each run. single: whether there is only one."""
    cells = {reference: " / ".join(dict.fromkeys(str(change.before) for _, change in changes))}
    for name, change in changes:
        cells[name] = str(change.after)
        cells["difference" if single else f"{name} - {reference}"] = str(change.paired)
        if not isinstance(change.paired, Unpaired):
            of = "" if single else f"{name} "
            cells[f"{of}gained"], cells[f"{of}lost"] = trials(change.paired.gained), trials(change.paired.lost)
    return cells


def _flips(reference: str, name: str, versus: SubjectComparison, limit: int) -> Table:
    shown = versus.flips[:limit]
    texts = {
        "expected": [_short(flip.expected) for flip in shown],
        f"{reference} returned": [_short(flip.before.returned) for flip in shown],
        f"{name} returned": [_short(flip.after.returned) for flip in shown],
    }
    kept = {heading: column for heading, column in texts.items() if any(column)}
    columns = {
        "trial": [f"{versus.test}/{flip.cell}#{flip.name}{_further_key(flip)}" for flip in shown],
        "change": [f"{flip.before.outcome} -> {flip.after.outcome}" for flip in shown],
        **kept,
    }
    hidden = len(versus.flips) - len(shown)
    more = f"; {hidden} more, --flips {len(versus.flips)} lists all" if hidden else ""
    title = f"Changed answers, {versus.test}, {_who(reference, [(name, versus)])}{more}"
    return Table.from_columns(title, columns, said=tuple(kept))


def _further_key(flip: Flip) -> str:
    """Return the seed, repeat and item of a trial, each only if it is not 0 or None, and not in its name."""
    item = flip.item if flip.name == str(flip.trial) else None
    key = {"seed": flip.seed, "repeat": flip.repeat, "item": item}
    return "".join(f" {name} {value}" for name, value in key.items() if value)


def _short(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _who(reference: str, group: Sequence[tuple[str, SubjectComparison]]) -> str:
    """Return the subject that all runs measured, without what their names say; or that of each run if they differ."""
    before = group[0][1].before
    if all(versus.after == before for _, versus in group):
        return str(before)
    sides = [(reference, before), *((name, versus.after) for name, versus in group)]
    parts = [(of.model, f"prompts {of.prompt_set}", of.label) for _, of in sides]
    shared = [same[0] for same in zip(*parts, strict=True) if len(set(same)) == 1]
    own = [part for (name, _), of in zip(sides, parts, strict=True) for part in of if not _is_named(part, name)]
    if set(own) <= {*shared, ""}:
        return ", ".join(filter(None, shared))
    return "; ".join([f"{reference}: {before}", *(f"{name}: {versus.after}" for name, versus in group)])


def _is_named(part: str, name: str) -> bool:
    """Return whether a side's name says this part of its subject, such as a model."""
    return visible(part) in (name, f"prompts {name}") or visible(part).endswith(f"={name}")


def _notes(reference: str, others: Others) -> Iterator[str]:
    for name, compared in others:
        for versus in compared.versus:
            yield from _unpaired(reference, name, versus)
        for run, only_there in zip((reference, name), compared.unmatched, strict=True):
            for test, subject, number in only_there:
                yield f"{test}: only {run} measured {subject} ({count(number, 'trial')}), so it is not compared."
    versus_all = [versus for _, compared in others for versus in compared.versus]
    for test in dict.fromkeys(each.test for each in versus_all if each.shared and not each.pooled):
        yield f"{test}: the first table of a run states no accuracies of it, so only cells are compared."
    changes = [change for versus in versus_all for change in (*versus.pooled, *versus.cells)]
    if any(isinstance(change.paired, Averaged) and change.paired.several for change in changes):
        yield "Several answers to a trial count as their mean in a difference."


def _unpaired(reference: str, name: str, versus: SubjectComparison) -> Iterator[str]:
    """Yield a note if the wording of a test differs, and on the trials that are not paired."""
    test, before = versus.test, versus.before
    if before.prompt_set == versus.after.prompt_set and len(set(versus.digests)) > 1:
        yield (
            f"{test}: the prompt set {before.prompt_set!r} has another wording in {name} ({versus.digests.after}) than "
            f"in {reference} ({versus.digests.before})."
        )
    for differs, cells in grouped(versus.across, str).items():
        items = "the same items, paired" if cells[0].paired else "the items do not correspond, so unpaired"
        yield f"{test}: {differs} in {name}: {items}."
    for run, number in zip((reference, name), versus.alone, strict=True):
        if number:
            are = "is" if number == 1 else "are"
            yield f"{test}: {count(number, 'trial')}, which only {run} measured, {are} not paired ({before})."
    if versus.mismatched:
        yield (
            f"{test}: {count(versus.mismatched, 'trial')} expect other answers in {name} than in {reference}, or "
            "have another judge (another version of the suite, other documents, cases or labels); not paired."
        )
