"""The tables of the alike texts: rates beside what guessing gives, and what came back instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from longctx.families.coreference.returned import KIND, NEITHER, SUBJECT, Returned, of_all_windows, shape
from longctx.report.table import Table, by_subject, pivot
from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary


def rates(scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[Table]:
    """A row for each number of alike texts and window."""
    known = {(one.subject, one.needles, one.window): one for one in analysis}
    for subject, group in by_subject(scenarios).items():
        rows = []
        for one in sorted(group, key=shape):
            needles, window = shape(one)
            measured = known.get((subject, needles, window))
            exact = f"{measured.exact:,} of {one.rate.correct:,}" if measured else ""
            score = f"{measured.mean_score:.2f}" if measured else ""
            rows.append((str(needles), f"{window:,}", str(one.rate), f"{1 / needles:.2f}", exact, score))
        columns = ["alike", "window", "rate [95% interval]", "by guessing", "word for word", "MRCR's score"]
        title = f"Which of several alike, {subject}: rate [95% interval], and what guessing among the alike gives"
        yield Table(title, pd.DataFrame(rows, columns=columns).set_index("alike"))


def instead(analysis: Sequence[Returned]) -> Iterator[Table]:
    """What came back in place of the text that was asked for, by number of alike texts."""
    groups: dict[Subject, list[Returned]] = {}
    for one in of_all_windows(analysis):
        if one.wrong:
            groups.setdefault(one.subject, []).append(one)
    for subject, group in groups.items():
        cells = [(name, f"{one.needles} alike", f"{count(one):,}") for one in group for name, count in INSTEAD.items()]
        answers = sum(one.wrong for one in group)
        title = f"What {answers:,} wrong {'answer gives' if answers == 1 else 'answers give'} back: {subject}"
        yield Table(title, pivot(cells, "given back instead"), "coreference")


def placed(*, where: Callable[[int, int, int], bool]) -> Callable[[Returned], int]:
    """Counts the wrong answers that are another of the alike texts, by where it stands: (asked, given, needles)."""

    def count(one: Returned) -> int:
        return sum(
            many for (asked, given), many in one.given.items() if asked != given and where(asked, given, one.needles)
        )

    return count


def _other(which: str) -> Callable[[Returned], int]:
    return lambda one: one.others.get(which, 0)


INSTEAD: dict[str, Callable[[Returned], int]] = {
    "of the alike, the one before": placed(where=lambda asked, given, _: given == asked - 1),
    "an earlier one": placed(where=lambda asked, given, _: given < asked - 1),
    "the one after": placed(where=lambda asked, given, _: given == asked + 1),
    "a later one": placed(where=lambda asked, given, _: given > asked + 1),
    "(of these, the first of all)": placed(where=lambda asked, given, _: given == 1),
    "(of these, the last of all)": placed(where=lambda asked, given, needles: given == needles),
    f"another text {SUBJECT}": _other(SUBJECT),
    f"another text {KIND}": _other(KIND),
    f"another text {NEITHER}": _other(NEITHER),
    "no text of the conversation": lambda one: one.nowhere,
}
