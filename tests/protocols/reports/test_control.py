"""The tables of the controls, and the names of their records."""

from __future__ import annotations

from longctx.protocols.control import RECORDS
from longctx.protocols.reports.control import SECTIONS, ControlAccount, section
from longctx.results.subject import Subject
from longctx.stats.rates import Rate
from longctx.views.scenario_summary import ScenarioSummary

SUBJECT = Subject("m", "protocol")


def control(rate: Rate, **params: int | str) -> ScenarioSummary:
    return ScenarioSummary("control", SUBJECT, "s", params, rate, {}, None, None)


def test_controls_are_corrected_for_chance() -> None:
    cells = [control(Rate(90, 100), record="right"), control(Rate(25, 100), record="none")]
    cells.append(control(Rate(0, 0), record="wrong"))
    [table] = ControlAccount().tables(cells, None)
    assert list(table.frame["above chance"]) == ["+0.87", "+0.00", ""]


def test_controls_of_sections_of_several_sizes_are_distinguished() -> None:
    cells = [control(Rate(right, 10), record="right", longest=longest) for longest, right in ((600, 4), (900, 5))]
    [table], [view] = ControlAccount().tables(cells, None), ControlAccount().views(cells, None)
    assert list(table.frame["longest section"]) == ["600", "900"]
    assert len(list(view.charts())) == 1
    assert [point.series.rpartition(", ")[2] for point in view.points] == [
        "sections of at most 600 tokens",
        "sections of at most 900 tokens",
    ]


def test_every_record_has_words() -> None:
    assert set(SECTIONS) == set(RECORDS)
    assert section("none") == "no section"
