"""The evidence of the pairs in each band."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from longctx.compare.pairs import pairs
from longctx.gate.evidence import Unit, by_band, changed_together, judge_errors, looks_of_rows
from longctx.results.row import Row
from longctx.stats.averaged import Averaged
from tests.judges import LABELLED
from tests.judges import rows as graded
from tests.rows import digested, joined, run

SHORT: dict[str, Any] = {"band": "short"}


def test_changes_are_reported_by_band_and_by_cluster() -> None:
    before = joined(run("correct", "wrong", "correct", **SHORT, cluster="a"), run("wrong", **SHORT, cell="lines-9"))
    after = joined(run("wrong", "correct", "correct", **SHORT, cluster="a"), run("wrong", **SHORT, cell="lines-9"))
    assert by_band(pairs(before, after))["short"].clusters == [[-1, 1, 0], [0]]


def test_repeats_of_a_trial_count_as_their_mean() -> None:
    before = joined(run("correct", "wrong", **SHORT), run("correct", "wrong", **SHORT, repeat=1))
    before += run("wrong", "wrong", **SHORT, repeat=2)
    [evidence] = by_band(pairs(before, run("correct", "correct", **SHORT))).values()
    assert [[round(change, 3) for change in cluster] for cluster in evidence.clusters] == [[0.333], [1]]
    assert [len(side) for side in evidence.sides] == [6, 2]
    assert evidence.asked == 2


def test_what_the_run_did_not_measure_is_missing_and_feared_to_be_wrong() -> None:
    before = joined(run("correct", "wrong", "correct", **SHORT))
    [evidence] = by_band(pairs(before, joined(run("correct", "infra_error", "not_asked", **SHORT)))).values()
    assert (evidence.asked, evidence.missing) == (3, 2)
    assert evidence.clusters == [[0]]
    assert isinstance(evidence.at_worst, Averaged)
    assert evidence.at_worst.changes == [[0], [0], [-1]]


def test_what_the_baseline_did_not_measure_tells_nothing() -> None:
    evidence = by_band(pairs(joined(run("not_asked", **SHORT)), joined(run("correct", **SHORT))))
    assert evidence == {}


def test_a_band_that_the_run_lacks_is_empty_and_one_that_is_not_gated_is_none() -> None:
    before = joined(run("correct", **SHORT), run("correct", cell="lines-9", band="long"), run("correct", seed=4))
    by_name = by_band(pairs(before, joined(run("correct", **SHORT), run("correct", seed=4))))
    assert {name: evidence.asked for name, evidence in by_name.items()} == {"short": 1, "long": 0}


def test_the_band_is_the_runs_own_where_the_profile_moved_it() -> None:
    assert list(by_band(pairs(joined(run("correct", **SHORT)), joined(run("correct", band="all"))))) == ["all"]


def test_the_baselines_own_answers_judged_the_same_need_no_statistics() -> None:
    before = digested(joined(run("correct", "wrong", **SHORT)), "a")
    [same] = by_band(pairs(before, before)).values()
    assert same.same_answers
    otherwise = (
        digested(joined(run("correct", "wrong", **SHORT)), "b"),
        joined(run("correct", "wrong", **SHORT)),
        digested(joined(run("correct", "correct", **SHORT)), "a"),
        digested(joined(run("correct", "not_asked", **SHORT)), "a"),
    )
    for after in otherwise:
        [evidence] = by_band(pairs(before, after)).values()
        assert not evidence.same_answers


def test_a_document_whose_trials_were_lost_together_is_named_over_all_bands() -> None:
    """contract-7 lost 4 of 6 trials in two bands; of the others each lost one, or none."""

    def of(*outcomes: str, **fields: Any) -> list[Row]:
        return run(*outcomes, **fields)

    def contracts(short: int, long: int) -> list[Row]:
        others = [
            of(*["correct"] * 6, cluster=f"contract-{place}", band="short", cell=f"lines-{10 + place}")
            for place in range(8, 60)
        ]
        first = of(*["wrong"] * short, *["correct"] * (3 - short), cluster="contract-7", **SHORT)
        second = of(*["wrong"] * long, *["correct"] * (3 - long), cluster="contract-7", band="long", cell="lines-9")
        unnamed = of(*["wrong"] * short, *["correct"] * (3 - short), band="short", cell="lines-8")
        return joined(first, second, unnamed, *others)

    lost, gained = changed_together(by_band(pairs(contracts(0, 0), contracts(2, 2))).values())
    assert [(each.cluster, each.before.correct, each.after.correct, round(each.lost, 3)) for each in lost] == [
        ("contract-7", 6, 2, 0.667)
    ]
    assert gained == []
    lost, gained = changed_together(by_band(pairs(contracts(2, 2), contracts(0, 0))).values())
    assert ([each.cluster for each in gained], lost) == (["contract-7"], [])


def test_the_errors_of_a_judge_at_a_look_are_those_of_the_labels_known_then() -> None:
    """So a run that stops after its first look has the verdict that a replay of more trials has of that look."""
    banded = [replace(row, band=None if "." in row.test else "all") for row in graded(*LABELLED * 40)]
    trials, terms = [row for row in banded if row.band], (0.1, 0.05)
    looks = looks_of_rows(trials, "few", *terms)["all"]
    first = {row.trial for row in trials if looks.of[Unit.of_row(row)] == 1}
    stopped = [row for row in banded if row.trial in first or row.band]
    complete, early = (judge_errors("test_tone", rows, trials, "few", terms) for rows in (banded, stopped))
    labels = [errors.labels for errors in complete if errors]
    assert labels == sorted(set(labels))
    assert (labels[0], labels[-1]) == (len(first), len(trials))
    assert early[0] == complete[0] != complete[-1]
    assert judge_errors("test_tone", trials, trials, "few", terms) == []
