"""The tables of the alike texts: rates beside those of guessing, and what was given back instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from longctx.families.coreference import FAMILY
from longctx.families.coreference.returned import EXAMPLE, KIND, NEITHER, SUBJECT, Returned, of_all_windows, shape
from longctx.report.table import Table, pivot
from longctx.results.grouping import by_subject
from longctx.summary.summary import ScenarioSummary


def rates(scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[Table]:
    """Yield tables with a row for each number of alike texts and window."""
    measured = {(each.subject, each.needles, each.window): each for each in analysis}
    columns = ["needles", "window", "rate [95% interval]", "by guessing", "word for word", "MRCR's score"]
    for subject, group in by_subject(scenarios).items():
        rows = []
        for scenario in sorted(group, key=shape):
            (needles, window), rate = shape(scenario), scenario.rate
            texts = measured.get((subject, needles, window))
            exact, score = (f"{texts.exact:,} of {rate.correct:,}", f"{texts.mean_score:.2f}") if texts else ("", "")
            rows.append((str(needles), f"{window:,}", str(rate), f"{1 / needles:.2f}", exact, score))
        title = f"{FAMILY.title}, {subject}: rate [95% interval], and what guessing among the needles gives"
        yield Table(title, pd.DataFrame(rows, columns=columns).set_index("needles"))


def instead(analysis: Sequence[Returned]) -> Iterator[Table]:
    """Yield what was given back instead of the text that was asked for, by number of alike texts."""
    answered_wrong = [texts for texts in of_all_windows(analysis) if texts.wrong]
    for subject, group in by_subject(answered_wrong).items():
        cells = [
            (name, f"{texts.needles} needles", f"{count(texts):,}")
            for texts in group
            for name, count in INSTEAD.items()
        ]
        answers = sum(texts.wrong for texts in group)
        title = f"What {answers:,} wrong {'answer gives' if answers == 1 else 'answers give'} back: {subject}"
        yield Table(title, pivot(cells, "given back instead"), "coreference")


def _instance(where: Callable[[int, int, int], bool]) -> Callable[[Returned], int]:
    """Return a counter of the wrong answers that are another of the alike texts, by (asked, given, needles)."""

    def count(texts: Returned) -> int:
        pairs = ((asked, given, many) for (asked, given), many in texts.given.items() if asked != given)
        return sum(many for asked, given, many in pairs if where(asked, given, texts.needles))

    return count


def _other(which: str) -> Callable[[Returned], int]:
    return lambda texts: texts.others.get(which, 0)


first = _instance(lambda asked, given, needles: given == 1)
last = _instance(lambda asked, given, needles: given == needles)
INSTEAD: dict[str, Callable[[Returned], int]] = {
    "of the needles, the one before": _instance(lambda asked, given, needles: given == asked - 1),
    "an earlier one": _instance(lambda asked, given, needles: given < asked - 1),
    "the one after": _instance(lambda asked, given, needles: given == asked + 1),
    "a later one": _instance(lambda asked, given, needles: given > asked + 1),
    "(of these, the first of all)": first,
    "(of these, the last of all)": last,
    "the right one, badly copied": lambda texts: texts.badly_copied,
    f"another text {SUBJECT}": _other(SUBJECT),
    f"another text {KIND}": _other(KIND),
    f"another text {NEITHER}": _other(NEITHER),
    f"another text {EXAMPLE}": _other(EXAMPLE),
    "no text of the prompt": lambda texts: texts.nowhere,
}
