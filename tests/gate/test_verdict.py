"""The verdict on a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from longctx.engine.measure import check_row
from longctx.gate.verdict import Rules, RunVerdict, give_verdict
from longctx.protocols.passkey import PasskeyAxes
from longctx.registry import shipped
from longctx.results.row import EARLY_STOP, Row
from longctx.stats.rates import Rate
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.looks import RunLooks
from longctx.vocabulary.report import Report, Reported, StatedMinimum
from tests.gate.examples import BANDS, BASELINE, RULES, TOGETHER, rows
from tests.rows import digested, joined, lines, right_of, run


def verdict(before: list[Row], after: list[Row], rules: Rules = RULES) -> RunVerdict:
    return give_verdict(before, after, rules)


def test_the_same_again_passes() -> None:
    given = verdict(BASELINE, BASELINE)
    [test] = given.tests
    assert (given.verdict, test.verdict, given.reasons) == ("pass", "pass", ())
    assert [(band.band.test, band.band.name) for band in test.bands] == [("line_retrieval", name) for name in BANDS]


def test_a_collapse_at_the_long_end_is_a_regression() -> None:
    given = verdict(BASELINE, joined(rows((180, 160, 90))))
    [test] = given.tests
    assert given.verdict == "regression"
    assert [band.verdict for band in test.bands] == ["pass", "pass", "regression"]


def test_a_few_changes_in_few_trials_are_inconclusive() -> None:
    given = verdict(joined(rows((18,), n=20)), joined(rows((17,), n=20)))
    assert given.verdict == "inconclusive"


def test_few_answers_pass_where_they_are_the_baselines_own() -> None:
    few = digested(joined(rows((18,), n=20)), "a")
    [band] = verdict(few, few).tests[0].bands
    assert (band.verdict, band.same_answers, band.needed) == ("pass", True, None)
    [asked_again] = verdict(few, digested(few, "b")).tests[0].bands
    assert (asked_again.verdict, asked_again.same_answers) == ("inconclusive", False)


def test_a_test_of_the_baseline_that_the_run_lacks_is_lost_coverage_if_it_was_gated() -> None:
    for band, verdict_of_run in ((None, "pass"), ("all", "invalid")):
        given = verdict(joined(rows((180, 160, 140)), run("correct", test="passkey", band=band)), BASELINE)
        assert [test for test, _ in given.unmatched[0]] == ["passkey"]
        assert given.verdict == verdict_of_run
    [reason] = given.reasons
    assert reason.startswith("the run does not judge 1 of the 4 cells that its baseline judges (passkey/lines-5)")


def test_a_band_that_the_run_lacks_does_not_pass() -> None:
    given = verdict(BASELINE, joined(rows((180, 160))))
    assert (given.verdict, given.tests[0].verdict) == ("invalid", "inconclusive")
    assert given.tests[0].alone == (200, 0)


def test_only_a_regression_counts_of_a_valid_run_against_a_valid_anchor() -> None:
    fallen = joined(rows((180, 160, 90)))
    slow, fell, cut = verdict(fallen, fallen), verdict(BASELINE, fallen), replace(RULES, left_out=3)
    assert slow.with_anchor(fell, "2026-01-01").verdict == "regression"
    assert slow.with_anchor(slow, "2026-01-01").verdict == "pass"
    assert slow.with_anchor(verdict(BASELINE, fallen, cut), "2026-01-01").verdict == "pass"
    assert verdict(fallen, fallen, cut).with_anchor(fell, "2026-01-01").verdict == "invalid"


def test_a_run_that_is_cut_down_never_passes() -> None:
    given = verdict(BASELINE, BASELINE, Rules(age=RULES.age, left_out=3))
    assert given.verdict == "invalid"
    assert given.reasons[0].startswith("3 of the grid's cells were left out (")


def test_what_is_missing_makes_it_invalid() -> None:
    given = verdict(BASELINE, joined(rows((180, 160), n=200), run(*["infra_error"] * 200, band="long", cell="long")))
    assert given.verdict == "invalid"
    assert given.reasons == ("not enough trials measured in line_retrieval",)
    assert given.tests[0].reasons[0].startswith("200 of 600 trials were not measured")


def test_a_few_missing_that_would_change_the_verdict_make_it_invalid() -> None:
    """Six of a thousand are few, but if they were wrong, the drop would be above the margin."""
    before = joined(run(*["correct"] * 1000, band="all"))
    lost = ["wrong"] * 34
    passes = joined(run(*["correct"] * 966, *lost, band="all"))
    assert verdict(before, passes).verdict == "pass"
    missing = joined(run(*["correct"] * 958, *lost, *["infra_error"] * 8, band="all"))
    given = verdict(before, missing)
    assert given.verdict == "invalid"
    assert given.tests[0].reasons == (
        "if the missing trials counted as wrong, the verdict would be regression and not pass",
    )


def test_one_missing_that_would_make_an_alarm_makes_it_invalid() -> None:
    """Three lost of a hundred have a mid-p-value of 1/16, four of 1/32."""
    before, lost = joined(run(*["correct"] * 100, band="all")), ["wrong"] * 3
    assert verdict(before, joined(run(*["correct"] * 97, *lost, band="all"))).verdict == "inconclusive"
    given = verdict(before, joined(run(*["correct"] * 96, *lost, "infra_error", band="all")))
    assert given.verdict == "invalid"
    assert given.tests[0].reasons == (
        "if the missing trials counted as wrong, the verdict would be regression and not inconclusive",
    )


def test_a_run_with_nothing_in_common_is_invalid() -> None:
    given = verdict(BASELINE, joined(rows((180, 160, 140), seed=99)))
    assert given.verdict == "invalid"
    assert "no trial in common" in given.reasons[0]


def test_a_changed_prompt_set_is_compared_with_the_one_before() -> None:
    given = verdict(BASELINE, joined(rows((100, 80, 60), prompt_set="mine")))
    assert (given.verdict, given.tests[0].after.prompt_set) == ("regression", "mine")


def test_a_changed_model_is_not_judged_from_old_recordings() -> None:
    old = rows((180, 160, 140), model="new", recorded_at="2026-01-01T00:00:00+00:00", source="replayed")
    given = verdict(BASELINE, joined(old))
    assert given.verdict == "invalid"
    assert "the model has changed" in given.tests[0].reasons[0]


def test_subjects_with_bands_of_one_name_are_judged_each_by_itself() -> None:
    def both(right: int) -> list[Row]:
        return joined(rows((180,), model="one"), rows((right,), model="two"))

    given = verdict(both(180), both(100))
    assert [(test.after.model, test.verdict) for test in given.tests] == [
        ("one", "pass"),
        ("two", "regression"),
    ]
    assert [band.band.subject for test in given.tests for band in test.bands] == [test.after for test in given.tests]


def test_it_must_be_clear_what_is_compared_with_what() -> None:
    given = verdict(BASELINE, joined(rows((180,), model="one"), rows((180,), model="two")))
    assert (given.verdict, given.tests) == ("invalid", ())
    assert "[unclear-comparison]" in given.reasons[0]


def reaching(reach: int, n: int = 10) -> list[Row]:
    """Return n trials of passkey at each of 32 distances: right up to `reach` tokens, wrong beyond."""
    verdicts = []
    for k in range(128, 4097, 128):
        fields = {"test": "passkey", "params": {"window": 4096, "k": k}, "cell": f"k-{k}", "band": "all"}
        verdicts.append(run(*["correct" if k <= reach else "wrong"] * n, **fields))
    return joined(*verdicts)


def stated(*minimums: int) -> Rules:
    grids = [PasskeyAxes(windows=(4096,), trials=1, min_k_max=minimum) for minimum in minimums]
    return replace(RULES, grids={("passkey", "some-model"): grids})


def test_k_max_is_reported_beside_the_bands_without_a_verdict() -> None:
    """The bands alone decide: a dip in the middle leaves k_max's interval wide, and the band regresses."""
    [test] = verdict(reaching(4096), reaching(4096)).tests
    [window] = test.reported
    assert window.data == {
        "window": 4096,
        "k_max": [4096, 4096],
        "intervals": [(4096, 4096), (4096, 4096)],
        "minimum": None,
    }
    collapsed = [
        row if row.params["k"] not in (1920, 2048) else replace(row, outcome="wrong") for row in reaching(4096)
    ]
    given = verdict(reaching(4096), collapsed)
    assert given.tests[0].reported[0].data["k_max"] == [4096, 1792]
    assert (given.verdict, [band.verdict for band in given.tests[0].bands]) == ("regression", ["regression"])


def test_a_stated_minimum_fails_only_where_all_of_the_interval_is_below_it() -> None:
    half = reaching(2048)
    given = verdict(half, half, stated(4096))
    [missed] = given.tests[0].missed
    assert missed.minimum is not None
    assert (given.verdict, missed.minimum.says) == (
        "regression",
        "k_max 2,048 [2,048, 2,432] in a window of 4,096, below the minimum of 4,096",
    )
    assert verdict(half, half, stated(2304)).tests[0].missed == (), "the interval holds 2,304"
    assert verdict(half, half, stated(1024)).verdict == "pass"


def stopped(rows: Sequence[Row]) -> list[Row]:
    """Return rows of which an early stop left out the last trial of each distance."""
    return [
        replace(row, outcome="not_asked", error=EARLY_STOP, source=None, recorded_at=None) if row.trial == 9 else row
        for row in rows
    ]


def test_a_stated_minimum_that_was_not_tested_to_its_end_does_not_pass() -> None:
    before = digested(reaching(4096), "a")
    given = verdict(before, stopped(before), stated(1024))
    assert ([band.verdict for band in given.bands], given.verdict) == (["pass"], "inconclusive")
    assert verdict(before, before, stated(1024)).verdict == "pass"


def test_a_stated_minimum_that_is_not_tested_takes_no_share_of_alpha() -> None:
    """Five lost and none gained have a mid-p-value of 1/64: enough for one of two bands, and not for one of four."""
    before, after = run(*["correct"] * 100, band="all"), run(*["wrong"] * 5, *["correct"] * 95, band="all")
    passkeys = reaching(4096)
    given = verdict(joined(before, passkeys), joined(after, stopped(passkeys)), stated(1024, 2048))
    assert [band.verdict for band in given.regressed] == ["regression"]
    tested = verdict(joined(before, passkeys), joined(after, passkeys), stated(1024, 2048))
    assert tested.regressed == ()


def test_bands_and_minimums_share_alpha() -> None:
    """Four lost and none gained have a mid-p-value of 1/32: enough for one hypothesis, and not for one of two."""
    fields: dict[str, Any] = {"test": "passkey", "params": {"window": 4096, "k": 4096}, "band": "all"}
    before, after = run(*["correct"] * 100, **fields), run(*["wrong"] * 4, *["correct"] * 96, **fields)
    assert verdict(before, after).verdict == "regression"
    assert verdict(before, after, stated(4096)).verdict == "inconclusive"


def fails(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
    return [Reported("sums", {"sum": 1}, "Sums", {"sum": "1"}, StatedMinimum(math.nan, True, "no sum"))]


def test_a_familys_own_code_that_fails_makes_it_invalid_in_a_sentence() -> None:
    test = replace(shipped()["line_retrieval"], report=Report(x="lines", gate=fails))
    given = give_verdict(BASELINE, BASELINE, RULES, {test.name: test})
    assert (given.verdict, given.tests[0].reported) == ("invalid", ())
    [reason] = given.tests[0].reasons
    assert reason.startswith(
        "the addition of line_retrieval to the gate failed: ValueError: nan is not a p-value (report.py,"
    )


def lacks_keys(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
    named = Rate(sum(row.trace.get("named", 0) for row in after), len(after))
    minimum = StatedMinimum(named.p_below(0.5), named.hi < 0.5, f"{named.rate:.0%} name the key, below 50%")
    return [Reported("keys", {"named": named.rate}, "Keys named", {"named": str(named)}, minimum)]


def test_the_report_of_a_test_function_adds_to_the_gate_and_one_that_is_lacking_makes_it_invalid() -> None:
    own = digested(run(*right_of(90, 100), test="test_keys", cell="all", band="all"), "a")
    reports = {"test_keys": Report(gate=lacks_keys)}
    given = verdict(own, own, replace(RULES, reports=reports))
    assert (given.verdict, [each.minimum.says for each in given.tests[0].missed if each.minimum]) == (
        "regression",
        ["0% name the key, below 50%"],
    )
    named = [replace(row, trace={"named": 1}) for row in own]
    assert verdict(named, named, replace(RULES, reports=reports)).verdict == "pass"
    assert verdict(own, own).verdict == "pass"
    lacking = verdict(own, own, replace(RULES, reports={"test_keys": None}))
    assert lacking.verdict == "invalid"
    assert (
        lacking.tests[0].reasons[0].startswith("the report of test_keys adds to the gate, but pytest collects no such")
    )
    failing = verdict(own, own, replace(RULES, reports={"test_keys": Report(gate=fails)}))
    assert failing.tests[0].reasons[0].startswith("the addition of test_keys to the gate failed: ValueError")


def outcomes(band: str, *kinds: str, **fields: Any) -> list[Row]:
    return run(*kinds, band=band, cell=band, **fields)


SORRY = outcomes("long", *["unparseable"] * 600)


def test_a_baseline_that_has_nothing_to_lose_passes_nothing() -> None:
    """600 times "Sorry, I cannot say." against itself, with the very same answers: no run can fail."""
    given = verdict(digested(SORRY, "a"), digested(SORRY, "a"))
    [band] = given.tests[0].bands
    assert (given.verdict, given.reasons, band.verdict, band.settled) == ("invalid", (), "invalid", True)
    assert band.reason.startswith("600 of the baseline's 600 replies are unreadable or cut off")
    floor = outcomes("long", *right_of(4, 200))
    [band] = verdict(floor, floor).tests[0].bands
    assert (band.verdict, band.needed) == ("invalid", None)
    assert band.reason.endswith("does not significantly exceed 0 by more than 5.0%")


def test_guessing_among_four_is_nothing_to_lose() -> None:
    guessed = outcomes("all", *right_of(60, 200), test="collage")
    [band] = verdict(guessed, guessed).tests[0].bands
    assert band.reason.endswith("does not significantly exceed guessing, 0.25, by more than 5.0%")
    able = outcomes("all", *right_of(160, 200), test="collage")
    assert "invalid" not in [band.verdict for band in verdict(able, able).tests[0].bands]


def test_a_test_function_that_guesses_has_nothing_to_lose() -> None:
    """Two names: 0.52 against 0.48 is what guessing reaches. A check of the test states no accuracy for guessing."""

    def names(right: int, guessing: float | None, test: str = "test_name") -> list[Row]:
        outcomes = right_of(right, 300)
        return run(*outcomes, band="all", test=test, cell="all", guessing=guessing)

    [band] = verdict(names(156, 0.5), names(156, 0.5)).bands
    assert (band.verdict, "guessing, 0.50," in band.reason) == ("invalid", True)
    [later] = verdict(names(156, None), names(156, 0.5)).bands
    assert later.verdict == "invalid", "a baseline from before its marker stated it"
    assert verdict(names(156, None), names(156, None)).verdict == "pass"
    assert verdict(names(200, 0.5), names(200, 0.5)).verdict == "pass"


def test_a_stated_rate_of_guessing_counts_in_tests_that_are_not_known() -> None:
    guessed = run(*right_of(156, 300), band="all", test="name", cell="all")
    [band] = give_verdict(guessed, guessed, RULES, guessing=0.5).bands
    assert (band.verdict, "guessing, 0.50," in band.reason) == ("invalid", True)
    assert give_verdict(guessed, guessed, RULES).verdict == "pass"


def test_a_regression_elsewhere_outranks_a_baseline_with_nothing_to_lose() -> None:
    given = verdict(
        joined(BASELINE, outcomes("floor", *["wrong"] * 90)),
        joined(rows((180, 160, 90)), outcomes("floor", *["wrong"] * 90)),
    )
    assert given.verdict == "regression"
    assert [band.verdict for band in given.tests[0].bands] == ["pass", "pass", "regression", "invalid"]


def test_a_model_that_turned_unreadable_has_regressed() -> None:
    able = outcomes("long", *right_of(150, 200))
    turned = outcomes("long", *["unparseable"] * 200)
    assert verdict(able, turned).verdict == "regression"
    assert verdict(turned, able).verdict == "invalid", "nothing could have been lost"


def test_a_table_that_the_profile_leaves_out_is_not_judged() -> None:
    """Its rows have no band; if the baseline's have one, its judgement is missed, or goes by the baseline's terms."""
    floor = run(*["wrong"] * 50, test="graph_walks")
    banded = run(*["wrong"] * 50, test="graph_walks", band="all")
    for before, expected in ((floor, "pass"), (banded, "invalid")):
        given = verdict(joined(BASELINE, before), joined(BASELINE, floor))
        assert (given.verdict, [test for test, _ in given.not_gated]) == (expected, ["graph_walks"])
    able = run(*["correct"] * 50, test="graph_walks", band="all")
    by_base = verdict(joined(BASELINE, able), joined(BASELINE, floor), Rules(age=RULES.age, of_base=True))
    assert (by_base.verdict, by_base.not_gated) == ("regression", ())
    given = verdict(floor, floor)
    assert given.reasons == ("the run has no cell that a gate judges: its profile excludes all of them",)


def test_another_number_of_lines_is_compared_unpaired() -> None:
    given = verdict(lines(5, 196), lines(3, 200))
    [band] = given.tests[0].bands
    assert (given.verdict, given.reasons) == ("pass", ())
    assert (band.band.name, band.n, band.lost, band.gained) == ("all, lines 5 → 3", 200, 0, 0)
    assert math.isclose(band.difference, 0.02)
    fallen = verdict(lines(5, 196), lines(30, 150))
    assert fallen.verdict == "regression"
    assert [test.alone for test in fallen.tests] == [(0, 0)]


def test_two_samples_show_less_than_pairs() -> None:
    paired, unpaired = (verdict(lines(5, 150), lines(number, 150)).verdict for number in (5, 3))
    assert (paired, unpaired) == ("pass", "inconclusive")


def test_what_was_not_measured_of_two_samples_counts_as_wrong_at_worst() -> None:
    after = lines(3, 197, n=197) + run(
        *["not_asked"] * 3, band="all", cell="lines-3", params={"lines": 3, "block_size": None}
    )
    after = [replace(row, trial=place) for place, row in enumerate(after)]
    given = verdict(lines(5, 198), after)
    assert given.tests[0].missing == 3
    assert given.verdict == "invalid"


def test_a_run_that_was_stopped_early_shows_nothing_by_two_samples() -> None:
    after = [replace(row, trial=place) for place, row in enumerate(lines(3, 10, n=199) + lines(3, 0, n=1))]
    after[-1] = replace(after[-1], outcome="not_asked", error="early stop")
    given = verdict(lines(5, 196), after, replace(RULES, looks=RunLooks.all("equal")))
    assert [band.verdict for test in given.tests for band in test.bands] == ["inconclusive"]


def test_a_pair_at_another_length_is_a_pair() -> None:
    def tokens(number: int, correct: int) -> list[Row]:
        outcomes = right_of(correct, 100)
        place = {"cell": f"tokens-{number}", "params": {"tokens": number}}
        return run(*outcomes, band="all", test="test_refund_code", **place)

    given = verdict(tokens(2000, 95), tokens(1000, 95))
    [band] = given.tests[0].bands
    assert (given.verdict, band.n, band.unpaired) == ("pass", 100, None)
    assert str(given.tests[0].across[0]) == "tokens 2,000 → 1,000"


def test_a_small_drop_in_all_bands_is_a_regression_of_the_run() -> None:
    """4 of 200 lost in each of three bands: none shows a drop by itself, and together they do."""
    given = verdict(BASELINE, joined(rows((176, 156, 136))), replace(RULES, margin=0.1))
    assert {band.verdict for band in given.bands} == {"pass"}
    assert not any(band.shown for band in given.bands)
    assert given.run is not None
    assert (given.run.verdict, given.run.n, given.run.lost, given.run.gained) == ("regression", 600, 12, 0)
    assert (given.verdict, given.reasons) == ("regression", ())


def test_a_drop_of_the_run_below_its_margin_decides_nothing() -> None:
    given = verdict(BASELINE, joined(rows((178, 157, 137))), replace(RULES, margin=0.1))
    assert given.run is not None
    assert (given.run.verdict, given.run.shown, given.verdict) == ("pass", True, "pass")


@pytest.mark.parametrize(
    ("right", "of_run", "whole"),
    [
        ((180, 160, 140), "pass", "pass"),
        ((178, 158, 138), "pass", "pass"),
        ((170, 150, 130), "pass", "pass"),
        ((165, 145, 125), "regression", "regression"),
        ((180, 160, 90), "regression", "regression"),
    ],
)
def test_a_run_with_a_stated_margin_must_pass(right: tuple[int, ...], of_run: str, whole: str) -> None:
    given = verdict(BASELINE, joined(rows(right)), TOGETHER)
    assert given.run is not None
    assert given.run_change is not None
    assert (given.run.verdict, given.verdict) == (of_run, whole)
    assert (given.run_change.before.correct, given.run_change.after.correct) == (480, sum(right))
    assert given.run_change.interval[0] <= given.run.difference <= given.run_change.interval[1]


def test_a_run_with_a_stated_margin_of_few_trials_is_inconclusive_though_its_bands_pass() -> None:
    before, after = joined(rows((30, 30), n=30)), joined(rows((29, 29), n=30))
    given = verdict(before, after, TOGETHER)
    assert {band.verdict for band in given.bands} == {"pass"}
    assert given.run is not None
    assert (given.run.verdict, given.verdict, given.regressed) == ("inconclusive", "inconclusive", ())
    assert (given.run.needed or 0) > 60
    same = digested(before, "a")
    replayed = verdict(same, same, replace(TOGETHER, run_margin=0.01))
    assert replayed.run is not None
    assert (replayed.run.same_answers, replayed.verdict) == (True, "pass")


def test_what_is_missing_counts_as_wrong_of_a_run_with_a_stated_margin() -> None:
    before = joined(rows((100, 100), n=100))
    missing = joined(rows((100,), n=100), run(*["correct"] * 99, "infra_error", band=BANDS[1], cell=BANDS[1]))
    given = verdict(before, missing, replace(TOGETHER, run_margin=0.0135))
    assert given.verdict == "invalid"
    would = (
        "if the missing trials counted as wrong, the verdict on all bands together would be inconclusive and not pass"
    )
    assert given.reasons == (would,)


def test_a_single_band_is_no_run_beside_itself() -> None:
    assert verdict(joined(rows((180,))), joined(rows((174,))), replace(RULES, margin=0.1)).run is None


def test_clusters_extend_over_the_bands_of_a_run() -> None:
    """20 sections, each asked in two bands, of which 3 are lost in both: 20 clusters, and not 40."""

    def of(lost: int) -> list[Row]:
        outcomes = ["wrong"] * lost + ["correct"] * (20 - lost)
        return [
            replace(row, cluster=f"section-{row.trial}")
            for band in ("short", "long")
            for row in run(*outcomes, band=band, cell=band)
        ]

    together = verdict(of(0), of(3)).run
    assert together is not None
    assert (together.n, together.clusters) == (40, 20)
    assert together.p_value == pytest.approx(1 / 8)


def noisy(right: int, start: int, **fields: Any) -> list[Row]:
    """So many right of 200, in trials that begin at another place, as an answer that changes by chance has them."""
    outcomes = right_of(right, 200)
    return run(*(outcomes[(index + start) % 200] for index in range(200)), band="short", **fields)


def test_several_runs_of_the_baseline_are_averaged() -> None:
    """Each pair of runs differs in 20% of the trials; a third and a second run tell more than the first alone."""
    rules = replace(RULES, margin=0.075)
    runs = [noisy(140, start, repeat=repeat) for repeat, start in enumerate((0, 20, 180))]
    later = noisy(140, 10)
    alone, together = verdict(runs[0], later, rules), verdict(joined(*runs), later, rules)
    assert (alone.baseline_runs, together.baseline_runs) == (1, 3)
    [one], [three] = alone.bands, together.bands
    assert (three.n, three.difference) == (200, 0)
    assert three.bound < one.bound
    assert three.lost == three.gained == pytest.approx(50 / 3, abs=1e-5)
    [test] = together.tests
    [change] = test.changes
    assert (change.before.n, change.after.n) == (600, 200)
    assert test.alone == (0, 0)


def test_a_drop_is_shown_against_several_runs() -> None:
    runs = [noisy(180, start, repeat=repeat) for repeat, start in enumerate((0, 20, 180))]
    given = verdict(joined(*runs), noisy(140, 10))
    assert given.verdict == "regression"
    assert given.bands[0].p_value < 1e-6


def test_a_replay_of_any_run_of_the_baseline_has_its_own_answers() -> None:
    runs = [digested(noisy(140, start, repeat=repeat), str(start)) for repeat, start in enumerate((0, 20, 180))]
    replayed = [replace(row, repeat=0) for row in runs[1]]
    [band] = verdict(joined(*runs), replayed).bands
    assert band.same_answers


def test_partial_credit_is_gated_on_its_mean() -> None:
    trials = run(*["correct"] * 200, test="test_a", band="all")
    was, same, worse = (
        [check_row(trial, "score", credit + 0.001 * (trial.trial % 7)) for trial in trials]
        for credit in (0.9, 0.9, 0.7)
    )
    passed, fell = give_verdict(was, same, RULES), give_verdict(was, worse, RULES)
    assert (passed.verdict, fell.verdict) == ("pass", "regression")
    [change] = fell.tests[0].changes
    assert [round(rate.rate, 2) for rate in (change.before, change.after)] == [0.9, 0.7]
