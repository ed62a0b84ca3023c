"""What passkey retrieval reports: success by k, and the effective window of each subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from longctx import Answers, Rank, RatePoint, RateView, Report, ScenarioSummary, Subject, Table
from longctx.protocols.reports.effective_window import SUCCESS_RATE
from longctx.protocols.reports.passkey_windows import PasskeySummary, reported, windows_of
from longctx.results.grouping import grouped
from longctx.views.chart import HEIGHT, Spec
from longctx.views.table import subject_columns, tokens
from longctx.vocabulary.prompt_sets import PROTOCOL

TITLE = "Passkey"
OFTEN = 0.9
"""The least rate at which the key counts as found from every distance of a window."""


def more(analysis: Sequence[Answers]) -> Iterator[RateView | Table]:
    """Yield success by k, and the effective windows."""
    scenarios = [cell for answers in analysis for cell in answers.cells]
    summaries = windows_of(scenarios)
    yield from success(scenarios, summaries)
    yield from effective_windows(summaries)


def success(scenarios: Sequence[ScenarioSummary], summaries: Sequence[PasskeySummary]) -> Iterator[RateView | Table]:
    """Yield a view for each window, with a curve for each subject and a line at its k_max; and a table of all by k."""
    cells = []
    for window, group in grouped(scenarios, lambda cell: cell.params["window"]).items():
        reached = [each for each in summaries if each.window == window and each.effective.k_max is not None]
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
            layers=partial(_reached, reached),
            fewest=1,
            finding=False,
        )
    for cell in scenarios:
        window, k, subject = cell.params["window"], cell.params["k"], cell.subject
        prompts = "" if subject.prompt_set == PROTOCOL else subject.prompt_set
        column = " ".join(filter(None, [subject.model, str(window), prompts, subject.label]))
        cells.append((k, column, str(cell.rate)))
    yield Table.pivot(f"{TITLE}: success [95% interval] by k, tokens from the key to the end", cells, "k")


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
        if (lo, hi) == (0, summary.farthest):
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


REPORT = Report(by=("window",), more=more, findings=findings, data=entry, gate=reported)


def _reached(windows: Sequence[PasskeySummary], x: Spec, colour: Spec) -> list[Spec]:
    """Draw a line and its name for each k_max; lines at the same k are drawn side by side."""
    encoding = {"x": x, "color": colour, "description": {"field": "say"}}
    values = [
        {
            "x": summary.effective.k_max,
            "name": f"k_max {summary.effective.k_max:,}",
            "series": str(summary.subject),
            "say": f"k_max {_k_max(summary)}, {summary.subject}",
            "line": HEIGHT - 12 - 14 * place,
        }
        for place, summary in enumerate(windows)
    ]
    before = [sum(other["x"] == line["x"] for other in values[:place]) for place, line in enumerate(values)]
    lines = [
        {
            "data": {"values": [line]},
            "mark": {"type": "rule", "strokeWidth": 2, "xOffset": -3 * moved},
            "encoding": encoding,
        }
        for moved, line in zip(before, values, strict=True)
    ]
    names = {
        "data": {"values": values},
        "mark": {"type": "text", "align": "right", "dx": -4 - 3 * max(before, default=0), "aria": False},
        "encoding": {
            **encoding,
            "y": {"field": "line", "type": "quantitative", "scale": None},
            "text": {"field": "name"},
        },
    }
    return [*lines, names]


def _lowest(scenarios: Sequence[ScenarioSummary], summary: PasskeySummary) -> ScenarioSummary | None:
    """Return the scenario in which the key is found least often, if it is missed there more than one time in ten."""
    distances = [
        scenario
        for scenario in scenarios
        if scenario.subject == summary.subject and scenario.params.get("window") == summary.window and scenario.rate.n
    ]
    low = min(distances, key=lambda scenario: scenario.rate.rate, default=None)
    return low if low is not None and low.rate.rate < OFTEN else None


def _by_label(title: str, windows: Sequence[PasskeySummary], across: str) -> Table:
    """Return a row for each model, prompt set, window and other labels, with a column for each value of label `across`.

    This is the shape of Table 4 of S. Chen et al., 2023, https://arxiv.org/abs/2306.15595.
    """
    columns = subject_columns([window.subject for window in windows])
    values = columns.pop(across)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for place, window in enumerate(windows):
        head = {name: cells[place] for name, cells in columns.items()} | {"window": str(window.window)}
        row = rows.setdefault(tuple(head.values()), head)
        row[_column(across, values[place])] = _k_max(window)
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
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", value))]


def _k_max(summary: PasskeySummary) -> str:
    lo, hi = summary.interval
    return f"{tokens(summary.effective.k_max)} [{lo:,}, {hi:,}]"
