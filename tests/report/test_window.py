"""The sentence on how full the window may get, and the table of fills."""

from __future__ import annotations

import json

import pytest

from longctx.report.default_views import default_views
from longctx.report.function_reports import FRONTIER, window_sentences, window_tables
from longctx.report.page.contents import sections
from longctx.report.run_folder import as_json
from longctx.report.terminal import as_terminal
from longctx.report.text import as_markdown, findings
from longctx.results.row import ALONE, CALLS_TOOL, Row
from longctx.stats.rates import Rate
from longctx.summary.summary import summarize
from longctx.summary.windows import windows
from tests.rows import filled


def test_up_to_where_a_loss_is_ruled_out_and_where_points_are_lost() -> None:
    rows = [*filled(8000, 90, 100), *filled(64000, 89, 100), *filled(128000, 70, 100)]
    rows += filled(128000, 85, 100, "summary-at-60000", strategy_usd=0.04)
    rows += filled(8000, 89, 100, "summary-at-60000")
    [sentence] = window_sentences(windows(rows))
    assert sentence.startswith(
        "Up to 64k a loss of 10 points compared with 8k is ruled out; at 128k 20 points are lost ["
    )
    assert "With summary-at-60000, accuracy at 128k is 0.85 [0.77, 0.91] for $0.04 a session." in sentence


def test_the_intervals_of_several_strategies_hold_together() -> None:
    plain = [*filled(8000, 90, 100), *filled(64000, 89, 100)]
    summaries, cuts = (
        [*filled(8000, 90, 100, strategy), *filled(64000, 85, 100, strategy)]
        for strategy in ("summary-at-1", "cut-at-1")
    )
    [one] = window_sentences(windows([*plain, *summaries]))
    [two] = window_sentences(windows([*plain, *summaries, *cuts]))
    assert "With summary-at-1, accuracy at 64k is 0.85 [0.77, 0.91] for" in one
    assert "With summary-at-1, accuracy at 64k is 0.85 [0.75, 0.91] for" in two
    assert "With cut-at-1, accuracy at 64k is 0.85 [0.75, 0.91] for" in two


def test_losses_are_those_against_the_evidence_alone_where_all_probes_were_tried_with_it() -> None:
    tried = {"trace": {ALONE: 1}}
    rows = [*filled(2000, 35, 55, **tried), *filled(4000, 44, 55, **tried), *filled(7000, 44, 55, **tried)]
    [window] = windows(rows)
    [sentence] = window_sentences([window])
    assert [round(loss.loss, 2) for loss in window.losses.each] == [0.36, 0.2, 0.2]
    assert sentence.startswith("Already at 2k, 36 points are lost against the evidence alone [")
    assert "is ruled out" not in sentence
    [as_before] = window_sentences(windows([*rows[:-1], *filled(7000, 44, 55)[-1:]]))
    assert "evidence alone" not in as_before


def test_calls_of_tools_are_counted_where_they_stand_for_answers() -> None:
    rows = [*filled(4000, 24, 25), *filled(8000, 5, 25, trace={CALLS_TOOL: 1})]
    [sentence] = window_sentences(windows(rows))
    assert sentence.endswith("At 8k 25 of 25 replies call a tool and do not answer.")


def test_repeats_rule_no_loss_out_that_is_there() -> None:
    """Each of 60 probes is right in all of 5 answers at the smaller fill, and in 4 at the larger one."""
    rows = [
        row
        for repeat in range(5)
        for row in [*filled(8000, 60, 60, repeat=repeat), *filled(64000, 60 if repeat else 0, 60, repeat=repeat)]
    ]
    [window] = windows(rows)
    [loss] = window.losses.each
    assert (loss.n, loss.loss, loss.bound > 0.2) == (60, pytest.approx(0.2), True)
    assert window_sentences([window])[0].startswith("At 64k 20 points are lost against 8k [")


def of_sessions(number: int, probes: int, right: int, **fields: object) -> list[Row]:
    """Return the rows of sessions at two fills; at the second one, only the first probes of the last are right."""
    return [
        row
        for place in range(number)
        for fill in (2000, 6000)
        for row in filled(
            fill,
            right if fill > 2000 and place == number - 1 else probes,
            probes,
            cluster=f"s{place}",
            item=f"s{place}",
            **fields,
        )
    ]


def test_several_sessions_are_told_together_and_one_by_one() -> None:
    [window] = windows(of_sessions(5, 12, 12))
    assert window_sentences([window]) == [
        "In these 5 sessions: up to 6k a loss of 10 points compared with 2k is ruled out. In others like them: "
        "60 probes of 5 sessions "
        "are too few to compare 2k with 6k; about 31 more sessions. Each by itself: s0, s1, s2, s3 and s4: "
        "too few probes, about 70 more in each."
    ]
    [table] = window_tables("test_it", [window])
    place = table.columns.index("session")
    assert [row[place] for row in table.rows] == ["all", "all", *(f"s{number}" for number in range(5) for _ in "ab")]


def test_what_one_session_loses_is_told_of_it() -> None:
    [window] = windows(of_sessions(4, 60, 20))
    [sentence] = window_sentences([window])
    assert sentence.startswith("In these 4 sessions: at 6k 17 points are lost against 2k [")
    assert sentence.endswith(
        "Each by itself: s0, s1 and s2: up to 6k a loss of 10 points compared with 2k is ruled out; "
        "s3: at 6k 67 points are lost against 2k [54, 77]."
    )
    [data] = json.loads(as_json(summarize(of_sessions(4, 60, 20)), "run"))["windows"]
    assert [each["session"] for each in data["sessions"]] == ["s0", "s1", "s2", "s3"]
    assert [loss["size"] for loss in (*data["losses"], *data["losses_here"])] == [60, 1]


def test_many_sessions_are_counted_and_tell_of_others() -> None:
    [sentence] = window_sentences(windows(of_sessions(40, 12, 12)))
    assert sentence == (
        "In these 40 sessions: up to 6k a loss of 10 points compared with 2k is ruled out. In others like them: up to "
        "6k a loss of 10 points compared with 2k is ruled out. Each by itself: 40 sessions: too few probes, about 70 "
        "more in each."
    )


def test_a_session_without_right_answers_has_nothing_to_lose() -> None:
    rows = [*of_sessions(4, 60, 60), *filled(2000, 0, 60, cluster="bad", item="bad")]
    rows += filled(6000, 0, 60, cluster="bad", item="bad")
    [sentence] = window_sentences(windows(rows))
    assert "bad: nothing that a larger fill could lose" in sentence


def test_one_session_and_clusters_of_one_item_are_told_as_before() -> None:
    for cluster in ("s0", None):
        rows = [*filled(2000, 20, 24, cluster=cluster), *filled(6000, 20, 24, cluster=cluster)]
        [sentence] = window_sentences(windows(rows))
        assert sentence.startswith(
            "How full may it get? Not known yet: 24 probes are too few to compare 2k with 6k; about "
        )


def test_few_probes_cannot_tell() -> None:
    [sentence] = window_sentences(windows([*filled(8000, 20, 24), *filled(32000, 19, 24), *filled(128000, 18, 24)]))
    assert sentence.startswith(
        "How full may it get? Not known yet: 24 probes are too few to compare 8k with 32k and 128k; about "
    )
    assert sentence.endswith(" more.")


def test_without_a_right_answer_nothing_can_be_lost() -> None:
    [sentence] = window_sentences(windows([*filled(2000, 0, 24), *filled(4000, 0, 24)]))
    assert "0 of 24 answers are right" in sentence
    assert "a larger fill has nothing to lose" in sentence
    [sentence] = window_sentences(windows([*filled(2000, 14, 24, guessing=0.5), *filled(4000, 9, 24)]))
    assert "not significantly more than by guessing" in sentence


def test_each_model_has_its_sentence() -> None:
    rows = [*filled(2000, 20, 24), *filled(4000, 20, 24)]
    rows += [*filled(2000, 20, 24, model="other"), *filled(4000, 20, 24, model="other")]
    assert [each.partition(":")[0] for each in window_sentences(windows(rows))] == [
        "some-model, prompts protocol",
        "other, prompts protocol",
    ]


def test_only_probes_of_both_fills_are_compared() -> None:
    [window] = windows([*filled(2000, 20, 24), *filled(4000, 20, 20)])
    assert window.losses.each[0].n == 20
    assert window.losses.each[0].loss == 0
    assert windows(filled(2000, 20, 24)) == ()


def test_the_table_and_the_summary() -> None:
    rows = [*filled(2000, 20, 24), *filled(4000, 12, 24, trace={"stale": 1, "lost": 0, "invented": 0})]
    [table] = window_tables("test_it", windows(rows))
    first, second = table.rows
    assert first[table.columns.index("filler tokens")] == "2k"
    assert second[table.columns.index("stale")] == "24"
    assert second[table.columns.index("cached")] == "50%"
    assert second[table.columns.index("$ per 1,000")] == "2.00"
    summary = summarize(rows)
    text = as_terminal(summary, replays=True, verbosity=0)
    assert text.rstrip().splitlines()[-1].startswith("test_it: At 4k 33 points are lost against 2k [")
    assert "test_it: At 4k 33 points are lost against 2k [" in as_markdown(summary, "run")
    [data] = json.loads(as_json(summary, "run"))["windows"]
    assert data["losses"][0]["loss"] == pytest.approx(1 / 3)
    assert data["ruled_out_to"] is None
    assert data["fills"][1]["counts"]["stale"] == 24


def test_the_page_begins_with_a_curve_for_each_strategy() -> None:
    rows = [*filled(2000, 20, 24), *filled(4000, 12, 24)]
    rows += [*filled(2000, 20, 24, "truncate-at-3000"), *filled(4000, 4, 24, "truncate-at-3000")]
    summary = summarize(rows)
    [(name, test)] = summary.tests.items()
    first, *others = default_views(name, test, summary.of(name))
    assert first.title == "Accuracy by fill"
    assert [
        (point.x, point.series, point.value.correct) for point in first.points if isinstance(point.value, Rate)
    ] == [
        (2000, "none", 20),
        (4000, "none", 12),
        (2000, "truncate-at-3000", 20),
        (4000, "truncate-at-3000", 4),
    ]
    assert FRONTIER not in [view.title for view in others], "it would pool the fills"
    found = findings(summary)
    [section, _] = sections(summary, [])
    assert section.answers[0].startswith("At 4k 33 points are lost against 2k [")
    assert not [sentence for sentence in found if "the rate falls" in sentence], "the sentence says it"
