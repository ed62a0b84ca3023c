"""The verdict on a run."""

from __future__ import annotations

from typing import Any

from longctx.families.passkey.grid import PasskeyGrid
from longctx.gate.verdict import Rules, RunVerdict, give_verdict
from longctx.results.row import Row
from tests.gate.examples import BANDS, BASELINE, RULES, rows
from tests.rows import digested, joined, run


def verdict(before: list[Row], after: list[Row], rules: Rules = RULES) -> RunVerdict:
    return give_verdict(before, after, rules)


def test_the_same_again_passes() -> None:
    given = verdict(BASELINE, BASELINE)
    [family] = given.families
    assert (given.verdict, family.verdict, given.reasons) == ("pass", "pass", ())
    assert [(band.band.family, band.band.name) for band in family.bands] == [("line_retrieval", name) for name in BANDS]


def test_a_collapse_at_the_long_end_is_a_regression() -> None:
    given = verdict(BASELINE, joined(rows((180, 160, 90))))
    [family] = given.families
    assert given.verdict == "regression"
    assert [band.verdict for band in family.bands] == ["pass", "pass", "regression"]


def test_a_few_changes_in_few_trials_are_inconclusive() -> None:
    given = verdict(joined(rows((18,), n=20)), joined(rows((17,), n=20)))
    assert given.verdict == "inconclusive"


def test_few_answers_pass_where_they_are_the_baselines_own() -> None:
    few = digested(joined(rows((18,), n=20)), "a")
    [band] = verdict(few, few).families[0].bands
    assert (band.verdict, band.same_answers, band.needed) == ("pass", True, None)
    [asked_again] = verdict(few, digested(few, "b")).families[0].bands
    assert (asked_again.verdict, asked_again.same_answers) == ("inconclusive", False)


def test_a_family_of_the_baseline_that_the_run_lacks_is_left() -> None:
    given = verdict(joined(rows((180, 160, 140)), run("correct", family="passkey")), BASELINE)
    assert [family for family, _ in given.unmatched[0]] == ["passkey"]
    assert given.verdict == "pass"


def test_a_band_that_the_run_lacks_does_not_pass() -> None:
    given = verdict(BASELINE, joined(rows((180, 160))))
    assert given.verdict == "inconclusive"
    assert given.families[0].alone == (200, 0)


def test_a_run_that_is_cut_down_never_passes() -> None:
    given = verdict(BASELINE, BASELINE, Rules(age=RULES.age, left_out=3))
    assert given.verdict == "invalid"
    assert given.reasons[0].startswith("the run leaves out 3 of the grid's scenarios")


def test_what_is_missing_makes_it_invalid() -> None:
    given = verdict(
        BASELINE, joined(rows((180, 160), n=200), run(*["infra_error"] * 200, band="long", scenario="long"))
    )
    assert given.verdict == "invalid"
    assert given.reasons == ("too little is known of line_retrieval",)
    assert given.families[0].reasons[0].startswith("200 of 600 trials were not measured")


def test_a_few_missing_that_would_change_the_verdict_make_it_invalid() -> None:
    """Six of a thousand are few, but if they were wrong, the drop would be above the margin."""
    before = joined(run(*["correct"] * 1000, band="all"))
    lost = ["wrong"] * 34
    passes = joined(run(*["correct"] * 966, *lost, band="all"))
    assert verdict(before, passes).verdict == "pass"
    missing = joined(run(*["correct"] * 958, *lost, *["infra_error"] * 8, band="all"))
    given = verdict(before, missing)
    assert given.verdict == "invalid"
    assert given.families[0].reasons == (
        "if what is missing counted as wrong, the verdict would be regression and not pass",
    )


def test_one_missing_that_would_make_an_alarm_makes_it_invalid() -> None:
    """Four lost of a hundred are 1 in 16 by chance, five 1 in 32."""
    before, lost = joined(run(*["correct"] * 100, band="all")), ["wrong"] * 4
    assert verdict(before, joined(run(*["correct"] * 96, *lost, band="all"))).verdict == "inconclusive"
    given = verdict(before, joined(run(*["correct"] * 95, *lost, "infra_error", band="all")))
    assert given.verdict == "invalid"
    assert given.families[0].reasons == (
        "if what is missing counted as wrong, the verdict would be regression and not inconclusive",
    )


def test_a_run_with_nothing_in_common_is_invalid() -> None:
    given = verdict(BASELINE, joined(rows((180, 160, 140), seed=99)))
    assert given.verdict == "invalid"
    assert "no trial in common" in given.reasons[0]


def test_a_changed_prompt_set_is_compared_with_the_one_before() -> None:
    given = verdict(BASELINE, joined(rows((100, 80, 60), prompt_set="mine")))
    assert (given.verdict, given.families[0].after.prompt_set) == ("regression", "mine")


def test_a_changed_model_is_not_judged_from_old_recordings() -> None:
    old = rows((180, 160, 140), model="new", recorded_at="2026-01-01T00:00:00+00:00", source="replayed")
    given = verdict(BASELINE, joined(old))
    assert given.verdict == "invalid"
    assert "the model has changed" in given.families[0].reasons[0]


def test_subjects_with_bands_of_one_name_are_judged_each_by_itself() -> None:
    def both(right: int) -> list[Row]:
        return joined(rows((180,), model="one"), rows((right,), model="two"))

    given = verdict(both(180), both(100))
    assert [(family.after.model, family.verdict) for family in given.families] == [
        ("one", "pass"),
        ("two", "regression"),
    ]
    assert [band.band.subject for family in given.families for band in family.bands] == [
        family.after for family in given.families
    ]


def test_it_must_be_clear_what_is_compared_with_what() -> None:
    given = verdict(BASELINE, joined(rows((180,), model="one"), rows((180,), model="two")))
    assert (given.verdict, given.families) == ("invalid", ())
    assert "[unclear-comparison]" in given.reasons[0]


WHOLE = Rules(grids={("passkey", "some-model"): [PasskeyGrid(windows=(4096,), trials=1, min_k_max=4096)]})


def test_k_max_is_gated_beside_the_bands() -> None:
    def passkey(reach: int) -> list[Row]:
        verdicts = []
        for k in range(128, 4097, 128):
            fields = {"family": "passkey", "params": {"window": 4096, "k": k}, "scenario": f"k-{k}", "band": "all"}
            verdicts.append(run(*["correct" if k <= reach else "wrong"] * 10, **fields))
        return joined(*verdicts)

    same = verdict(
        passkey(4096),
        passkey(4096),
        WHOLE,
    )
    [family] = same.families
    assert (same.verdict, [hypothesis.against_minimum for hypothesis in family.hypotheses]) == ("pass", ["pass"])
    few = digested([row for row in passkey(1024) if row.trial < 1], "a")
    assert [hypothesis.verdict for hypothesis in verdict(few, few).families[0].hypotheses] == ["pass"]
    assert [hypothesis.verdict for hypothesis in verdict(few, digested(few, "b")).families[0].hypotheses] == [
        "inconclusive"
    ]
    half = verdict(passkey(4096), passkey(2048))
    assert [hypothesis.verdict for hypothesis in half.families[0].hypotheses] == ["regression"]
    short = verdict(
        passkey(2048),
        passkey(2048),
        WHOLE,
    )
    assert (short.verdict, short.families[0].hypotheses[0].against_minimum) == ("regression", "regression")


def test_windows_make_an_alarm_of_a_band_harder() -> None:
    """Five lost and none gained are 1 in 32 by chance: enough for one hypothesis, and not for one of two."""
    lost, same = ["wrong"] * 5, ["correct"] * 95

    def alarms(family: str) -> str:
        fields: dict[str, Any] = {"family": family, "params": {"window": 4096, "k": 4096}, "band": "all"}
        if family != "passkey":
            fields["params"] = {"lines": 5}
        return verdict(joined(run(*["correct"] * 100, **fields)), joined(run(*lost, *same, **fields))).verdict

    assert (alarms("line_retrieval"), alarms("passkey")) == ("regression", "inconclusive")


def test_bands_make_an_alarm_of_a_window_harder() -> None:
    """A drop of k_max with p = 0.0175 is enough for one hypothesis of two, and not for one of three: two windows and
    a band, in which what one window lost the other gained."""

    def passkey(windows: dict[int, tuple[str, ...]]) -> list[Row]:
        return joined(
            *(
                run(
                    *outcomes,
                    family="passkey",
                    params={"window": window, "k": window},
                    scenario=f"window-{window}",
                    band="all",
                )
                for window, outcomes in windows.items()
            )
        )

    all_right, few_right = ("correct",) * 100, ("correct",) * 12 + ("wrong",) * 88
    given = verdict(passkey({4096: all_right, 8192: few_right}), passkey({4096: few_right, 8192: all_right}))
    dropped, gained = given.families[0].hypotheses
    assert 0.05 / 3 < dropped.data["p_value"] < 0.05 / 2
    assert gained.data["p_value"] > 0.5
    assert [hypothesis.verdict for hypothesis in given.families[0].hypotheses] == ["inconclusive", "pass"]
