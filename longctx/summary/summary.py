"""The summary of a run: the accuracy of each cell, and each test's own analysis.

What a reader must know of the answers besides their rates: another model gave them, or they were cut off.

A rate that is low because replies were cut off tells more about the limit than about the model.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from longctx.compare.across import Curve, curves
from longctx.compare.judges import GradedTest, graded_tests
from longctx.registry import in_order, shipped
from longctx.results.constant import ConstantAnswer
from longctx.results.grouping import grouped
from longctx.results.row import THINKING, WITHOUT_TEXT, Row, Subject
from longctx.stats.rates import Rate, rate_of
from longctx.summary.analyses import ANALYSES
from longctx.summary.by_value import FILLER, median_tokens
from longctx.summary.costs import Cost, UsageSummary, costs, usage
from longctx.summary.retrievals import CHUNKS
from longctx.summary.unusable import unusable_shares
from longctx.views.answers import CellSummary, constant_of, summary_of
from longctx.views.declared import reporting_of, reporting_of_test
from longctx.views.reporting import Guarded, Reporting, Reports
from longctx.views.view import RatePoint, estimate
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.point import LENGTHS, is_check, position_name
from longctx.vocabulary.report import Report
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY


@dataclass(frozen=True, slots=True)
class OfTest:
    """A test in a run. `variant` and `size` are `Protocol.variant` and `Protocol.context`."""

    title: str
    unit: str
    """The unit of its contexts' lengths."""
    variant: str
    reporting: Reporting
    analysis: Any
    """The result of `reporting.analyse`."""
    size: str | None = ""
    parameters: tuple[str, ...] = ()
    """The parameters that distinguish its cells; empty if the test is not installed."""
    found: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """What the analyses of test functions (ANALYSES) found, by their names; nothing of a protocol or a check."""
    lengths: tuple[Curve, ...] = ()
    """The rates along the length, of subjects with several lengths: they give the effective lengths."""
    of_items: tuple[str, ...] = ()
    """The test's parameters of which each value has its own items."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a run.

    live, replayed, unmeasured: numbers of trials.
    """

    cells: tuple[CellSummary, ...]
    heatmap_cells: tuple[HeatmapCell, ...]
    usage: tuple[UsageSummary, ...]
    live: int
    replayed: int
    unmeasured: int
    recorded: tuple[str, str] | None
    """The dates of the first and the last replayed answer."""
    errors: Mapping[str, int] = field(default_factory=dict)
    """How many trials were not measured for each cause."""
    costs: tuple[Cost, ...] = ()
    answered: tuple[Answered, ...] = ()
    truncated: tuple[Truncated, ...] = ()
    tests: Mapping[str, OfTest] = field(default_factory=dict)
    """The tests of the run in their order."""
    thinking: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """How many replies of each model contain thinking in their text, and how many it has."""
    without_text: Mapping[tuple[str, Subject], tuple[int, int]] = field(default_factory=dict)
    """How many trials of each test and subject passed on an answer without text, and how many passed."""
    graded: tuple[GradedTest, ...] = ()
    """The test functions that a judge grades."""

    def of(self, test: str) -> list[CellSummary]:
        """Return the cells of a test."""
        return [cell for cell in self.cells if cell.test == test]

    @property
    def faults(self) -> list[str]:
        """A sentence on each failure of the tests' own code. The list is complete once the report is written."""
        reports = (test.reporting for test in self.tests.values())
        return [fault for report in reports if isinstance(report, Guarded) for fault in report.faults]

    def title(self, test: str) -> str:
        """Return a test's title; its name if it is not installed."""
        return self.tests[test].title if test in self.tests else test


def summarize(
    rows: Sequence[Row],
    prices_of: Mapping[str, str] | None = None,
    sent_as: Mapping[str, str] | None = None,
    tests: Mapping[str, Protocol] | None = None,
    facts: Mapping[str, Mapping[str, int]] | None = None,
    reports: Reports | None = None,
) -> Summary:
    """Summarize the rows of a run; the cells keep their order within each test.

    prices_of: the date of each model's prices. sent_as: the id by which the provider knows a model, if it is another.
    tests: the known ones, by default those of longctx. facts: the facts of each cell by `cell_name`. reports:
    those of test functions.
    """
    known = shipped() if tests is None else tests
    rows = [rows[place] for place in in_order([row.test for row in rows], known)]
    groups = grouped(rows, lambda row: (row.test, row.subject, row.cell))
    cells = tuple(
        summary_of(*key, group, facts or {}, known[key[0]].choices if key[0] in known else 0)
        for key, group in groups.items()
    )
    measured = [row for row in rows if row.measured]
    replayed = [row for row in rows if row.source == "replayed"]
    days = sorted(str(row.recorded_at)[:10] for row in replayed)
    by_test = grouped(measured, lambda row: row.test)
    return Summary(
        cells=cells,
        heatmap_cells=tuple(heatmap(measured, known)),
        tests={
            name: _of_test(name, known.get(name) or (reports or {}).get(name), cells, by_test.get(name, []))
            for name in dict.fromkeys(cell.test for cell in cells)
        },
        usage=usage(measured),
        live=sum(row.source == "live" for row in rows),
        replayed=len(replayed),
        unmeasured=len(rows) - len(measured),
        recorded=(days[0], days[-1]) if days else None,
        errors=dict(Counter(row.error for row in rows if row.error is not None)),
        costs=costs(measured, prices_of or {}),
        answered=answered_as_another(measured, sent_as or {}),
        truncated=truncated(measured),
        thinking=thinking_in_text(measured),
        without_text=passed_without_text(measured),
        graded=graded_tests(measured),
    )


def _of_test(
    name: str, declared: Protocol | Report | None, cells: Sequence[CellSummary], measured: Sequence[Row]
) -> OfTest:
    """Analyse a test. declared: None if it is not installed and reports nothing. measured: its measured rows."""
    test = declared if isinstance(declared, Protocol) else None
    reporting = Guarded(test.title, reporting_of(test)) if test else Reporting()
    if isinstance(declared, Report):
        reporting = Guarded(name, reporting_of_test(name, declared))
    own = [cell for cell in cells if cell.test == name]
    return OfTest(
        test.title if test else name,
        test.unit if test else "tokens",
        test.variant if test else "",
        reporting,
        reporting.analyse(own, measured),
        test.context if test else "",
        test.parameters if test else (),
        {} if test or is_check(name) else {by: found for by, of in ANALYSES.items() if (found := of(measured))},
        () if is_check(name) else tuple(curves(measured, {name: test} if test else {})),
        tuple(each for each in test.parameters if each not in test.treatments) if test else (),
    )


def by_test_and_subject(cells: Sequence[CellSummary]) -> dict[tuple[str, Subject], list[CellSummary]]:
    """Group cells by test and subject, in their order."""
    return grouped(cells, lambda cell: (cell.test, cell.subject))


IN_TOKENS = "fill", "tokens", "window", "budget", "context"
"""The lengths that count tokens; of the others, each counts what it is called."""
FILLED = "fill", "tokens"
"""The lengths of test functions that count only the text around a question; more is sent."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the first table: a test and a subject, of which strategies are put together."""

    test: str
    subject: Subject
    """Without the strategy."""
    cells: tuple[CellSummary, ...]
    n: int
    """The number of measured trials."""
    said: tuple[str, ...]
    """What the test's source reports, such as accuracies by length or k_max, in parts that a line may be broken at."""
    points: tuple[RatePoint, ...]
    """The accuracies that it states; empty if it states something else."""
    constants: Mapping[object, ConstantAnswer] = field(default_factory=dict)
    """The best constant answers that are notable, by the length, and by what else distinguishes items."""
    remarks: tuple[str, ...] = ()
    """What a reader must know of its numbers, such as `34% unparseable`."""

    @property
    def text(self) -> str:
        return "; ".join(self.said)

    @property
    def in_full(self) -> tuple[str, ...]:
        """What is said, ending with what a reader must know of it."""
        *parts, last = self.said
        return (*parts, " · ".join(filter(None, [last, constants_said(self.constants), *self.remarks])))


def lines(summary: Summary) -> list[Line]:
    """Return the lines of the first table, which every report of a run shows; those of checks are among them."""
    groups = grouped(summary.cells, lambda cell: (cell.test, without_strategy(cell.subject)))
    remarks = _remarks(summary)
    found = []
    for (test, subject), cells in groups.items():
        missing = sum(number for cell in cells for kind, number in cell.outcomes.items() if kind in NOT_MEASURED)
        known = [remark for each in dict.fromkeys(cell.subject for cell in cells) for remark in remarks[test, each]]
        line = _line(summary.tests.get(test), test, subject, cells)
        about = [f"{missing:,} not measured"] * bool(missing)
        found.append(replace(line, remarks=tuple(dict.fromkeys([*about, *known]))))
    return found


NOT_MEASURED = ("infra_error", "not_asked")
"""The outcomes that do not count in an accuracy."""


def _remarks(summary: Summary) -> Mapping[tuple[str, Subject], list[str]]:
    """Return by test and subject what to know of its replies."""
    remarks = defaultdict[tuple[str, Subject], list[str]](list)
    for cut in summary.truncated:
        share = "" if cut.number == cut.of else f"{cut.number / cut.of:.0%} "
        remarks[cut.test, cut.subject].append(f"{share}truncated")
    for test, subject, kind, unusable, _ in unusable_shares(summary.cells, ("unparseable", "refusal")):
        remarks[test, subject].append(f"{unusable:.0%} {'refused' if kind == 'refusal' else kind}")
    return remarks


def without_strategy(subject: Subject) -> Subject:
    return replace(subject, labels=tuple((name, value) for name, value in subject.labels if name != STRATEGY))


def _line(of_test: OfTest | None, test: str, subject: Subject, cells: Sequence[CellSummary]) -> Line:
    measured = [cell for cell in cells if cell.rate.n]
    strategies = grouped(measured, lambda cell: dict(cell.subject.labels).get(STRATEGY, NO_STRATEGY))
    said, points = list[str](), list[RatePoint]()
    for strategy, same in strategies.items():
        name = strategy if len(strategies) > 1 else ""
        stated = _stated(of_test.reporting if of_test else None, same)
        if isinstance(stated, str):
            said += [f"{name}: {stated}" if name else stated]
            continue
        points += [replace(point, series=", ".join(filter(None, [name, point.series]))) for point in stated]
    said += said_of(points)
    n = sum(cell.rate.n for cell in measured)
    constants = constants_of(measured, of_test)
    return Line(test, subject, tuple(cells), n, tuple(said) or ("-",), tuple(points), constants)


def constants_of(cells: Sequence[CellSummary], of_test: OfTest | None) -> dict[object, ConstantAnswer]:
    """Return the best constant answers that are notable of each length, and of each group of items at a length.

    The keys are the length, or a text of it with the parameters that differ between groups; empty if all are together.
    """
    size = (of_test.size if of_test else None) or _varied_number(cells)
    apart = of_test.of_items if of_test else ()
    varied = [name for name in apart if len({cell.params.get(name) for cell in cells}) > 1]
    names = dict.fromkeys(filter(None, [size, *varied]))
    found = grouped(cells, lambda cell: tuple(cell.params.get(name) for name in names))
    constants = {key: constant for key, same in found.items() if (constant := constant_of(same))}
    return {key[0] if len(key) == 1 else " ".join(filter(None, map(_named, key))): of for key, of in constants.items()}


def _named(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value or "")


def constants_said(constants: Mapping[object, ConstantAnswer]) -> str:
    """Name constant answers with their lengths: `D 0.47 at 1,300, 2,600; C 0.50 at 7,000`; empty for none."""
    same = grouped(constants.items(), lambda entry: str(entry[1]))
    texts = []
    for said, entries in same.items():
        where = ", ".join(_named(key) for key, _ in entries if key != "")
        texts.append(f"{said} at {where}" if where else said)
    return f"best constant answer: {'; '.join(texts)}" if texts else ""


def _stated(reporting: Reporting | None, cells: Sequence[CellSummary]) -> str | Sequence[RatePoint]:
    """Return what the first table states of these cells: a text, or accuracies."""
    figure = reporting.figure(cells) if reporting else None
    return figure or _by_number(cells, "" if figure else _varied_number(cells))


def pools(test: str, rows: Sequence[Row], tests: Mapping[str, Protocol]) -> list[tuple[str, Sequence[str]]]:
    """Return the names of the accuracies that the first table states of a test, each with the cells that it pools.

    rows: those of one subject. tests: the known ones. A test whose source reports no accuracies has none.
    """
    by_cell = grouped([row for row in rows if row.measured], lambda row: row.cell)
    cells = [summary_of(test, group[0].subject, name, group, {}) for name, group in by_cell.items()]
    declared = tests.get(test)
    stated = _stated(Guarded(declared.title, reporting_of(declared)) if declared else None, cells)
    if isinstance(stated, str):
        return []
    return [(_title(point), [cell.cell for cell in point.cells]) for point in stated if not point.states]


def _title(point: RatePoint) -> str:
    x = f"{point.x:,}" if isinstance(point.x, int | float) else point.x
    return " ".join(filter(None, [point.series, x])) + point.facet or "all"


def _varied_number(cells: Sequence[CellSummary]) -> str:
    """Return the number of chunks or the length of the context, if it varies; empty if there is none."""
    varied = (
        name
        for name in (CHUNKS, *LENGTHS)
        if len({cell.params.get(name) for cell in cells}) > 1
        and all(isinstance(cell.params.get(name), int | float) for cell in cells)
    )
    return next(varied, "")


def _by_number(cells: Sequence[CellSummary], key: str) -> list[RatePoint]:
    """Return the accuracy at each value of a parameter, or of all cells if it is empty."""
    unit = "" if not key else f" {FILLER}" if key in FILLED else " tokens" if key in IN_TOKENS else f" {key}"
    places = grouped(cells, lambda cell: cell.params.get(key) or "")
    return [RatePoint.of(place, "", same, unit) for place, same in places.items()]


def said_of(points: Sequence[RatePoint]) -> Iterator[str]:
    """Yield accuracies in words: curves at the same numbers together, names with an accuracy each.

    A single accuracy has its interval. The tokens of each curve follow it, or once all that took the same.
    """
    if len(points) == 1 and isinstance(rate := points[0].value, Rate) and not points[0].states:
        yield f"{rate.rate:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]"
        return
    curves = grouped(points, lambda point: (point.facet, point.series if _is_number(point) else "", _is_number(point)))
    placed: dict[tuple[str, tuple[object, ...]], list[tuple[str, Sequence[RatePoint]]]] = {}
    for (facet, series, numbers), same in curves.items():
        if numbers:
            ordered = sorted(same, key=lambda point: float(point.x))
            if any(point.states for point in ordered):
                stated = "; ".join(f"{point.states} at {point.x:,}" for point in ordered)
                yield f"{series} {stated}{facet}"
                continue
            rates = ", ".join(f"{estimate(point.value):.2f}" for point in ordered)
            text = " ".join(filter(None, [series, rates]))
            placed.setdefault((facet, tuple(point.x for point in ordered)), []).append((text, ordered))
        else:
            placed[facet, ()] = [
                (", ".join(f"{point_name(point)} {estimate(point.value):.2f}" for point in same), same)
            ]
    for (facet, numbers_there), texts in placed.items():
        at = f" at {', '.join(f'{number:,}' for number in numbers_there)}" if numbers_there else ""
        *first, last = [text for text, _ in texts]
        places = list(zip(*(curve for _, curve in texts), strict=True))
        if all(map(_took_the_same, places)):
            yield from first
            yield last + at + facet + _tokens(facet, places)
        else:
            *first, last = [text + _tokens(facet, [[point] for point in curve]) for text, curve in texts]
            yield from first
            yield last + at + facet


IN_FACET = " tokens"
"""What a facet contains if the length that it names counts tokens: those that were sent are others."""
SAME_TOKENS = 0.005
"""The share of the tokens by which accuracies may differ that state them once."""


def _tokens(facet: str, places: Sequence[Sequence[RatePoint]]) -> str:
    """Return the median tokens of each place in parentheses, or those of all names once if they took the same."""
    names = [point for place in places for point in place if not _is_number(point)]
    if names and (IN_FACET not in facet or _took_the_same(names)):
        places = [names] if IN_FACET in facet else []
    known = [tokens for place in places if (tokens := tokens_of(place)) is not None]
    counted = ", ".join(f"{tokens:,}" for tokens in known)
    return f" ({counted} {'sent' if IN_FACET in facet else 'tokens'})" if known else ""


def _took_the_same(points: Sequence[RatePoint]) -> bool:
    known = [tokens for point in points if (tokens := tokens_of([point])) is not None]
    return not known or (len(known) == len(points) and max(known) - min(known) <= SAME_TOKENS * max(known))


def tokens_of(points: Iterable[RatePoint]) -> int | None:
    """Return the median input tokens of the cells of these accuracies; None if no answer tells."""
    known = [cell.tokens for point in points for cell in point.cells if cell.tokens is not None]
    return round(statistics.median(known)) if known else None


def point_name(point: RatePoint) -> str:
    """Return the series and the name of a point."""
    return " ".join(filter(None, [point.series, str(point.x)]))


def part_of(point: RatePoint) -> str:
    """Return which part of its test an accuracy is of: its series and name, and where in the context."""
    at = [point.series, f"at {point.x:,}"] if _is_number(point) else [point_name(point)]
    return f"{' '.join(filter(None, at))}{point.facet}"


def _is_number(point: RatePoint) -> bool:
    return isinstance(point.x, int | float)


BANDS = 10


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """One cell of a heatmap."""

    test: str
    subject: Subject
    size: int
    """The length of the context in lines or tokens."""
    depth: int
    """Its tenth, from 0 to 9; or its position in percent, if the test names positions."""
    rate: Rate
    common: bool
    """Whether all cells of the heatmap count the same variants, and no other."""
    unit: str = ""
    """What the length counts, if it is not the test's unit."""
    sent: int | None = None
    """The median of the tokens that were sent, if the length counts something else."""
    is_position: bool = False
    """Whether its depth is a position."""

    @property
    def place(self) -> str:
        """The place of the needle in words."""
        return position_name(self.depth) if self.is_position else tenth_name(self.depth)


def tenth_name(depth: int) -> str:
    """Name a tenth of the depth, from 0 to 9."""
    return f"{depth * BANDS}-{depth * BANDS + BANDS}%"


def heatmap(measured: Sequence[Row], tests: Mapping[str, Protocol]) -> Iterator[HeatmapCell]:
    """Yield the cells of the heatmap.

    measured: the rows of measured trials. tests: those that are known; a test whose size is None has no needle and
    is left out. The cells count the variants that are sent at every length, or all variants if there is none such.
    """
    placed = [row for row in measured if row.depth is not None and _parameter(row.test, tests) is not None]
    for (test, subject), rows in grouped(placed, lambda row: (row.test, row.subject)).items():
        parameter = _parameter(test, tests) or _varied_length(rows)
        by_size = grouped(rows, partial(_size, parameter))
        unit = "" if test in tests or not parameter else FILLER if parameter in FILLED else parameter
        variant = tests[test].variant if test in tests else ""
        position = tests[test].position if test in tests else ""
        asked = [{row.params.get(variant) for row in group} for group in by_size.values()]
        common = set.intersection(*asked)
        for size, group in by_size.items():
            sent = median_tokens(group)
            counted = [row for row in group if not common or row.params.get(variant) in common]
            for depth, rows_there in grouped(counted, partial(_depth, position)).items():
                rate, named = rate_of(rows_there), bool(position)
                if parameter:
                    yield HeatmapCell(test, subject, size, depth, rate, bool(common), unit, sent, named)
                else:
                    yield HeatmapCell(test, subject, sent or 0, depth, rate, bool(common), "tokens sent", None, named)


def _varied_length(rows: Sequence[Row]) -> str:
    """Return the length that a test function varies; empty if it varies none."""
    values = {name: {row.params.get(name) for row in rows} for name in LENGTHS}
    return next((name for name, of in values.items() if len(of) > 1 and all(isinstance(each, int) for each in of)), "")


def _size(parameter: str, row: Row) -> int:
    return int(row.params[parameter] or 0) if parameter else 0


def _depth(position: str, row: Row) -> int:
    """Return the needle's tenth; its position, if the test has a parameter of positions."""
    if position:
        return int(row.params[position] or 0)
    return min(max(int((row.depth or 0) * BANDS), 0), BANDS - 1)


def _parameter(test: str, tests: Mapping[str, Protocol]) -> str | None:
    """Return the parameter of a test that contains the length of its context; empty if the test is not known."""
    return tests[test].context if test in tests else ""


NOTABLE = 0.05
"""The least share of a test's replies that must be cut off to be reported."""
WINDOW_FULL = "model_context_window_exceeded"
"""The stop reason of a reply that was cut off because the window was full, and not by max_tokens."""
LEAST_OF_FAILURES = 0.5
"""The least share of a test's failures that must be cut off to be reported."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to `model` that another model gave."""

    model: str
    by: str
    """The model that the answers name."""
    number: int
    """How many answers do."""
    of: int
    """The number of measured trials of `model`."""


def answered_as_another(measured: Sequence[Row], sent_as: Mapping[str, str]) -> tuple[Answered, ...]:
    """Return what other models answered.

    measured: the rows of measured trials. sent_as: the id by which the provider knows a model, if it is another.
    """
    pairs = Counter(
        pair for row in measured for pair in (row.answered_by or {row.model: row.model_returned or ""}).items()
    )
    totals = Counter(asked for asked, _ in pairs.elements())
    return tuple(
        Answered(model, by, number, totals[model])
        for (model, by), number in pairs.items()
        if by not in ("", model, sent_as.get(model))
    )


@dataclass(frozen=True, slots=True)
class Truncated:
    """The replies of a test that were cut off.

    cell, trial: the first of them.
    """

    test: str
    subject: Subject
    number: int
    """How many were."""
    of: int
    """The number of measured trials."""
    tokens: tuple[int, int]
    """The lengths of the shortest and the longest of them."""
    full: bool
    """Whether most were cut off because the window was full, and not by max_tokens."""
    cell: str
    trial: str


def truncated(measured: Sequence[Row]) -> tuple[Truncated, ...]:
    """Return the tests with a notable share of replies that were cut off. measured: the rows of measured trials."""
    return tuple(_notable(measured))


def thinking_in_text(measured: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return by model how many replies contain thinking in their text, and of how many."""
    totals = Counter(row.model for row in measured)
    thinking = Counter(row.model for row in measured if THINKING in row.trace)
    return {model: (number, totals[model]) for model, number in thinking.items()}


def passed_without_text(measured: Sequence[Row]) -> dict[tuple[str, Subject], tuple[int, int]]:
    """Return by test and subject how many trials passed on an answer without text, and how many passed."""
    passed = Counter((row.test, row.subject) for row in measured if row.correct)
    empty = Counter((row.test, row.subject) for row in measured if WITHOUT_TEXT in row.trace)
    return {of: (number, passed[of]) for of, number in empty.items()}


def _notable(measured: Sequence[Row]) -> Iterator[Truncated]:
    for (test, subject), rows in grouped(measured, lambda row: (row.test, row.subject)).items():
        cut = [row for row in rows if row.outcome == "truncated"]
        if not cut or len(cut) < max(NOTABLE * len(rows), LEAST_OF_FAILURES * sum(not row.correct for row in rows)):
            continue
        tokens = [row.output_tokens or 0 for row in cut]
        yield Truncated(
            test=test,
            subject=subject,
            number=len(cut),
            of=len(rows),
            tokens=(min(tokens), max(tokens)),
            full=sum(row.stop_reason == WINDOW_FULL for row in cut) / len(cut) > LEAST_OF_FAILURES,
            cell=cut[0].cell,
            trial=cut[0].name,
        )
