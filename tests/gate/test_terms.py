"""Whole verdicts from rows: each term of them, alone, turns a verdict that is the other one without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.gate.usage import GrowthLimits
from longctx.gate.verdict import Rules, give_verdict
from longctx.results.row import Row
from tests.gate.examples import RULES
from tests.judges import rows as graded
from tests.rows import joined, right_of, run


def of(right: int, n: int, **fields: object) -> list[Row]:
    return run(*right_of(right, n), band="all", **fields)


def status(before: list[Row], after: list[Row], rules: Rules = RULES) -> str:
    return give_verdict(before, after, rules).verdict


def clustered(rows: list[Row], size: int) -> list[Row]:
    return [replace(row, cluster=f"c{row.trial // size}", item=f"q{row.trial}") for row in rows]


def test_clusters_decide_what_the_baseline_has_to_lose() -> None:
    """30 of 300 right are something to lose, unless they are all of three documents."""
    rows = of(30, 300)
    assert status(rows, rows) != "invalid"
    [band] = give_verdict(clustered(rows, 10), clustered(rows, 10), RULES).bands
    assert band.verdict == "invalid"
    assert "nothing to lose" in band.reason


def test_clusters_decide_whether_a_drop_is_significant() -> None:
    before, after = of(300, 300), of(280, 300)
    assert status(before, after) == "regression"
    assert status(clustered(before, 20), clustered(after, 20)) != "regression", "all are of one document"


def test_growth_makes_a_pass_a_regression() -> None:
    before, after = (of(300, 300, cost_usd=cost) for cost in (0.001, 0.003))
    assert status(before, after) == "pass"
    limited = replace(RULES, limits=GrowthLimits(max_cost_growth=0.5))
    assert status(before, after, limited) == "regression"


def test_growth_that_is_not_known_makes_a_pass_invalid() -> None:
    before, after = of(300, 300, cost_usd=0.001), of(300, 300)
    assert status(before, after) == "pass"
    assert status(before, after, replace(RULES, limits=GrowthLimits(max_cost_growth=0.5))) == "invalid"


def test_an_anchor_makes_a_pass_a_regression() -> None:
    anchor, before, after = of(300, 300), of(282, 300), of(280, 300)
    given = give_verdict(before, after, RULES)
    assert given.verdict == "pass"
    assert given.with_anchor(give_verdict(anchor, after, RULES), "2026-11-01").verdict == "regression"


@pytest.mark.parametrize(("missing", "verdict"), [(0, "pass"), (2, "pass"), (30, "invalid")])
def test_missing_trials_make_a_pass_invalid(missing: int, verdict: str) -> None:
    before = of(300, 300)
    after = run(*["infra_error"] * missing, *["correct"] * (300 - missing), band="all")
    assert status(before, after) == verdict


def test_two_bands_that_fall_a_little_regress_together() -> None:
    sides = [joined(*(of(right, 300, cell=name) for name in ("a", "b"))) for right in (300, 291)]
    before, after = ([replace(row, band=row.cell) for row in rows] for rows in sides)
    apart = [give_verdict(*([row for row in rows if row.cell == "a"] for rows in (before, after)), RULES)]
    together = give_verdict(before, after, RULES)
    assert apart[0].run is None
    assert together.run is not None
    assert together.run.shown


def test_the_errors_of_the_judge_turn_a_pass() -> None:
    """Its labels say that it errs: what it sees of a drop is a part of it."""

    def sides(of_label: str) -> tuple[list[Row], list[Row]]:
        """Return both runs; of the 80 labels that say what the judge says, 10 may say `of_label`."""
        said = [("Y", "Y")] * 40 + [("Y", of_label)] * 10 + [("N", "N")] * 30
        before = graded(*said, *[("Y", "")] * 400)
        after = graded(*said, *[("N", "")] * 6, *[("Y", "")] * 394)
        return [replace(row, band="all") for row in before], [replace(row, band="all") for row in after]

    assert status(*sides("Y")) == "pass"
    assert status(*sides("N")) == "regression"
