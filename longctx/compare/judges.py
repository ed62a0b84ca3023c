"""The judge of a test function compared with human labels, and its accuracy without the judge's errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from longctx.results.grouping import grouped
from longctx.results.row import AGREEMENT, GRADED, Row, Subject
from longctx.stats.judge_errors import JudgeErrors, Limited, kappa, limited
from longctx.stats.rates import NO_RATE, Rate, rate_of
from longctx.vocabulary.point import is_check, name_of_test


@dataclass(frozen=True, slots=True)
class GradedTest:
    """A test function of one subject that a judge grades."""

    test: str
    """The function's, or that of the check that the judge's word decides where it does not decide the trial."""
    subject: Subject
    shown: Rate
    """The accuracy by the judge."""
    agreement: Rate = NO_RATE
    """How often the judge agrees with the label."""
    kappa: Limited = (0.0, -1.0, 1.0)
    errors: JudgeErrors = field(default_factory=JudgeErrors)
    """The judge's error rates; without labels unless the judge alone decides the trial or a check."""

    @property
    def function(self) -> str:
        return name_of_test(self.test)

    @property
    def accuracy(self) -> Limited:
        """The accuracy without the judge's errors."""
        return self.errors.accuracy(limited(self.shown))

    def needed(self, within: float) -> int | None:
        """Return how many labels determine the accuracy to within `within`; None if that is not known."""
        return self.errors.needed(self.shown.rate, within)

    def known(self, within: float) -> bool:
        """Return whether there are as many."""
        needed = self.needed(within)
        return needed is not None and self.errors.labels >= needed


def graded_tests(rows: Sequence[Row]) -> tuple[GradedTest, ...]:
    """Return the tests of a run that a judge grades, in the order of its rows."""
    graded = [row for row in rows if row.measured and said_by_judge(row) is not None]
    functions = grouped(graded, lambda row: (row.test, row.subject))
    return tuple(
        _graded(trials, [row for row in rows if row.subject == subject and row.test.startswith(f"{function}.")])
        for (function, subject), trials in functions.items()
    )


def errors_of(test: str, rows: Sequence[Row]) -> JudgeErrors | None:
    """Return the errors of the judge of a test or check; None if unknown from the labels. rows: those of a function."""
    return next((judged.errors for judged in graded_tests(rows) if judged.test == test and judged.errors.usable), None)


def _graded(trials: Sequence[Row], checks: Sequence[Row]) -> GradedTest:
    said = {_trial(row): said_by_judge(row) for row in trials}
    by_check = grouped(checks, lambda row: row.test)
    labelled = by_check.pop(f"{trials[0].test}.{AGREEMENT}", [])
    pairs = [(row, *pair) for row in labelled for pair in _pairs(row)]
    same = Rate.of((*row.identified, word == label) for row, word, label in pairs)
    judged = GradedTest(
        trials[0].test,
        trials[0].subject,
        rate_of(trials),
        same,
        kappa([(word, label) for _, word, label in pairs], same),
    )
    for test in (trials, *by_check.values()) if pairs else ():
        if right := _right([(said.get(_trial(row), ""), row.credit) for row in test]):
            on_right, on_wrong = (
                Rate.of(
                    (*row.identified, (word in right) != (label in right))
                    for row, word, label in pairs
                    if (label in right) == is_right
                )
                for is_right in (True, False)
            )
            errors = JudgeErrors(on_right, on_wrong)
            return GradedTest(test[0].test, judged.subject, rate_of(test), same, judged.kappa, errors)
    return judged


def _right(graded: Sequence[tuple[str | None, float]]) -> set[str]:
    """Return the words of the judge that make a trial right; none if they do not decide it, or it never varies."""
    credits: dict[str | None, set[float]] = {}
    for word, credit in graded:
        credits.setdefault(word, set()).add(credit)
    decides = None not in credits and "" not in credits and {*map(tuple, credits.values())} == {(0,), (1,)}
    return {word for word, credit in credits.items() if word and credit == {1}} if decides else set()


def said_by_judge(row: Row) -> str | None:
    """Return the word by which a judge graded a trial: empty if that is not one word, and None without a judge."""
    if is_check(row.test):
        return None
    word = next((name for name in row.trace if name.startswith(GRADED)), None)
    return word if word is None else word.removeprefix(GRADED).removeprefix(": ").casefold()


def _pairs(row: Row) -> Iterator[tuple[str, str]]:
    """Yield what the judge said and the label of each labelled answer of a trial; none if a run keeps no text."""
    said, labels = ((text or "").casefold().split("; ") for text in (row.returned, row.expected))
    if len(said) == len(labels) and row.returned and row.expected:
        yield from zip(said, labels, strict=True)


def _trial(row: Row) -> tuple[object, ...]:
    return row.cell, row.seed, row.trial, row.item, row.repeat
