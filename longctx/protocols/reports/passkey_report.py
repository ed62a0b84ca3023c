"""What passkey retrieval reports: success by k, and the effective window of each subject.

The effective context window of passkey retrieval: k_max and the protocol's two bounds.

Source: S. Chen et al., 2023, section 3.3, https://arxiv.org/abs/2306.15595.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longctx import Answers, Axes, Rate, Report, Reported, Row, StatedMinimum, Table
from longctx.protocols.passkey import PasskeyAxes
from longctx.protocols.reports.claims import CONTRADICTED, HOLDS, OPEN, Claim, claims_table
from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.stats.rates import pooled, rate_of
from longctx.views.answers import CellSummary
from longctx.views.chart import Upright, subject_columns, tokens
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.point import PROTOCOL
from longctx.vocabulary.report import Rank

SUCCESS_RATE = 0.2
"""k_max is the largest k such that every k' <= k succeeds at least this often."""
FEWEST = 5
"""The fewest trials at each distance for which k_max is shown."""
ERROR = 0.05
"""The probability that the interval of k_max does not contain it."""


@dataclass(frozen=True, slots=True)
class EffectiveWindow:
    """The effective window in tokens. A value is None if no k satisfies its definition."""

    k_max: int | None
    """The effective window by the 20% rule."""
    at_least: int | None
    """The largest k up to which every trial of every k succeeded ("consistently succeeds")."""
    less_than: int | None
    """The smallest k at which every trial failed ("persistently fails")."""


def effective_window(by_k: Mapping[int, Rate]) -> EffectiveWindow:
    """Compute the effective window from the rate at each k. k_max and at_least stop at a k without measured trials."""
    k_max = at_least = None
    ordered = sorted(by_k)
    for k in ordered:
        if by_k[k].n == 0 or by_k[k].rate < SUCCESS_RATE:
            break
        k_max = k
    for k in ordered:
        if by_k[k].n == 0 or by_k[k].correct < by_k[k].n:
            break
        at_least = k
    less_than = next((k for k in ordered if by_k[k].n and by_k[k].correct == 0), None)
    return EffectiveWindow(k_max, at_least, less_than)


def k_max_interval(by_k: Mapping[int, Rate]) -> tuple[int, int]:
    """Return the 95% interval of k_max in tokens. An end of 0 means less than the smallest k.

    It is valid however accuracy changes with k, for dips and U shapes, too. The lower end is the largest k up to which
    every single distance significantly succeeds at 20% or more (an intersection-union test: R. L. Berger, Technometrics
    24, 1982). The upper end is the last k before some stretch of distances significantly succeeds less often, with
    Bonferroni's correction over all stretches. Each end errs with a probability of at most 2.5%.
    """
    ordered = sorted(by_k)
    succeeding = itertools.takewhile(lambda k: by_k[k].p_above(SUCCESS_RATE) <= ERROR / 2, ordered)
    failing = (end for end, p_value in _stretches(by_k) if p_value <= ERROR / 2)
    first = min(failing, default=len(ordered))
    return max(succeeding, default=0), ([0, *ordered])[first]


def p_value_of_reaching(by_k: Mapping[int, Rate], minimum: int) -> float:
    """Return the p-value of the hypothesis that k_max is at least `minimum` tokens.

    It is then true of every stretch of distances up to the first that is as long; the interval tests the same.
    """
    ordered = sorted(by_k)
    last = next((index for index, k in enumerate(ordered) if k >= minimum), len(ordered) - 1)
    return min((p_value for end, p_value in _stretches(by_k) if end <= last), default=1.0)


def _stretches(by_k: Mapping[int, Rate]) -> Iterator[tuple[int, float]]:
    """Yield the place of the last distance of each stretch, and the p-value that all of it succeeds at 20% or more.

    Stretches have 1, 2, 4, … distances. If every rate is at least 20%, all trials of a stretch together have at least
    as many successes as a binomial of 20%. The p-values are multiplied by the number of stretches.
    """
    rates = [by_k[k] for k in sorted(by_k)]
    sizes = list(itertools.takewhile(lambda size: size <= len(rates), (2**power for power in itertools.count())))
    number = sum(len(rates) - size + 1 for size in sizes)
    for size in sizes:
        for end in range(size - 1, len(rates)):
            stretch = rates[end - size + 1 : end + 1]
            n = sum(rate.n for rate in stretch)
            effect = sum(rate.n * rate.effect for rate in stretch) / n if n else 1.0
            together = Rate(sum(rate.correct for rate in stretch), n, effect)
            yield end, min(1.0, number * together.p_below(SUCCESS_RATE))


@dataclass(frozen=True, slots=True)
class PasskeySummary:
    """The effective window of one subject, measured in one window (tokens)."""

    subject: Subject
    window: int
    effective: EffectiveWindow
    interval: tuple[int, int]
    """The 95% interval of k_max; an end of 0 means less than the smallest k."""
    farthest: int
    """The largest k."""
    distance_at_k_max: int | None
    fewest: int = FEWEST
    """The fewest trials at a distance."""

    @property
    def told(self) -> bool:
        """Whether every distance has enough trials for k_max to be shown."""
        return self.fewest >= FEWEST


def windows_of(cells: Sequence[CellSummary]) -> tuple[PasskeySummary, ...]:
    """Summarize each subject and window among cells of this test."""
    windows: dict[tuple[Subject, int], dict[int, CellSummary]] = {}
    for cell in cells:
        window, k = cell.params.get("window"), cell.params.get("k")
        if isinstance(window, int) and isinstance(k, int):
            windows.setdefault((cell.subject, window), {})[k] = cell
    summaries = []
    for (subject, window), by_k in windows.items():
        rates = {k: cell.rate for k, cell in by_k.items()}
        effective = effective_window(rates)
        distance = None if effective.k_max is None else by_k[effective.k_max].distance_from_end
        fewest = min(rate.n for rate in rates.values())
        interval, farthest = k_max_interval(rates), max(by_k)
        summaries.append(PasskeySummary(subject, window, effective, interval, farthest, distance, fewest))
    return tuple(summaries)


def reported(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Iterator[Reported]:
    """Yield k_max of each window in both runs, with the minimum that the profile states, if any."""
    earlier, later = _rates(before), _rates(after)
    for window in (window for window in later if window in earlier):
        was, now = (_KMax.of(rates[window]) for rates in (earlier, later))
        tables = (grid for grid in reversed(grids) if isinstance(grid, PasskeyAxes))
        minimum = next((stated for table in tables if (stated := table.minimum_of(window))), None)
        yield Reported(
            kind="windows",
            data={
                "window": window,
                "k_max": [was.k_max, now.k_max],
                "intervals": [was.interval, now.interval],
                "minimum": minimum,
            },
            table="k_max (tokens), which has no verdict of its own: bands are judged",
            cells={
                "window": f"{window:,}",
                "before [95%]": str(was),
                "now [95%]": str(now),
                **({"minimum": f"{minimum:,}: {now.against(minimum)}"} if minimum else {}),
            },
            minimum=StatedMinimum(
                p_value_of_reaching(later[window], minimum),
                now.interval[1] < minimum,
                f"k_max {now} in a window of {window:,}, below the minimum of {minimum:,}",
            )
            if minimum
            else None,
        )


@dataclass(frozen=True, slots=True)
class _KMax:
    """k_max of one run in tokens, with its 95% interval; 0 means less than the smallest k."""

    k_max: int
    interval: tuple[int, int]

    @classmethod
    def of(cls, by_k: Mapping[int, Rate]) -> _KMax:
        return cls(effective_window(by_k).k_max or 0, k_max_interval(by_k))

    def against(self, minimum: int) -> str:
        """Return where the interval lies in comparison with a minimum."""
        lo, hi = self.interval
        return "reached" if lo >= minimum else "missed" if hi < minimum else "not known"

    def __str__(self) -> str:
        return f"{self.k_max:,} [{self.interval[0]:,}, {self.interval[1]:,}]"


def _rates(rows: Sequence[Row]) -> dict[int, dict[int, Rate]]:
    """Return the rate at each k of each window."""
    by_place = grouped(rows, lambda row: (int(row.params["window"] or 0), int(row.params["k"] or 0)))
    windows: dict[int, dict[int, Rate]] = {}
    for (window, k), members in by_place.items():
        windows.setdefault(window, {})[k] = rate_of(members)
    return windows


TITLE = "Passkey"
OFTEN = 0.9
"""The least rate at which the key counts as found from every distance of a window."""


def more(analysis: Sequence[Answers]) -> Iterator[RateView | Table]:
    """Yield success by k, and the effective windows."""
    cells = [cell for answers in analysis for cell in answers.cells]
    summaries = windows_of(cells)
    yield from success(cells, summaries)
    yield from effective_windows(summaries)
    if table := claims_table(TITLE, claims(summaries, [row for answers in analysis for row in answers.rows])):
        yield table


def claims(summaries: Sequence[PasskeySummary], rows: Sequence[Row]) -> Iterator[Claim]:
    """Yield whether k_max is the whole window, as with position interpolation (Chen et al., Table 4)."""
    for summary in summaries:
        if not summary.told:
            continue
        (lo, hi), whole = summary.interval, summary.farthest
        verdict = HOLDS if lo == whole else CONTRADICTED if hi < whole else f"{OPEN} (more trials a distance)"
        own = [row for row in rows if row.subject == summary.subject and row.params["window"] == summary.window]
        unread = sum(row.outcome == "unparseable" for row in own) / len(own)
        says = f"k_max is the whole window, {whole:,}"
        yield Claim(
            summary.subject, says, verdict, f"{summary.effective.k_max or 0:,} [{lo:,}, {hi:,}]", len(own), unread
        )


def success(cells: Sequence[CellSummary], summaries: Sequence[PasskeySummary]) -> Iterator[RateView | Table]:
    """Yield a view for each window, with a curve for each subject and a line at its k_max; and a table of all by k."""
    figures = []
    for window, group in grouped(cells, lambda cell: cell.params["window"]).items():
        reached = [each for each in summaries if each.window == window and each.told and each.effective.k_max]
        yield RateView(
            points=[RatePoint(int(each.params["k"] or 0), str(each.subject), each.rate) for each in group],
            name=f"passkey-window-{window}",
            heading=TITLE,
            title=f"Success by k in a window of {window:,} tokens",
            x="k",
            axis="k, tokens from the key to the end",
            series="model",
            from_zero=True,
            lines=[SUCCESS_RATE],
            note=f"Dashed: an accuracy of {SUCCESS_RATE}, which k_max and every shorter distance must reach.",
            uprights=[
                Upright(
                    each.effective.k_max or 0,
                    f"k_max {each.effective.k_max:,}",
                    str(each.subject),
                    f"k_max {_k_max(each)}, {each.subject}",
                )
                for each in reached
            ],
            fewest=1,
            finding=False,
        )
    for cell in cells:
        window, k, subject = cell.params["window"], cell.params["k"], cell.subject
        prompts = "" if subject.prompt_set == PROTOCOL else subject.prompt_set
        column = " ".join(filter(None, [subject.model, str(window), prompts, subject.label]))
        figures.append((k, column, str(cell.rate)))
    yield Table.pivot(f"{TITLE}: success [95% interval] by k, tokens from the key to the end", figures, "k")


def effective_windows(summaries: Sequence[PasskeySummary]) -> Iterator[Table]:
    """Yield a table of the effective windows, and one by the label with the most values, if any has several."""
    subjects = [summary.subject for summary in summaries]
    columns: dict[str, Sequence[object]] = {
        "window": [summary.window for summary in summaries],
        "k_max [95%]": [_k_max(summary) for summary in summaries],
        "real distance": [tokens(summary.distance_at_k_max) for summary in summaries],
        "at least": [tokens(summary.effective.at_least) for summary in summaries],
        "less than": [tokens(summary.effective.less_than) for summary in summaries],
    }
    yield Table.by_subject(
        f"{TITLE}: effective window in tokens. k_max: every k up to it succeeds at 20% or more; at least: "
        "every trial up to it succeeds; less than: every trial at it fails",
        subjects,
        columns,
    )
    if (across := _across(subjects)) is not None:
        yield _by_label(f"{TITLE}: effective window in tokens, k_max [95%], by {across}", summaries, across)


def findings(answers: Answers) -> Iterator[tuple[Rank, str]]:
    """Yield how far the key is found, in each window."""
    for summary in windows_of(answers.cells):
        k_max, (lo, hi) = summary.effective.k_max, summary.interval
        where = f"in a window of {summary.window:,} tokens"
        if not summary.told or (lo, hi) == (0, summary.farthest):
            yield Rank.LEVEL, f"{where}, there are too few trials at each distance to tell k_max"
        elif k_max is None:
            yield Rank.LEVEL, f"{where}, the key is not found even at the smallest distance"
        elif k_max == summary.farthest and (low := _lowest(answers.cells, summary)) is not None:
            yield (
                Rank.LEVEL,
                f"{where}, k_max is the farthest distance, {k_max:,}, by its 20% rule; the key is found least "
                f"often at {low.params['k']:,} tokens: {low.rate}",
            )
        elif k_max == summary.farthest:
            yield Rank.HOLDS, f"{where}, the key is found from every distance (k_max {k_max:,})"
        else:
            reach = f"the key is found up to k_max {k_max:,} [{lo:,}, {hi:,}] and not reliably beyond"
            yield Rank.LEVEL, f"{where}, {reach}"


def entry(answers: Answers) -> dict[str, Any]:
    """Return the entry of a window in summary.json."""
    [summary] = windows_of(answers.cells)
    return {
        "window": summary.window,
        "k_max": summary.effective.k_max,
        "distance_at_k_max": summary.distance_at_k_max,
        "k_max_lo": summary.interval[0],
        "k_max_hi": summary.interval[1],
        "at_least": summary.effective.at_least,
        "less_than": summary.effective.less_than,
    }


def figure(cells: Sequence[CellSummary]) -> Iterator[RatePoint]:
    """Yield k_max of each window; how many keys are found where distances have too few trials for it."""
    by_window = grouped(cells, lambda cell: int(cell.params["window"] or 0))
    for summary in windows_of(cells):
        point = replace(RatePoint.of(summary.window, "k_max", by_window[summary.window], " tokens"), counts="window")
        if summary.told:
            lo, hi = summary.interval
            interval = "" if lo == hi == summary.effective.k_max else f" [{lo:,}, {hi:,}]"
            yield replace(point, states=f"{tokens(summary.effective.k_max)}{interval}")
        else:
            found = pooled(cell.rate for cell in by_window[summary.window])
            yield replace(point, states=f"{found.correct:g}/{found.n:,} keys")


REPORT = Report(by=("window",), more=more, findings=findings, data=entry, gate=reported, figure=figure)


def _lowest(cells: Sequence[CellSummary], summary: PasskeySummary) -> CellSummary | None:
    """Return the cell in which the key is found least often, if it is missed there more than one time in ten."""
    distances = [
        cell
        for cell in cells
        if cell.subject == summary.subject and cell.params.get("window") == summary.window and cell.rate.n
    ]
    low = min(distances, key=lambda cell: cell.rate.rate, default=None)
    return low if low is not None and low.rate.rate < OFTEN else None


def _by_label(title: str, windows: Sequence[PasskeySummary], across: str) -> Table:
    """Return a row for each model, prompt set, window and other labels, with a column for each value of label `across`.

    This is the shape of Table 4 of S. Chen et al., 2023, https://arxiv.org/abs/2306.15595.
    """
    columns = subject_columns([window.subject for window in windows])
    values = columns.pop(across)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for index, window in enumerate(windows):
        head = {name: cells[index] for name, cells in columns.items()} | {"window": str(window.window)}
        row = rows.setdefault(tuple(head.values()), head)
        row[_column(across, values[index])] = _k_max(window)
    label_columns = [_column(across, value) for value in sorted(set(values), key=_natural)]
    names = (*columns, "window", *label_columns)
    return Table(title, names, tuple(tuple(row.get(name, "") for name in names) for row in rows.values()))


def _across(subjects: Sequence[Subject]) -> str | None:
    """Return the label with the most values, numbers before words; None if no label has several."""
    values: dict[str, set[str]] = {}
    for subject in subjects:
        for name, value in subject.labels:
            values.setdefault(name, set()).add(value)
    several = [name for name in sorted(values) if len(values[name]) > 1]
    return max(several, key=lambda name: (len(values[name]), all(map(_is_number, values[name]))), default=None)


def _column(label: str, value: str) -> str:
    return f"{label}={value}" if value else "-"


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\d+", value) is not None


def _natural(value: str) -> list[str | int]:
    """Return a sort key of alternating text and numbers, so that 200 comes before 1000."""
    return [int(part) if index % 2 else part for index, part in enumerate(re.split(r"(\d+)", value))]


def _k_max(summary: PasskeySummary) -> str:
    if not summary.told:
        return "-"
    lo, hi = summary.interval
    return f"{tokens(summary.effective.k_max)} [{lo:,}, {hi:,}]"
