"""Labels of the answers that a judge graded in two runs: which of them tell most, and what they make of the rows.

All pairs whose grade changed, or that are wrong twice, need labels, and RIGHT_TWICE of those that are right twice in
each band. With them the verdict holds whatever the judge's errors are (stats/labelled.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.compare.columns import credits_of
from longctx.compare.judges import said_by_judge
from longctx.compare.pairs import (
    ItemKey,
    Matched,
    Treatments,
    item_key,
    match_runs,
    pairs,
    unmeasured_if_rejudged,
)
from longctx.errors import UserError
from longctx.results.grouping import grouped
from longctx.results.labels import Labels
from longctx.results.row import Row, Subject
from longctx.stats.averaged import AnswerPair
from longctx.text import count
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import CREDIT, is_check, name_of_test

RIGHT_TWICE = 80
"""How many of the pairs of a band that a judge calls right in both runs are labelled."""
SHORT = 12
"""The characters of a digest that identify an answer; baselines keep as many of that of its request."""
TrialOfRun = tuple[object, ...]
RightTwiceOf = Mapping[tuple[str, Subject], Mapping[ItemKey, AnswerPair | None]]
"""The trials that a judge calls right twice, by test and later subject: their labels where they have some."""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The answers of two runs to a trial that a judge graded."""

    tests: tuple[str, ...]
    """The function, or the check that the judge's word decides, and the other checks with the same outcomes."""
    subjects: Both[Subject]
    rows: Both[Sequence[Row]]
    """The measured rows of the first of them."""

    @property
    def band(self) -> tuple[str, Subject, str]:
        return self.tests[0], self.subjects.after, str(self.rows.after[0].band)

    @property
    def right_twice(self) -> bool:
        """Whether the judge calls all of its answers right."""
        return all(row.correct for rows in self.rows for row in rows)

    @property
    def key(self) -> ItemKey:
        return item_key(self.rows.after[0])

    @property
    def place(self) -> tuple[str, str, ItemKey]:
        """What identifies it among the pairs of two runs."""
        return self.tests[0], str(self.subjects.after), self.key

    def id_of(self, row: Row) -> str:
        """Return what identifies one of its answers."""
        own = row.recorded_at, row.model_returned, row.repeat, (row.prompt_sha256 or "")[:SHORT], row.output_tokens
        return hashlib.sha256(repr((*self.place, own)).encode()).hexdigest()[:SHORT]

    @property
    def ids(self) -> list[str]:
        return [self.id_of(row) for rows in self.rows for row in rows]


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """The rows of two runs as people label them; those that a judge calls right in both runs are as it says."""

    rows: Both[Sequence[Row]]
    right_twice: RightTwiceOf


def judged_pairs(before: Sequence[Row], after: Sequence[Row]) -> list[JudgedPair]:
    """Return the pairs of two runs that a gate judges and a judge graded. Raises UserError as match_runs does."""
    matched = {(match.test, match.after): match for match in match_runs(before, after)[0]}
    return [
        pair
        for (test, subject), match in matched.items()
        if not is_check(test) and any(said_by_judge(row) for row in match.rows.after)
        for pair in _pairs_of(match, [of for key, of in matched.items() if _is_check_of(key, test, subject)])
    ]


def _is_check_of(key: tuple[str, Subject], test: str, subject: Subject) -> bool:
    return key[1] == subject and is_check(key[0]) and name_of_test(key[0]) == test


def _pairs_of(function: Matched, checks: Sequence[Matched]) -> Iterator[JudgedPair]:
    """Yield the pairs of a function that a judge grades, if its word alone decides the trial or a check."""
    said = {_trial(row): said_by_judge(row) for row in function.rows.after}
    credits = {
        of.test: {_trial(row): row.credit for row in of.rows.after if row.measured} for of in (function, *checks)
    }
    decided = [of for of in (function, *checks) if _decides(said, credits[of.test], varies=of is not function)]
    if not decided:
        return
    first = decided[0]
    tests = tuple(of.test for of in decided if credits[of.test] == credits[first.test])
    rows = first.rows.before, unmeasured_if_rejudged(*first.rows)
    for of_item in pairs(*rows, Treatments.of(None)).items.values():
        measured = Both[Sequence[Row]](*([row for row in side if row.measured] for side in of_item))
        if credits_of(measured) and measured.after[0].band is not None:
            yield JudgedPair(tests, Both(first.before, first.after), measured)


def _decides(said: Mapping[TrialOfRun, str | None], credits: Mapping[TrialOfRun, float], varies: bool) -> bool:
    """Return whether the judge's word decides a test. varies: whether it must have decided both ways.

    A trial that ended before the judge was asked has no word, and is wrong.
    """
    by_word: dict[str | None, set[float]] = {}
    for trial, credit in credits.items():
        by_word.setdefault(said.get(trial), set()).add(credit)
    before_it_was_asked = by_word.pop(None, {0})
    alone = before_it_was_asked == {0} and "" not in by_word and all(each in ({0}, {1}) for each in by_word.values())
    return alone and bool(by_word) and (not varies or {0, 1} == set().union(*by_word.values()))


def _trial(row: Row) -> TrialOfRun:
    return *item_key(row), row.repeat


def to_label(judged: Sequence[JudgedPair]) -> list[JudgedPair]:
    """Return the pairs that tell most: all but those that are right twice, of which RIGHT_TWICE of each band."""
    chosen: list[JudgedPair] = []
    for of_band in grouped(judged, lambda pair: pair.band).values():
        twice = [pair for pair in of_band if pair.right_twice]
        sample = sorted(twice, key=_lot)[:RIGHT_TWICE]
        chosen += [*(pair for pair in of_band if not pair.right_twice), *sample]
    return chosen


def _lot(pair: JudgedPair) -> str:
    return hashlib.sha256(f"labels/{pair.tests[0]}/{pair.key}".encode()).hexdigest()


def labelled_rows(before: Sequence[Row], after: Sequence[Row], labels: Labels) -> LabelledRows:
    """Return the rows of two runs as people label them. Raises UserError if the labels are not those of these runs."""
    judged = judged_pairs(before, after)
    to_have_labels = to_label(judged)
    _check(to_have_labels, labels)
    chosen = {pair.place for pair in to_have_labels}
    outcomes: Both[dict[tuple[object, ...], bool]] = Both({}, {})
    right_twice: dict[tuple[str, Subject], dict[ItemKey, AnswerPair | None]] = {}
    for pair in judged:
        by_people = Both(*([labels.right.get(pair.id_of(row)) for row in rows] for rows in pair.rows))
        for test in pair.tests:
            of_test = right_twice.setdefault((test, pair.subjects.after), {})
            if pair.right_twice:
                credits = by_people.map(lambda side: tuple([float(bool(right)) for right in side]))
                of_test[pair.key] = (credits.before, credits.after) if pair.place in chosen else None
                continue
            for found, rows, side in zip(outcomes, pair.rows, by_people, strict=True):
                found.update({(test, *row.identity[1:]): bool(right) for row, right in zip(rows, side, strict=True)})
    return LabelledRows(
        Both(
            *(
                [_relabelled(row, found.get(row.identity)) for row in rows]
                for rows, found in zip((before, after), outcomes, strict=True)
            )
        ),
        right_twice,
    )


def _relabelled(row: Row, right: bool | None) -> Row:
    if right is None or row.correct == right:
        return row
    trace = {name: number for name, number in row.trace.items() if name != CREDIT}
    return replace(row, outcome="correct" if right else "wrong", why=None if right else LABELLED_WRONG, trace=trace)


LABELLED_WRONG = "labelled wrong"
"""Why an answer is wrong that the judge calls right."""


def _check(chosen: Sequence[JudgedPair], labels: Labels) -> None:
    """Raise UserError unless these are the answers that have labels."""
    if not chosen:
        raise UserError(
            "nothing-to-label",
            f"{labels.source} has labels, but no judge's word alone decides a trial or a check of this run and its "
            "baseline: leave the file out.",
        )
    known = {answer for pair in chosen for answer in pair.ids}
    if strange := labels.right.keys() - known:
        raise UserError(
            "labels-of-another-run",
            f"{labels.source}: {len(strange):,} of {count(len(labels.right), 'label')} are of answers that are not to "
            "be labelled in this run and its baseline: write its own file with `longctx data labels RUN`.",
        )
    if absent := known - labels.right.keys():
        raise UserError(
            "labels-missing",
            f"{labels.source}: {len(absent):,} of {len(known):,} answers of this run have no label: restore their "
            "lines (`longctx data labels RUN` writes all), and label them.",
        )
