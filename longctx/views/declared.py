"""The report that a protocol declares: its views, tables, charts, findings and entries of summary.json."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from longctx.registry import loaded, unusable
from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row
from longctx.stats.rates import Rate, pooled
from longctx.views.answers import Answers, CellSummary, answers_by_cell, key_of, together
from longctx.views.chart import Chart, Table, letter_biases, letter_entries, letter_shares, letter_table
from longctx.views.reporting import UNITS, Reporting
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.report import RATE, Causes, Rank, Report, Reported, Shares

ENOUGH, OFTEN = 5, 0.1
"""What is wrong is worth a finding if it is counted so often, and in such a share of trials."""
GUESSED = "Dashed: accuracy by guessing{}."
ASKED = "asked"
"""The column of tables that names the curve of a cell."""


class DeclaredReporting(Reporting):
    """The report that a protocol declares. analysis: its Answers."""

    def __init__(self, name: str, title: str, unit: str, report: Report) -> None:
        self._name, self._title, self._unit, self._report = name, title, unit, report
        self._made: tuple[Sequence[Answers], Sequence[Any]] = ((), ())

    def analyse(self, cells: Sequence[CellSummary], rows: Sequence[Row]) -> list[Answers]:
        return answers_by_cell(cells, rows, self._report.by)

    def views(self, cells: Sequence[CellSummary], analysis: Sequence[Answers]) -> Iterator[RateView]:
        if self._report.x:
            yield self._by_x(cells)
        for shares in self._report.charts:
            yield self._shares(shares, _measured(analysis))
        yield from self._more(analysis, RateView)

    def tables(self, cells: Sequence[CellSummary], analysis: Sequence[Answers]) -> list[Table] | None:
        return list(self._tables(cells, analysis)) or None

    def _tables(self, cells: Sequence[CellSummary], analysis: Sequence[Answers]) -> Iterator[Table]:
        if self._report.columns:
            yield from self._cells(cells, analysis)
        yield from super().tables(cells, analysis) or ()
        if name := self._report.letters:
            for answers in _measured(analysis):
                if (where := name(answers)) and (shares := letter_shares(answers.rows)):
                    yield letter_table(f"{self._title}, {answers.subject}, {where}", shares)
        yield from self._more(analysis, Table)

    def charts(self, cells: Sequence[CellSummary], analysis: Sequence[Answers]) -> list[Chart] | None:
        own = [*(super().charts(cells, analysis) or ()), *self._more(analysis, Chart)]
        return own if own or self._report.x else None

    def further_tables(self, analysis: Sequence[Answers]) -> Iterator[Table]:
        """Yield the table of causes, of those that occur."""
        if not (causes := self._report.causes):
            return
        analysis = _measured(analysis)
        counts = {kind: [_count(count, answers) for answers in analysis] for kind, count in causes.counts.items()}
        if any(map(any, counts.values())) or (causes.columns and analysis):
            columns: dict[str, list[object]] = {
                **self._places(analysis),
                **self._asked([answers.params for answers in analysis]),
                **{name: [shown(answers) for answers in analysis] for name, shown in causes.columns.items()},
                **{kind: [f"{count:,}" for count in numbers] for kind, numbers in counts.items() if any(numbers)},
                "trials": [f"{answers.n:,}" for answers in analysis],
            }
            subjects = [answers.subject for answers in analysis]
            yield Table.by_subject(f"{self._title}: {causes.title}", subjects, columns, self._name)

    def findings(self, cells: Sequence[CellSummary], analysis: Sequence[Answers]) -> Iterator[tuple[Rank, str]]:
        yield from ((Rank.LEVEL, sentence) for sentence in self._levels(cells))
        analysis = _measured(analysis)
        for subject, group in by_subject(analysis).items():
            answers = together(group)
            found: list[str | tuple[Rank, str]] = [*_prevailing(self._report.causes, answers)]
            found += self._report.findings(answers) if self._report.findings else []
            for finding in found:
                rank, clause = (Rank.CAUSE, finding) if isinstance(finding, str) else finding
                yield rank, f"{self._title}, {subject}: {clause}."
        if name := self._report.letters:
            for answers in analysis:
                for clause in letter_biases(where, letter_shares(answers.rows)) if (where := name(answers)) else ():
                    yield Rank.CAUSE, f"{self._title}, {answers.subject}: {clause}."

    def _levels(self, cells: Sequence[CellSummary]) -> Iterator[str]:
        """Yield the curves that fall, and those not significantly different from guessing."""
        if not self._report.x:
            return
        view = self._by_x(cells)
        if not self._report.guessing or view.down:
            yield from view.findings()
            return
        falls = view.falls()
        measured = (cell for cell in cells if cell.rate.n)
        for (subject, series), group in grouped(
            measured, lambda cell: (str(cell.subject), self._series(cell.params))
        ).items():
            where, guess = f"{self._title}, {subject}, {series}", self._guess(group[0].params)
            rate = pooled(cell.rate for cell in group)
            if fall := falls.get((subject, series)):
                yield f"{where}: {fall}; guessing reaches {guess:.2f}."
            elif rate.hi < guess:
                yield f"{where}: {rate}, less than guessing reaches ({guess:.2f})."
            elif rate.lo <= guess:
                yield f"{where}: {rate}, not significantly different from guessing ({guess:.2f})."

    def figure(self, cells: Sequence[CellSummary]) -> str | Sequence[RatePoint] | None:
        if self._report.figure:
            figure: Any = self._report.figure(cells)
            return figure if isinstance(figure, str) else list(figure)
        if not self._report.x:
            return None
        x, names = self._report.x, self._report.names
        order = {name: index for index, name in enumerate(names)}
        ordered = sorted(cells, key=lambda cell: order.get(cell.params[x], len(order)))
        places = grouped(ordered, lambda cell: (cell.params[x] or 0, self._series(cell.params)))
        several = len({series for _, series in places}) > 1
        unit = "" if any(isinstance(names.get(place, place), str) for place, _ in places) else f" {self._unit or x}"
        return [
            RatePoint.of(names.get(place, place), series * several, same, unit)
            for (place, series), same in places.items()
        ]

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
        return list(self._report.gate(before, after, grids)) if self._report.gate else ()

    def data(self, analysis: Sequence[Answers]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        if not (data := self._report.data):
            return {}
        entries = [
            {
                **answers.subject.fields,
                **data(answers),
                **({"letters": letter_entries(letter_shares(answers.rows))} if self._report.letters else {}),
            }
            for answers in _measured(analysis or ())
        ]
        return {self._report.entries or self._name: entries}

    def _by_x(self, cells: Sequence[CellSummary]) -> RateView:
        report, stem = self._report, self._name.replace("_", "-")
        title = report.title or f"By {report.x.replace('_', ' ')}"
        places = {cell.params[report.x] for cell in cells}
        down = any(isinstance(place, str) for place in places)
        several = len({self._series(cell.params) for cell in cells}) > 1
        points = []
        for (place, series, subject), same in grouped(
            cells, lambda cell: (cell.params[report.x] or 0, self._series(cell.params), str(cell.subject))
        ).items():
            rate, lexical = pooled(cell.rate for cell in same), pooled(cell.lexical for cell in same)
            if down:  # names are rows, and subjects are compared in them
                points.append(RatePoint(place, f"{subject}, {series}" if several else subject, rate, lexical=lexical))
            else:
                points.append(RatePoint(place, series, rate, subject, lexical))
        guesses = list(dict.fromkeys(self._guess(cell.params) for cell in cells)) if report.guessing else []
        return RateView(
            points=points,
            name=f"{stem}-{title.lower().replace(' ', '-')}",
            heading=self._title,
            title=title,
            x=report.x,
            axis=report.axis or None,
            unit=self._unit,
            label=lambda place: report.names.get(place, str(place)),
            series="model" if down else report.legend,
            table="" if report.columns else report.table or f"{report.rate} [95% interval]",
            down=down,
            lines=guesses,
            note=GUESSED.format(f", {guesses[0]}" if len(guesses) == 1 else "") if guesses else "",
            fewest=1 if down else report.fewest,
        )

    def _shares(self, shares: Shares, analysis: Sequence[Answers]) -> RateView:
        """Return the view of a further chart. Places are sorted."""
        found: dict[tuple[Any, str, str], list[Rate]] = {}
        for answers in analysis:
            values = [
                f"{_number(answers.params[name])} {self._unit}" if self._unit else f"{name} {answers.params[name]}"
                for name in shares.facets
            ]
            facet = ", ".join([str(answers.subject), *values])
            for place, series, value in shares.points(answers):
                rate = Rate(*value) if isinstance(value, tuple) else value
                found.setdefault((place, series or self._series(answers.params), facet), []).append(rate)
        return RateView(
            points=[
                RatePoint(shares.label(place) if shares.label else place, series, pooled(rates), facet)
                for (place, series, facet), rates in sorted(found.items(), key=lambda point: point[0][0])
            ],
            name=f"{self._name.replace('_', '-')}-{shares.name}",
            heading=self._title,
            title=shares.title,
            x=shares.x,
            axis=shares.axis,
            unit=self._unit if shares.x == self._report.x else "",
            series=shares.legend,
            table=shares.table,
            scale=(shares.value, 0, 1),
            fewest=shares.fewest,
            finding=False,
        )

    def _cells(self, cells: Sequence[CellSummary], analysis: Sequence[Answers]) -> Iterator[Table]:
        """Yield a table for each subject: a row for each cell, those of a curve together."""
        report = self._report
        rows = [row for answers in analysis for row in answers.rows]
        measured = {key_of(answers): answers for answers in answers_by_cell((), rows)}
        for subject, group in by_subject(cells).items():
            ordered = [
                cell for same in grouped(group, lambda cell: self._series(cell.params)).values() for cell in same
            ]
            held = [measured.get(key_of(cell)) for cell in ordered]
            columns: dict[str, list[object]] = {
                **self._asked([cell.params for cell in ordered]),
                **self._places(ordered),
                f"{report.rate} [95% interval]": [str(cell.rate) for cell in ordered],
                **{
                    name: [shown(answers) if answers else "-" for answers in held]
                    for name, shown in report.columns.items()
                },
            }
            yield Table.from_columns(f"{self._title}, {subject}", columns)

    def _places(self, cells: Sequence[Answers] | Sequence[CellSummary]) -> dict[str, list[object]]:
        """Return the column with each cell's place on the axis, or its name if there is no axis."""
        if x := self._report.x:
            return {x: [_number(cell.params[x]) for cell in cells]}
        return {"cell": [cell.cell for cell in cells]}

    def _asked(self, cells: Sequence[Mapping[str, Any]]) -> dict[str, list[object]]:
        """Return the column that names the curve of each cell; none if there is a single curve, or names have one."""
        series = [self._series(params) for params in cells]
        named = len(set(series)) > 1 or not any(isinstance(params.get(self._report.x), str) for params in cells)
        return {self._report.legend or ASKED: [*series]} if self._report.series and named else {}

    def _series(self, params: Mapping[str, Any]) -> str:
        return self._report.series(params) if self._report.series else RATE

    def _guess(self, params: Mapping[str, Any]) -> float:
        guess = self._report.guessing
        return guess(params) if callable(guess) else guess or 0.0

    def _more(self, analysis: Sequence[Answers], kind: type[Any]) -> Iterator[Any]:
        """Yield what the report's hook adds of a kind. The hook is called once for an analysis."""
        if self._report.more and analysis:
            if self._made[0] is not analysis:
                self._made = analysis, list(self._report.more(analysis))
            yield from (each for each in self._made[1] if isinstance(each, kind))


def _prevailing(causes: Causes | None, answers: Answers) -> Iterator[str]:
    """Yield the kind that most of what is wrong is of. answers: all of one subject."""
    if not causes:
        return
    counts = {kind: _count(count, answers) for kind, count in causes.counts.items()}
    total, most = sum(counts.values()), max(counts, key=counts.__getitem__)
    if total >= max(ENOUGH, OFTEN * answers.n) and counts[most] >= causes.share * total:
        more = f", {causes.details[most](answers)}" if most in causes.details else ""
        yield f"of {total:,} {causes.of}, {counts[most]:,} are {most}{more}"


def _measured(analysis: Sequence[Answers]) -> list[Answers]:
    return [answers for answers in analysis if answers.rows]


def _count(count: str | Callable[[Any], int], answers: Answers) -> int:
    return answers.total(count) if isinstance(count, str) else sum(map(count, answers.rows))


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def reporting_of(test: Protocol) -> Reporting:
    """Load what a test declares of its report. Raises UserError."""
    report = test.report
    if isinstance(report, str):
        try:
            report = loaded(report, Report)
        except Exception as error:
            raise unusable(f"The protocol {test.name!r}", str(test.report), error) from error
    return DeclaredReporting(test.name, test.title, test.unit, report) if report else Reporting()


def reporting_of_test(name: str, report: Report) -> Reporting:
    """Return what a test function declares of its report in its marker."""
    return DeclaredReporting(name, name, report.x if report.x in UNITS else "", report)
