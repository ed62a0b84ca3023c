"""What coreference reports: rates beside those of guessing, and which text was given back for which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx import Account, Chart, Rank, RatePoint, RateView, ScenarioSummary, Table
from longctx.plural import count
from longctx.protocols.conversation import ordinal
from longctx.protocols.reports.returned_texts import (
    EXAMPLE,
    KIND,
    NEITHER,
    SUBJECT,
    Returned,
    of_all_windows,
    returned,
    shape,
)
from longctx.results.grouping import by_subject, grouped
from longctx.stats.rates import pooled
from longctx.views.chart import field, heat

if TYPE_CHECKING:
    from longctx import Row

NAME, TITLE = "coreference", "Multi-round coreference"


class CoreferenceAccount(Account):
    """The account of the family. analysis: which texts were given back, for each subject and scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Returned, ...]:
        return tuple(returned(rows))

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[RateView]:
        ordered = [(*shape(scenario), scenario) for scenario in sorted(scenarios, key=shape)]
        yield RateView(
            points=[
                RatePoint(window, f"{needles} needles", scenario.rate, str(scenario.subject))
                for needles, window, scenario in ordered
            ],
            name="coreference-by-window",
            heading=TITLE,
            title="By window",
            x="window",
            axis="window, tokens",
            unit="tokens",
            lines=[1 / needles for needles in dict.fromkeys(needles for needles, *_ in ordered)],
            note="Dashed: what guessing among the needles gives.",
        )

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[Table]:
        """Yield tables with a row for each number of alike texts and window."""
        measured = {(each.subject, each.needles, each.window): each for each in analysis}
        columns = ("needles", "window", "rate [95% interval]", "by guessing", "word for word", "MRCR's score")
        for subject, group in by_subject(scenarios).items():
            rows = []
            for scenario in sorted(group, key=shape):
                (needles, window), rate = shape(scenario), scenario.rate
                texts = measured.get((subject, needles, window))
                exact, score = (
                    (f"{texts.exact:,} of {rate.correct:,}", f"{texts.mean_score:.2f}") if texts else ("", "")
                )
                rows.append((str(needles), f"{window:,}", str(rate), f"{1 / needles:.2f}", exact, score))
            title = f"{TITLE}, {subject}: rate [95% interval], and what guessing among the needles gives"
            yield Table(title, columns, tuple(rows))

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[Chart]:
        yield from super().charts(scenarios, analysis) or ()
        for number, texts in enumerate(of_all_windows(analysis), start=1):
            if texts.given:
                yield _given_for_asked(texts, number)

    def further_tables(self, analysis: Sequence[Returned]) -> Iterator[Table]:
        """Yield what was given back instead of the text that was asked for, by number of alike texts."""
        answered_wrong = [texts for texts in of_all_windows(analysis) if texts.wrong]
        for subject, group in by_subject(answered_wrong).items():
            cells = [
                (name, f"{texts.needles} needles", f"{number(texts):,}")
                for texts in group
                for name, number in INSTEAD.items()
            ]
            answers = count(sum(texts.wrong for texts in group), "wrong answer gives", "wrong answers give")
            yield Table.pivot(f"What {answers} back: {subject}", cells, "given back instead", NAME)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]
    ) -> Iterator[tuple[Rank, str]]:
        [view] = self.views(scenarios, analysis)
        yield from ((Rank.LEVEL, sentence) for sentence in _levels(scenarios, view.falls()))
        for texts in of_all_windows(analysis):
            where = f"{TITLE}, {texts.subject}, {texts.needles} needles"
            yield from ((Rank.UNUSABLE, f"{where}: {why}.") for why in _without_code(texts))
            yield from ((Rank.CAUSE, f"{where}: {why}.") for why in _instead(texts))

    def data(self, analysis: Sequence[Returned]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {NAME: [_entry(texts) for texts in analysis]}


def _given_for_asked(texts: Returned, number: int) -> Chart:
    """Return the heatmap of what was given back (across) for what was asked (down)."""
    names = [ordinal(place) for place in range(1, texts.needles + 1)]
    values = []
    for asked, name in enumerate(names, start=1):
        counts = [texts.given.get((asked, given), 0) for given in range(1, texts.needles + 1)]
        for other, given in zip(names, counts, strict=True):
            share = given / sum(counts) if given else 0.0
            say = f"asked for the {name}, the {other} was given: {given:,}"
            values.append({"asked": name, "given": other, "rate": share, "text": f"{given:,}", "say": say})
    spec = heat(
        values,
        x=field("given", "ordinal", "given back", sort=names),
        y=field("asked", "ordinal", "asked for", sort=names),
    )
    title = f"Which of {texts.needles} needles was given back: {texts.subject}"
    cells = [(str(value["asked"]), str(value["given"]), str(value["text"])) for value in values]
    table = Table.pivot(title, cells, "asked for")
    return Chart(f"coreference-given-{number}", NAME, title, spec, table)


def _levels(scenarios: Sequence[ScenarioSummary], falls: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield rates at or below chance, or that fall with the window, for each subject and number of alike texts."""
    measured = [scenario for scenario in scenarios if scenario.rate.n]
    for (subject, needles), group in grouped(measured, lambda each: (str(each.subject), shape(each)[0])).items():
        where, guess = f"{TITLE}, {subject}, {needles} needles", 1 / needles
        total = pooled(scenario.rate for scenario in group)
        if fall := falls.get((subject, f"{needles} needles")):
            yield f"{where}: {fall}; guessing among them gives {guess:.2f}."
        elif total.hi < guess:
            yield f"{where}: {total}, less than the {guess:.2f} that guessing among them gives."
        elif total.lo <= guess:
            yield f"{where}: {total}, which cannot be told from guessing among them ({guess:.2f})."


def _instance(where: Callable[[int, int, int], bool]) -> Callable[[Returned], int]:
    """Return a counter of the wrong answers that are another of the alike texts, by (asked, given, needles)."""

    def number(texts: Returned) -> int:
        pairs = ((asked, given, many) for (asked, given), many in texts.given.items() if asked != given)
        return sum(many for asked, given, many in pairs if where(asked, given, texts.needles))

    return number


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


def _without_code(texts: Returned) -> Iterator[str]:
    """Yield how often a text was given back without the code that was asked for."""
    if total := sum(texts.without_code.values()):
        right = sum(many for (asked, given), many in texts.without_code.items() if asked == given)
        yield (
            f"{total:,} of {texts.trials:,} replies give back one of them without the code that must come first, "
            f"{right:,} of these the right one"
        )


def _instead(texts: Returned) -> Iterator[str]:
    """Yield where most wrong answers come from."""
    other, wrong = texts.another_instance, texts.wrong
    if wrong and other / wrong >= 0.5:
        yield (
            f"{other:,} of {wrong:,} wrong answers are another of the needles, "
            f"{first(texts):,} of them the first and {last(texts):,} the last"
        )
    causes = {
        "the right one, badly copied": texts.badly_copied,
        "from the examples of the prompt": texts.others.get(EXAMPLE, 0),
        "no text of the prompt": texts.nowhere,
    }
    for what, number in causes.items():
        if wrong and number / wrong >= 0.5:
            yield f"{number:,} of {wrong:,} wrong answers are {what}"


def _entry(texts: Returned) -> dict[str, Any]:
    return {
        **texts.subject.fields,
        "needles": texts.needles,
        "window": texts.window,
        "trials": texts.trials,
        "guess": texts.guess,
        "score": texts.mean_score,
        "exact": texts.exact,
        "given": _pairs(texts.given),
        "badly_copied": texts.badly_copied,
        "without_code": _pairs(texts.without_code),
        "others": dict(texts.others),
        "nowhere": texts.nowhere,
    }


def _pairs(counts: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    return [{"asked": asked, "given": given, "trials": number} for (asked, given), number in sorted(counts.items())]
