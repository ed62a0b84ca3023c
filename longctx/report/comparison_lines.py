"""What the terminal shows of a comparison at the usual verbosity: what the first table of a run states, side by side.

`-v` shows every cell, what is not compared, and the changed answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from longctx.compare.runs import CellChange, Comparison, SubjectComparison
from longctx.report.blocks import bare_table
from longctx.report.gate_lines import LOST_LINES, lost_line, one_line, taken_in_turn
from longctx.report.usage_table import trials
from longctx.report.verdict_blocks import CHANGE, LOST
from longctx.stats.unpaired import Unpaired
from longctx.text import count, visible
from longctx.views.chart import Table
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import in_words, is_check

MOST_ROWS = 20
"""The most rows of a table: those that changed significantly come first, then those of most trials."""


def comparison_lines(
    title: str, about: Sequence[str], reference: str, others: Sequence[tuple[str, Comparison]], notes: int
) -> str:
    """Return a comparison in few lines.

    about: sentences on what is compared. notes: how many sentences on trials that are not compared -v shows.
    """
    lines = [visible(line) for line in (title, *about)]
    for name, compared in others:
        lines += ["", *_side_by_side(reference, name, compared.versus, len(others) > 1)]
    what = [count(notes, "note")] * bool(notes) + ["every cell and changed answer"]
    return "\n".join([*lines, f"{', '.join(what)}: -v"])


def _side_by_side(reference: str, name: str, versus: Sequence[SubjectComparison], several: bool) -> Iterator[str]:
    stated = any(each.pooled for each in versus)
    every = [(each, change) for each in versus for change in (each.pooled if stated else each.cells) if change.paired.n]
    order = sorted(every, key=lambda entry: (not _is_significant(entry[1]), -entry[1].paired.n))
    chosen = order[:MOST_ROWS]
    subjects = Counter(each.test for each in versus)
    rows = [
        (_name(each, change, subjects[each.test] > 1), *_numbers(change))
        for each, change in every
        if (each, change) in chosen
    ]
    sides = _shortened(Both(reference, name))
    head = f"{name} against {reference}, same trials" if several else "same trials"
    if rows:
        yield bare_table(Table("", (head, *sides, CHANGE, LOST), tuple(rows)), right=tuple(sides))
    if more := len(every) - len(chosen):
        yield f"{count(more, 'more row')}, not significant or of fewer trials."
    lost = [[(each.test, flip) for flip in each.flips if flip.lost] for each in versus if not is_check(each.test)]
    shown = taken_in_turn([of_test for of_test in lost if of_test], LOST_LINES)
    for test, flip in shown:
        before, after = (side.returned or side.outcome for side in (flip.before, flip.after))
        yield lost_line(f"{test}/{flip.cell}#{flip.name}", before, after)
    if (rest := sum(map(len, lost)) - len(shown)) > 0:
        yield f"… {rest:,} more lost"


def _is_significant(change: CellChange) -> bool:
    low, high = change.paired.interval()
    return high < 0 or low > 0


def _name(versus: SubjectComparison, change: CellChange, several: bool) -> str:
    parts = [in_words(versus.test), *([str(versus.before)] if several else [])]
    return one_line(", ".join([*parts, *([change.cell] if change.cell else [])]))


def _numbers(change: CellChange) -> tuple[str, ...]:
    paired = change.paired
    low, high = (100 * end for end in paired.interval())
    points = f"{100 * paired.difference:+.1f} [{low:+.1f}, {high:+.1f}]"
    if isinstance(paired, Unpaired):
        lost = "unpaired"
    else:
        lost = f"{trials(paired.lost)} / {trials(paired.gained)} of {paired.n:,}"
    return f"{change.before.rate:.2f}", f"{change.after.rate:.2f}", points, lost


def _shortened(names: Both[str]) -> Both[str]:
    """Return the names of both sides without what they begin with alike, such as `0.5b` and `1.5b`."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*names, strict=False))
    start = "".join(letter for letter, _ in same).rfind("-") + 1
    return names.map(lambda name: name[start:]) if all(name[start:] for name in names) else names
