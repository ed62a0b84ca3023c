"""The tables of passkey retrieval: success by k, effective windows, and effective windows by label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from longctx.families.passkey.windows import PasskeySummary
from longctx.report.table import Table, pivot, subject_columns, tokens
from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary.prompt_sets import PROTOCOL

UNLABELLED = "-"


def passkey(scenarios: Sequence[ScenarioSummary], windows: Sequence[PasskeySummary]) -> Iterator[Table]:
    """Yield success by k, a column for each window; then the effective windows."""
    cells = []
    for scenario in scenarios:
        window, k = scenario.params["window"], scenario.params["k"]
        prompts = "" if scenario.subject.prompt_set == PROTOCOL else scenario.subject.prompt_set
        column = " ".join(filter(None, [scenario.subject.model, str(window), prompts, scenario.subject.label]))
        cells.append((k, column, str(scenario.rate)))
    yield Table("Passkey: success [95% interval] by k, tokens from the key to the end", pivot(cells, "k"))
    frame = pd.DataFrame(
        {
            **subject_columns([summary.subject for summary in windows]),
            "window": [summary.window for summary in windows],
            "k_max [95%]": [_k_max(summary) for summary in windows],
            "real distance": [tokens(summary.distance_at_k_max) for summary in windows],
            "at least": [tokens(summary.effective.at_least) for summary in windows],
            "less than": [tokens(summary.effective.less_than) for summary in windows],
        }
    ).set_index("model")
    yield Table(
        "Passkey: effective window in tokens. k_max: every k up to it succeeds at 20% or more; at least: every trial "
        "up to it succeeds; less than: every trial at it fails",
        frame,
    )
    if (across := _across([summary.subject for summary in windows])) is not None:
        yield Table(f"Passkey: effective window in tokens, k_max [95%], by {across}", _by_label(windows, across))


def _by_label(windows: Sequence[PasskeySummary], across: str) -> pd.DataFrame:
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
    return pd.DataFrame(list(rows.values()), columns=[*columns, "window", *label_columns]).fillna("").set_index("model")


def _across(subjects: Sequence[Subject]) -> str | None:
    """Return the label with the most values, numbers before words; None if no label has several."""
    values: dict[str, set[str]] = {}
    for subject in subjects:
        for name, value in subject.labels:
            values.setdefault(name, set()).add(value)
    several = [name for name in sorted(values) if len(values[name]) > 1]
    return max(several, key=lambda name: (len(values[name]), all(map(_is_number, values[name]))), default=None)


def _column(label: str, value: str) -> str:
    return f"{label}={value}" if value else UNLABELLED


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\d+", value) is not None


def _natural(value: str) -> list[str | int]:
    """Return a sort key of alternating text and numbers, so that 200 comes before 1000."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", value))]


def _k_max(window: PasskeySummary) -> str:
    lo, hi = window.interval
    return f"{tokens(window.effective.k_max)} [{lo:,}, {hi:,}]"
