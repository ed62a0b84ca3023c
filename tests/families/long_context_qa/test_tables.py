"""The tables of long-context QA."""

from __future__ import annotations

from longctx.families.long_context_qa.analysis import Effect, QaSummary, Quotes
from longctx.families.long_context_qa.tables import collage, control
from longctx.results.subject import Subject
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary

SUBJECT = Subject("m", "protocol")


def scenario(family: str, rate: Rate, **params: int | str) -> ScenarioSummary:
    return ScenarioSummary(family, SUBJECT, "s", params, rate, {}, None, None)


def test_variants_stand_below_each_other_in_the_profile_s_order_and_positions_beside() -> None:
    cells = [
        scenario("collage", Rate(number, 20), budget=3000, depth=depth, variant=variant)
        for number, (depth, variant) in enumerate(
            (depth, variant) for depth in (0, 50, 100, 25) for variant in ("none", "five", "none_scratchpad")
        )
    ]
    [table] = collage(cells, [])
    assert list(table.frame.index) == ["none", "five", "none_scratchpad"]
    assert list(table.frame.columns) == ["beginning", "middle", "end", "25%"]
    assert table.frame.loc["five", "middle"].startswith("0.20 [")
    assert "3,000 tokens" in table.title


def test_each_budget_has_its_table() -> None:
    cells = [scenario("collage", Rate(1, 2), budget=budget, depth=0, variant="none") for budget in (70_000, 95_000)]
    assert len(list(collage(cells, []))) == 2


def test_each_table_says_what_its_own_filter_left() -> None:
    cells = [
        scenario("collage", Rate(1, 2), budget=budget, depth=0, variant="none", filter_asked=100, filter_kept=kept)
        for budget, kept in ((3000, 40), (6000, 70))
    ]
    assert [table.title.split(": ")[0].rpartition(", ")[2] for table in collage(cells, [])] == ["40 kept", "70 kept"]


def test_effects_say_what_a_point_costs() -> None:
    effects = (
        Effect("a scratchpad", "none", 50, Paired(6, 1, 20), 100.0),
        Effect("5 examples", "none", 100, Paired(1, 2, 20), 400.0),
    )
    [table] = collage([], [QaSummary(SUBJECT, 3000, 0, 0, effects, {})])
    first, second = table.frame.to_dict("records")
    assert (first["needle at"], first["extra tokens"], first["tokens a point"]) == ("middle", "+100", "4")
    assert first["difference"].startswith("+0.25 [")
    assert second["tokens a point"] == "-"


def test_quotes() -> None:
    quotes = {("none_scratchpad", 0): Quotes(Rate(9, 10), Rate(5, 10))}
    [table] = collage([], [QaSummary(SUBJECT, 3000, 0, 0, (), quotes)])
    [row] = table.frame.to_dict("records")
    assert row["in the record"].startswith("0.90 [")
    assert row["in the right section"].startswith("0.50 [")


def test_controls_are_corrected_for_chance() -> None:
    cells = [scenario("control", Rate(90, 100), record="right"), scenario("control", Rate(25, 100), record="none")]
    cells.append(scenario("control", Rate(0, 0), record="wrong"))
    [table] = control(cells)
    assert list(table.frame["above chance"]) == ["+0.87", "+0.00", ""]


def test_every_table_says_what_the_filter_left() -> None:
    params = {"budget": 3000, "depth": 0, "variant": "none", "filter_asked": 430, "filter_kept": 387}
    effects = (Effect("a scratchpad", "none", 0, Paired(1, 0, 2), 10.0),)
    pads = {("none_scratchpad", 0): Quotes(Rate(1, 2), Rate(0, 2))}
    made = list(
        collage([scenario("collage", Rate(1, 2), **params)], [QaSummary(SUBJECT, 3000, 430, 387, effects, pads)])
    )
    assert len(made) == 3
    assert all("430 questions asked alone, 387 kept" in table.title for table in made)
    [unfiltered] = collage([scenario("collage", Rate(1, 2), budget=3000, depth=0, variant="none")], [])
    assert "no filter" in unfiltered.title
