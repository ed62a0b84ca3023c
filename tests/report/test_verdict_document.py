"""The verdict in words and as data."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from longctx.gate.verdict import Rules, give_verdict
from longctx.protocols.passkey import PasskeyAxes
from longctx.report.document import as_html, as_terminal
from longctx.report.headline import headline, why_each_band_fails
from longctx.report.markdown_document import as_markdown
from longctx.report.verdict_data import as_data
from longctx.report.verdict_document import answer_notes, verdict_document
from longctx.results.row import Row
from tests.gate.examples import BASELINE, RULES, TOGETHER, rows
from tests.report.markdown import without_code
from tests.rows import digested, joined, right_of, run


def shown(before: object, after: object, rules: Rules = RULES) -> str:
    given = give_verdict(before, after, rules)  # type: ignore[arg-type]
    return as_terminal(verdict_document(given, "main", ["prompt set: protocol → mine"]))


def test_one_line_then_evidence() -> None:
    text = shown(BASELINE, joined(rows((180, 160, 90))))
    assert text.splitlines()[0] == "Gate: regression - line_retrieval -0.250 in long"
    assert "Against the baseline main. Changed: prompt set: protocol → mine." in text
    [long] = [line for line in text.splitlines() if line.startswith("line_retrieval ") and "long " in line]
    assert "regression" in long


def test_a_mid_p_value_is_named_as_one() -> None:
    """That of independent trials; clusters have an exact p-value."""
    right, few = run(*["correct"] * 80, band="all"), run(*["wrong"] * 20, *["correct"] * 60, band="all")
    of_documents = [
        [replace(row, cluster=f"document {row.trial // 4}", item=f"document {row.trial // 4}") for row in side]
        for side in (right, few)
    ]
    for (before, after), named in (((right, few), "mid-p 4.8e-07"), (of_documents, "p 0.031")):
        given = give_verdict(before, after, RULES)
        assert next(iter(why_each_band_fails(given).values())).endswith(f", {named}")
        [band] = verdict_document(given, "main", []).tables[0].frame.to_dict("records")
        assert band["p"] == named.removeprefix("p ")


def test_a_pass_says_what_it_means() -> None:
    assert shown(BASELINE, BASELINE).startswith("Gate: pass - no drop of 5% or more, in any band\n")


def test_a_drop_within_the_margin_is_named() -> None:
    before, after = (
        joined(run(*["correct"] * 1000, band="all")),
        joined(run(*right_of(990, 1000), band="all")),
    )
    assert "line_retrieval, all: a drop of 1.0% is significant, and smaller than the margin." in shown(before, after)


def test_inconclusive_says_how_many_trials_would_settle_it() -> None:
    text = shown(joined(rows((18,), n=20)), joined(rows((17,), n=20)))
    assert text.startswith("Gate: inconclusive - not enough evidence either way")
    assert "line_retrieval, short: about " in text
    assert " trials are needed to show this drop; the run has 20." in text


def test_invalid_says_why_and_what_to_do() -> None:
    text = shown(BASELINE, BASELINE, Rules(age=RULES.age, left_out=2))
    assert text.startswith("Gate: invalid - 2 of the grid's cells were left out (-k, -x, --lf, --ctx-only): run all")
    missing = joined(rows((180, 160)), run(*["not_asked"] * 200, error="stale", band="long", cell="long"))
    assert "record them with --ctx-record new_episodes" in shown(BASELINE, missing)


def test_a_band_without_a_pair_is_shown_as_not_measured() -> None:
    missing = joined(rows((180, 160)), run(*["not_asked"] * 200, error="stale", band="long", cell="long"))
    document = verdict_document(give_verdict(BASELINE, missing, RULES), "main", [])
    bands = document.tables[0].frame
    assert bands["band"].tolist() == ["short", "middle", "long", "all"]
    assert bands["verdict"].tolist() == ["pass", "pass", "not measured", "invalid"]
    long = bands.iloc[2].to_dict()
    assert {name: cell for name, cell in long.items() if cell} == {"band": "long", "verdict": "not measured", "n": "0"}
    for text in (as_terminal(document), as_markdown(document), as_html(document)):
        tables = text.partition("By test and band of lengths")[2]
        assert "not measured" in tables
        assert "inconclusive" not in tables


def test_what_was_not_paired_is_reported() -> None:
    text = shown(joined(rows((180, 160, 140)), run("correct", test="passkey")), joined(rows((180, 160))))
    assert "line_retrieval: not paired: 200 trials that only the baseline has, and 0 that only this run has." in text
    assert "passkey of some-model, prompts protocol is in the baseline only, and is not judged." in text


def test_the_baselines_own_answers_are_named() -> None:
    own = digested(BASELINE, "a")
    text = shown(own, own)
    assert "The baseline's own recorded answers, replayed and judged the same: every band." in text
    assert "same answers" in text
    assert "own recorded answers" not in shown(BASELINE, BASELINE)


GRID = PasskeyAxes(windows=(4096,), trials=1, min_k_max=2000)


def test_k_max_has_a_table_of_its_own() -> None:
    of = {"test": "passkey", "params": {"window": 4096, "k": 4096}, "band": "all"}
    rows = joined(run(*["correct"] * 10, **of))
    text = shown(rows, rows, Rules(age=RULES.age, grids={("passkey", "some-model"): [GRID]}))
    assert "k_max (tokens)" in text
    [window] = [line for line in text.splitlines() if line.startswith("4,096")]
    assert window.split("  ")[-1].strip() == "2,000: reached"


def test_what_is_not_gated_has_no_bands() -> None:
    guessed = joined(run("correct", test="control"))
    assert shown(guessed, guessed).startswith("Gate: invalid - the run has no cell that a gate judges")


def test_cells_that_moved_are_with_intervals_for_all_of_them() -> None:
    text = shown(BASELINE, joined(rows((180, 160, 90))))
    assert (
        "Largest changes by cell, 1 of 3: not part of the verdict; the 95% intervals hold for all 3 cells together"
    ) in text
    [moved] = [line for line in text.splitlines() if line.startswith("line_retrieval/")]
    assert moved.split() == ["line_retrieval/long", "-0.250", "[-0.33,", "-0.18]", "200"]
    assert "Largest changes" not in shown(BASELINE, BASELINE)


def test_markdown_begins_with_the_verdict_and_holds_no_html() -> None:
    given = give_verdict(BASELINE, BASELINE, RULES)
    text = as_markdown(verdict_document(given, "<b>main", []))
    assert text.startswith("### ✅ longctx: 0 of 600 answers lost, 0 gained; no drop of 5% or more, in any band\n")
    assert "<b>" not in without_code(text)


def test_data_for_programs_is_json() -> None:
    given = give_verdict(BASELINE, joined(rows((180, 160, 90))), RULES)
    data = json.loads(json.dumps(as_data(given, "main", []), allow_nan=False))
    assert (data["verdict"], data["baseline"], data["margin"]) == ("regression", "main", 0.05)
    [test] = data["tests"]
    assert [(band["band"], band["verdict"], band["n"]) for band in test["bands"]] == [
        ("short", "pass", 200),
        ("middle", "pass", 200),
        ("long", "regression", 200),
    ]


def used(outcomes: list[str], **fields: object) -> object:
    return joined(run(*outcomes, band="all", **{"input_tokens": 100, "output_tokens": 10, **fields}))


def test_the_table_and_the_data_show_rates_price_and_latency_before_and_after() -> None:
    before = used(["correct"] * 300, cost_usd=0.001, latency_s=1.0)
    after = used(["correct"] * 300, cost_usd=0.003, latency_s=2.0)
    given = give_verdict(before, after, RULES)  # type: ignore[arg-type]
    [band] = verdict_document(given, "main", []).tables[0].frame.to_dict("records")
    assert (band["before"], band["after"], band["95% interval"]) == ("1.00", "1.00", "[-0.01, +0.01]")
    assert (band["$ per 1,000"], band["latency"]) == ("$1.00 → $3.00", "1.00 s → 2.00 s")
    data = as_data(given, "main", [])
    [kept] = data["tests"][0]["bands"]
    assert kept["before"]["rate"] == kept["after"]["rate"] == 1.0
    assert [side["usd"] for side in kept["usage"]] == [0.001, 0.003]
    assert round(data["usage"]["cost"]["value"], 6) == 2.0
    json.dumps(data, allow_nan=False)


def test_a_pass_that_costs_three_times_as_much_says_so() -> None:
    before, after = used(["correct"] * 300, cost_usd=0.001), used(["correct"] * 300, cost_usd=0.003)
    document = verdict_document(give_verdict(before, after, RULES), "main", [])  # type: ignore[arg-type]
    assert document.title == "Gate: pass - no drop of 5% or more, in any band; costs 3 times as much"
    assert document.badge == "pass"


def test_a_shown_gain_is_improved_beside_pass() -> None:
    before, after = used(["wrong"] * 100 + ["correct"] * 200), used(["correct"] * 300)
    document = verdict_document(give_verdict(before, after, RULES), "main", [])  # type: ignore[arg-type]
    assert document.badge == "pass, improved"
    assert document.tables[0].frame["verdict"].tolist() == ["pass, improved"]
    assert "a significant gain" in document.title


def test_one_sentence_says_what_broke() -> None:
    before, after = used(["correct"] * 300), used(right_of(200, 300))
    document = verdict_document(give_verdict(before, after, RULES), "main", [])  # type: ignore[arg-type]
    assert document.badge == "regression"
    assert document.lead == "line_retrieval, all: 100 of 300 lost, 0 gained, accuracy 1.00 → 0.67."


def test_the_sentence_names_every_band_that_fails_the_worst_first() -> None:
    def of(right: int, band: str) -> list[Row]:
        return run(*right_of(right, 100), band=band, cell=band)

    before = [*of(100, "short"), *of(100, "long"), *of(100, "longest")]
    after = [*of(80, "short"), *of(60, "long"), *of(100, "longest")]
    document = verdict_document(give_verdict(before, after, RULES), "main", [])
    assert document.lead == (
        "line_retrieval, long: 40 of 100 lost, 0 gained, accuracy 1.00 → 0.60; "
        "short: 20 of 100 lost, 0 gained, accuracy 1.00 → 0.80."
    )


@pytest.mark.parametrize(
    ("changed", "title"),
    [
        (["prompt set: chatty → protocol", "prompt templates of lines: b1 → 01"], "prompts chatty → protocol"),
        (["longctx: 1 → 2", "model: a → b", "profile: c → d"], "model a → b; profile c → d"),
        (["server without a name → q4"], "server without a name → q4"),
        (["60 of 60 requests differ"], "Against the baseline main: what changed is listed below"),
        ([], "Against the baseline main: no difference found"),
    ],
)
def test_the_title_of_the_page_is_the_change(changed: list[str], title: str) -> None:
    rows = run(*["correct"] * 300, band="all")
    document = verdict_document(give_verdict(rows, rows, RULES), "main", changed)
    assert document.change == title


def test_documents_whose_items_were_lost_together_are_listed() -> None:
    def of(*outcomes: str) -> list[Row]:
        return [replace(row, cluster=f"contract-{row.trial // 4}") for row in run(*outcomes, band="all")]

    before, after = of(*["correct"] * 80), of(*["wrong"] * 4, *["correct"] * 76)
    text = shown(before, after)
    assert "Lost together, 1 of 1" in text
    assert "contract-0" in text
    assert "contract-1" not in text
    data = as_data(give_verdict(before, after, RULES), "main", ())
    [lost] = data["tests"][0]["lost_together"]
    assert data["tests"][0]["gained_together"] == []
    assert "Gained together, 1 of 1" in shown(after, before)
    assert (lost["cluster"], lost["before"]["rate"], lost["after"]["rate"]) == ("contract-0", 1.0, 0.0)


def test_requests_that_are_not_compared_are_said_to_be() -> None:
    asked, again = (run(*["correct"] * 60, test="test_a", band="all", answers=answers) for answers in ("a", "b"))
    notes = [
        verdict_document(give_verdict(before, after, RULES), "main", []).notes[0].partition(". ")[2]
        for before, after in ((asked, again), (asked, asked), (digested(asked, None), again))
    ]
    unknown = (
        "Changed: no difference found; the requests of 60 trials are not compared, since the baseline has no digests "
        "of them."
    )
    assert notes == [unknown, "Changed: no difference found.", unknown]


def test_a_band_has_one_row_and_no_interval_of_which_nothing_is_known() -> None:
    """Fewer than 15 clusters of several trials show neither a drop nor its absence."""
    before, after = (
        [row for cluster in "abc" for row in run(*right_of(right, 10), cluster=cluster, item=cluster, band="all")]
        for right in (9, 8)
    )
    [band] = verdict_document(give_verdict(before, after, RULES), "main", []).tables[0].frame.to_dict("records")
    assert (band["95% interval"], band["bound of drop"]) == ("too few clusters", "too few clusters")
    whole, lacking = rows((180,)), run(*["infra_error"] * 50, *["correct"] * 150, band="short", cell="short")
    frame = verdict_document(give_verdict(whole, lacking, RULES), "main", []).tables[0].frame
    assert (frame["band"].tolist(), frame["verdict"].tolist()) == (["short"], ["invalid"])


def of_documents(number: int, right: int) -> list[Row]:
    """Return the rows of 30 questions about each document, of which as many are right."""
    outcomes = right_of(right, 30)
    return joined(*(run(*outcomes, cluster=f"doc-{n}", item=f"q-{n}", band="all") for n in range(number)))


def test_few_documents_show_a_collapse_and_advice_is_in_documents() -> None:
    collapsed = shown(of_documents(10, 27), of_documents(10, 3)).splitlines()[0]
    assert "regression" in collapsed
    title = shown(of_documents(10, 27), of_documents(10, 27)[1:] + of_documents(1, 27)[:1]).splitlines()[0]
    assert "inconclusive" in title
    assert "no drop is ruled out; ruling out 5 takes about" in title
    assert title.endswith("documents or other clusters")


def test_a_small_set_says_what_it_can() -> None:
    before, after = (run(*right_of(right, 21), band="all") for right in (20, 19))
    title = shown(before, after).splitlines()[0]
    said = "Gate: inconclusive - not enough evidence either way: 1 of 21 lost; a drop above "
    assert title.startswith(said)
    points, _, rest = title.removeprefix(said).partition(" points is ruled out; showing this drop takes about ")
    assert (15 < int(points) < 30, rest.endswith(" trials")) == (True, True)


def test_the_needed_trials_are_those_of_the_next_run_which_is_judged_with_this_one() -> None:
    before, after = (run(*right_of(right, 60), band="all") for right in (54, 53))
    alone, remembered = (give_verdict(before, after, Rules(0.05, next_alpha=level)) for level in (None, 0.005))
    assert (alone.verdict, remembered.verdict) == ("inconclusive", "inconclusive")
    assert 60 < (alone.bands[0].needed or 0) < (remembered.bands[0].needed or 0)
    said = "trials are needed to decide in the next run, which counts these and is judged at 0.5%; the run has 60."
    assert said in "\n".join(verdict_document(remembered, "main", []).notes)
    assert "trials are needed to decide; the run has 60." in "\n".join(verdict_document(alone, "main", []).notes)


def test_a_run_with_a_stated_margin_has_a_row_a_number_and_a_say() -> None:
    given = give_verdict(BASELINE, joined(rows((178, 158, 138))), TOGETHER)
    document = verdict_document(given, "main", [])
    pass_ = "Gate: pass - no drop of 25% or more, in any band, and none of 7.5 points in all of them together"
    assert document.title == pass_
    row = document.tables[0].frame.reset_index().to_dict("records")[-1]
    assert [row[name] for name in ("test", "band", "verdict", "before", "after", "n")] == (
        ["all bands", "", "pass", "0.80", "0.79", "600"]
    )
    assert "all bands" in document.brief
    assert any(note.endswith("for all of them the margin is 7.5%: pass.") for note in document.notes)
    data = as_data(given, "main", [])
    assert (data["margin"], data["run_margin"], data["run"]["margin"], data["run"]["verdict"]) == (
        (0.25, 0.075, 0.075, "pass")
    )
    assert data["run"]["before"]["n"] == data["run"]["n"] == 600
    assert why_each_band_fails(given) == {}


def test_all_bands_together_may_fail_alone() -> None:
    few = give_verdict(joined(rows((30, 30), n=30)), joined(rows((29, 29), n=30)), TOGETHER)
    title = verdict_document(few, "main", []).title
    assert "2 of 60 lost in all bands together; a drop above " in title
    assert "; ruling out 7.5 takes about " in title
    assert headline(few) == "INCONCLUSIVE in all bands together"
    assert headline(replace(few, cells_not_gated=3)) == "INCONCLUSIVE in all bands together, 3 cells not gated"
    assert list(why_each_band_fails(few)) == ["all bands together"]
    fell = give_verdict(BASELINE, joined(rows((165, 145, 125))), TOGETHER)
    assert verdict_document(fell, "main", []).title == "Gate: regression - all bands together -0.075"
    assert headline(fell) == "REGRESSION in all bands together"


def test_a_check_is_no_new_answer() -> None:
    rows = [replace(row, origin="new") for row in run(*["correct"] * 3, test="test_a")]
    checks = [replace(row, test="test_a.cites") for row in rows]
    [note] = answer_notes([*rows, *checks], "main")
    assert note == "Of 3 answers, 3 are new on this branch: they are not recorded on main."
