"""The report of coreference: what wrong answers give back, and which of the alike texts was given back for which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from longctx import Answers, Causes, Chart, Plot, PlotMark, Report, Row, Table
from longctx.protocols.conversation import ordinal
from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.views.answers import together
from longctx.vocabulary.report import Rank

ANOTHER, BADLY_COPIED, NO_TEXT = "another of the needles", "the right one, badly copied", "no text of the prompt"
OTHER = "another text "
OTHER_TEXTS = SAME_SUBJECT, SAME_KIND, NEITHER, EXAMPLE = (
    f"{OTHER}about the same subject",
    f"{OTHER}of the same kind",
    f"{OTHER}of another kind and subject",
    f"{OTHER}of the examples",
)
"""What wrong answers return."""


def given_back(analysis: Sequence[Answers]) -> Iterator[Chart]:
    """Yield a chart for each subject and number of alike texts, over all windows."""
    groups = grouped(analysis, lambda answers: (answers.subject, int(answers.params["needles"])))
    for number, ((subject, needles), group) in enumerate(groups.items(), start=1):
        if counts := given_for_asked(together(group)):
            yield _heat_map(subject, needles, counts, number)


def _heat_map(subject: Subject, needles: int, counts: dict[tuple[int, int], int], number: int) -> Chart:
    """Return the heat map of what was given back (across) for what was asked (down)."""
    names = [ordinal(place) for place in range(1, needles + 1)]
    marks = []
    for asked, name in enumerate(names, start=1):
        numbers = [counts.get((asked, given), 0) for given in range(1, needles + 1)]
        for other, given in zip(names, numbers, strict=True):
            share = given / sum(numbers) if given else 0.0
            say = f"asked for the {name}, the {other} was given: {given:,}"
            marks.append(PlotMark(other, share, series=f"asked for {name}", say=say, text=f"{given:,}"))
    title = f"Which of {needles} needles was given back: {subject}"
    cells = [(mark.series.removeprefix("asked for "), str(mark.x), mark.text) for mark in marks]
    plot = Plot(marks=marks, kind="heat", x="given back", value="share")
    return Chart(f"coreference-given-{number}", "", title, plot, Table.pivot(title, cells, "asked for"))


def given_for_asked(answers: Answers) -> Counter[tuple[int, int]]:
    """Count the answers that give back one of the alike texts, well or badly, by (asked for, given back)."""
    return _pairs(row for row in answers.rows if row.outcome in ("correct", "wrong"))


def _pairs(rows: Iterable[Row], given: str = "given") -> Counter[tuple[int, int]]:
    return Counter((row.trace["asked"], row.trace[given]) for row in rows if given in row.trace)


def _listed(pairs: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    return [{"asked": asked, "given": given, "trials": number} for (asked, given), number in sorted(pairs.items())]


def _instead(row: Row) -> str | None:
    """Name what a wrong answer gives back."""
    if row.outcome != "wrong":
        return None
    if "given" in row.trace:
        return BADLY_COPIED if row.trace["given"] == row.trace["asked"] else ANOTHER
    if "same_kind" in row.trace:
        return SAME_SUBJECT if row.trace["same_subject"] else SAME_KIND if row.trace["same_kind"] else NEITHER
    return EXAMPLE if "example" in row.trace else NO_TEXT


def _is(cause: str) -> Callable[[Row], bool]:
    return lambda row: _instead(row) == cause


def _others(answers: Answers, held: Callable[[int, int, int], bool]) -> int:
    """Count the wrong answers that are another of the alike texts of which this is true: (asked, given, needles)."""
    traces = ((row.trace, int(row.params["needles"] or 0)) for row in answers.rows if _instead(row) == ANOTHER)
    return sum(held(trace["asked"], trace["given"], needles) for trace, needles in traces)


def _first_and_last(answers: Answers) -> str:
    first = _others(answers, lambda asked, given, needles: given == 1)
    last = _others(answers, lambda asked, given, needles: given == needles)
    return f"{first:,} of them the first and {last:,} the last"


def _exact(answers: Answers) -> int:
    return sum(row.trace["exact"] for row in answers.rows if row.outcome == "correct")


def _score(answers: Answers) -> float:
    return answers.total("score") / 1000 / answers.n


def _codes_left_out(answers: Answers) -> Iterator[tuple[Rank, str]]:
    if pairs := _pairs(answers.rows, "without_code"):
        right = sum(number for (asked, given), number in pairs.items() if asked == given)
        yield (
            Rank.UNUSABLE,
            f"{pairs.total():,} of {answers.n:,} replies give back one of the needles without the code that must come "
            f"first, {right:,} of these the right one",
        )


REPORT = Report(
    x="window",
    axis="window, tokens",
    series=lambda params: f"{params['needles']} needles",
    guessing=lambda params: 1 / params["needles"],
    by=("needles", "window"),
    columns={
        "by guessing": lambda answers: f"{1 / answers.params['needles']:.2f}",
        "word for word": lambda answers: f"{_exact(answers):,} of {answers.rate().correct:,}",
        "MRCR's score": lambda answers: f"{_score(answers):.2f}",
    },
    causes=Causes(
        {cause: _is(cause) for cause in (ANOTHER, BADLY_COPIED, *OTHER_TEXTS, NO_TEXT)},
        title="what wrong answers give back",
        columns={
            "the needle before": lambda answers: _others(answers, lambda asked, given, _: given == asked - 1),
            "an earlier one": lambda answers: _others(answers, lambda asked, given, _: given < asked - 1),
            "the one after": lambda answers: _others(answers, lambda asked, given, _: given == asked + 1),
            "a later one": lambda answers: _others(answers, lambda asked, given, _: given > asked + 1),
        },
        details={ANOTHER: _first_and_last},
    ),
    findings=_codes_left_out,
    data=lambda answers: {
        "needles": answers.params["needles"],
        "window": answers.params["window"],
        "trials": answers.n,
        "guess": 1 / answers.params["needles"],
        "score": _score(answers),
        "exact": _exact(answers),
        "given": _listed(given_for_asked(answers)),
        "badly_copied": answers.count(_is(BADLY_COPIED)),
        "without_code": _listed(_pairs(answers.rows, "without_code")),
        "others": {cause.removeprefix(OTHER): number for cause in OTHER_TEXTS if (number := answers.count(_is(cause)))},
        "nowhere": answers.count(_is(NO_TEXT)),
    },
    more=given_back,
)
