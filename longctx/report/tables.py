"""The tables of a run, one or two a family, as pandas frames ready to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from longctx.measure.summary import ScenarioSummary, Summary
from longctx.measure.words import order_and_name
from longctx.report import qa
from longctx.report.passkey import passkey
from longctx.report.table import Table, by_subject, pivot, subject_columns


def tables(summary: Summary) -> list[Table]:
    """All tables of a run: a family's own where it has one, else a plain list of its scenarios."""
    found: list[Table] = []
    for family in dict.fromkeys(one.family for one in summary.scenarios):
        scenarios = [one for one in summary.scenarios if one.family == family]
        found += [replace(table, family=family) for table in _of(family, scenarios, summary)]
    return found


def _of(family: str, scenarios: Sequence[ScenarioSummary], summary: Summary) -> Iterable[Table]:
    match family:
        case "line_retrieval":
            return _line_retrieval(scenarios)
        case "passkey":
            return passkey(scenarios, summary.passkey)
        case "collage":
            return qa.collage(scenarios, summary.qa)
        case "control":
            return qa.control(scenarios)
    return [_plain(family, scenarios)]


def _line_retrieval(scenarios: Sequence[ScenarioSummary]) -> Iterator[Table]:
    """Rate by number of lines (down) and order (across), for each model and prompt set."""
    for subject, group in by_subject(scenarios).items():
        cells = [(one.params["lines"], order_and_name(one.params.get("block_size")), str(one.rate)) for one in group]
        frame = pivot(cells, "lines")
        yield Table(f"Line retrieval, {subject}: rate [95% interval] by number of lines", frame)


def _plain(family: str, scenarios: Sequence[ScenarioSummary]) -> Table:
    frame = pd.DataFrame(
        {
            **subject_columns([one.subject for one in scenarios]),
            "scenario": [one.scenario for one in scenarios],
            "rate [95% interval]": [str(one.rate) for one in scenarios],
        }
    )
    return Table(family, frame.set_index("model"))
