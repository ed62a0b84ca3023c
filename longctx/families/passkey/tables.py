"""The tables of passkey retrieval: success by k, the effective windows, and these by what the runs were labelled."""

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
    """Success by k of every window, side by side; then the effective windows."""
    cells = []
    for scenario in scenarios:
        window, k = scenario.params["window"], scenario.params["k"]
        prompts = "" if scenario.subject.prompt_set == PROTOCOL else scenario.subject.prompt_set
        column = " ".join(filter(None, [scenario.subject.model, str(window), prompts, scenario.subject.label]))
        cells.append((k, column, str(scenario.rate)))
    yield Table("Passkey: success [95% interval] by k, tokens from the key to the end", pivot(cells, "k"))
    frame = pd.DataFrame(
        {
            **subject_columns([one.subject for one in windows]),
            "window": [one.window for one in windows],
            "k_max [95%]": [_k_max(one) for one in windows],
            "real distance": [tokens(one.distance_at_k_max) for one in windows],
            "at least": [tokens(one.effective.at_least) for one in windows],
            "less than": [tokens(one.effective.less_than) for one in windows],
        }
    ).set_index("model")
    yield Table(
        "Passkey: effective window in tokens. k_max: every k up to it succeeds at 20% or more; at least: every trial "
        "up to it succeeds; less than: every trial at it fails",
        frame,
    )
    if (across := _across([one.subject for one in windows])) is not None:
        yield Table(f"Passkey: effective window in tokens, k_max [95%], by {across}", _by_label(windows, across))


def _by_label(windows: Sequence[PasskeySummary], across: str) -> pd.DataFrame:
    """A row for each model, prompt set, window and other labels; a column for each value of the label `across`.

    The shape of Table 4 of S. Chen et al., 2023, https://arxiv.org/abs/2306.15595.
    """
    columns = subject_columns([window.subject for window in windows])
    values = columns.pop(across)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for place, one in enumerate(windows):
        head = {name: cells[place] for name, cells in columns.items()} | {"window": str(one.window)}
        row = rows.setdefault(tuple(head.values()), head)
        row[_column(across, values[place])] = _k_max(one)
    found = [_column(across, value) for value in sorted(set(values), key=_natural)]
    return pd.DataFrame(list(rows.values()), columns=[*columns, "window", *found]).fillna("").set_index("model")


def _across(subjects: Sequence[Subject]) -> str | None:
    """The label with the most values, numbers before words; None where no label has several."""
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
    """Text and numbers by turns: 200 before 1000."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", value))]


def _k_max(one: PasskeySummary) -> str:
    lo, hi = one.interval
    return f"{tokens(one.effective.k_max)} [{lo:,}, {hi:,}]"
