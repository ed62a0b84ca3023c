"""The overview of families."""

from __future__ import annotations

from longctx.results.subject import Subject
from longctx.stats.rates import Rate
from longctx.summary.families import families
from longctx.views.reporting import ScenarioSummary


def scenario(name: str, rate: Rate, model: str = "m", family: str = "passkey") -> ScenarioSummary:
    return ScenarioSummary(family, Subject(model, "protocol"), name, {}, rate, {}, None, None)


def test_rates_are_pooled_and_their_extremes_named() -> None:
    [pooled] = families([scenario("a", Rate(5, 10)), scenario("b", Rate(9, 10)), scenario("c", Rate(0, 0))])
    assert (pooled.scenarios, pooled.rate) == (3, Rate(14, 20))
    assert pooled.lowest is not None
    assert pooled.highest is not None
    assert (pooled.lowest.scenario, pooled.highest.scenario) == ("a", "b")


def test_families_and_subjects_stay_apart() -> None:
    overview = families(
        [scenario("a", Rate(1, 1)), scenario("a", Rate(0, 1), "other"), scenario("a", Rate(0, 2), family="mine")]
    )
    assert [(pooled.family, pooled.subject.model, pooled.rate) for pooled in overview] == [
        ("passkey", "m", Rate(1, 1)),
        ("passkey", "other", Rate(0, 1)),
        ("mine", "m", Rate(0, 2)),
    ]


def test_what_was_not_measured_has_no_extremes() -> None:
    [pooled] = families([scenario("a", Rate(0, 0))])
    assert (pooled.lowest, pooled.highest) == (None, None)
