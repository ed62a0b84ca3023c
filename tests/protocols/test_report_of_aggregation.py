"""What aggregation reports: strict rates with partial credit beside them, and which way counts are off."""

from __future__ import annotations

from dataclasses import replace

from longctx.gate.verdict import give_verdict
from longctx.vocabulary.point import BuiltTrial
from tests.gate.examples import RULES
from tests.protocols import Aggregation
from tests.protocols.tokens import all_of_it, nothing, rows, summary


def too_high(trial: BuiltTrial) -> str:
    return str(int(trial.expected) + 1)


def test_partial_credit_is_beside_the_strict_rate() -> None:
    made = summary(rows(Aggregation(2600, 12, "count"), all_of_it, *[too_high] * 10, nothing))
    test, cells = made.tests["aggregation"], made.of("aggregation")
    account, analysis = test.reporting, test.analysis
    [table] = account.tables(cells, analysis) or ()
    [row] = table.frame.reset_index().to_dict("records")
    assert row == {
        "asked": "count, 12 notices",
        "window": "2,600",
        "right [95% interval]": "0.08 [0.01, 0.35] n=12",
        "mean partial credit": f"{(1 + 10 * 0.75) / 12:.2f}",
    }
    assert [sentence for _, sentence in account.findings(cells, analysis)] == [
        "Aggregation, m, prompts protocol: of 10 wrong counts, 10 are too high."
    ]
    [entry] = account.data(analysis)["aggregation"]
    assert (entry["too_low"], entry["too_high"], entry["trials"]) == (0, 10, 12)
    [view] = account.views(cells, analysis)
    assert [(point.x, point.series) for point in view.points] == [(2600, "count, 12 notices")]


def test_a_gate_has_the_mean_credit_of_the_trials_that_both_runs_measured() -> None:
    cell = Aggregation(2600, 12, "count")
    before, after = (
        [replace(each, band="all") for each in rows(cell, *replies)]
        for replies in ((all_of_it, all_of_it, nothing), (all_of_it, too_high))
    )
    verdict = give_verdict(before, after, RULES)
    [test] = verdict.tests
    [reported] = test.reported
    assert reported.data == {"cell": cell.slug, "mean_credit": [1.0, (1 + 0.75) / 2], "trials": 2}
    assert reported.cells == {"cell": cell.slug, "before": "1.00", "now": "0.88", "trials": "2"}
    bare = [replace(each, trace={}) for each in before]
    assert give_verdict(bare, after, RULES).tests[0].reported == (), "an earlier baseline kept no credits"
