"""Summarizing the rows of a run."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from longctx.protocols.reports.passkey_report import EffectiveWindow, PasskeySummary, windows_of
from longctx.results.row import Row, Subject
from longctx.stats.rates import Rate
from longctx.summary.costs import UsageSummary
from longctx.summary.summary import Summary, summarize
from longctx.vocabulary.point import MEASURED
from tests.rows import passkey, row


def summary(*rows: Row) -> Summary:
    return summarize(rows)


def test_a_rate_counts_what_was_measured() -> None:
    outcomes = [*MEASURED, "correct", "infra_error", "not_asked", "not_asked"]
    [cell] = summary(*(row(outcome, trial=trial) for trial, outcome in enumerate(outcomes))).cells
    assert cell.rate == Rate(2, 6)
    assert cell.outcomes == {
        "correct": 2,
        "wrong": 1,
        "unparseable": 1,
        "refusal": 1,
        "truncated": 1,
        "infra_error": 1,
        "not_asked": 2,
    }


def test_a_cell_tells_what_it_is() -> None:
    [cell] = summary(row()).cells
    assert (cell.test, cell.subject, cell.cell) == (
        "line_retrieval",
        Subject("some-model", "protocol"),
        "lines-5",
    )
    assert cell.params == {"lines": 5, "block_size": None}


def test_depth_and_distance_are_medians_of_what_was_measured() -> None:
    depths = [(0.1, 10), (0.2, 20), (0.9, 90)]
    rows = [row(depth=depth, distance_from_end=distance) for depth, distance in depths]
    [cell] = summary(*rows, row("not_asked"), row("not_asked")).cells
    assert (cell.depth, cell.distance_from_end) == (0.2, 20)


def test_a_cell_that_was_not_measured_has_no_place() -> None:
    [cell] = summary(row("infra_error", error="overloaded")).cells
    assert cell.rate == Rate(0, 0)
    assert (cell.depth, cell.distance_from_end) == (None, None)


def test_cells_models_and_prompt_sets_stay_apart_and_in_order() -> None:
    made = summary(
        row(model="b"),
        row(model="a"),
        row(model="a", prompt_set="mine"),
        row(model="a", cell="lines-10"),
        row("wrong", model="a"),
    )
    assert [(cell.subject.model, cell.subject.prompt_set, cell.cell, cell.rate) for cell in made.cells] == [
        ("b", "protocol", "lines-5", Rate(1, 1)),
        ("a", "protocol", "lines-5", Rate(1, 2)),
        ("a", "mine", "lines-5", Rate(1, 1)),
        ("a", "protocol", "lines-10", Rate(1, 1)),
    ]


def test_live_replayed_and_unmeasured_trials_are_counted() -> None:
    made = summary(row(source="live"), row(), row("wrong"), row("not_asked", error="missing"))
    assert (made.live, made.replayed, made.unmeasured) == (1, 2, 1)


def test_causes_are_counted() -> None:
    causes = ["missing", "stale", "missing"]
    assert summary(row(), *(row("not_asked", error=cause) for cause in causes)).errors == {"missing": 2, "stale": 1}


def test_recorded_days_are_those_of_replayed_answers() -> None:
    days = ["2026-11-20", "2026-11-03", "2026-11-21"]
    replayed = [row(recorded_at=f"{day}T10:00:00+00:00") for day in days]
    live = row(source="live", recorded_at="2026-12-24T10:00:00+00:00")
    assert summary(*replayed, live, row("not_asked")).recorded == ("2026-11-03", "2026-11-21")


@pytest.mark.parametrize("rows", [(row(source="live"),), (row("not_asked"),), ()])
def test_nothing_replayed_has_no_days(rows: tuple[Row, ...]) -> None:
    assert summary(*rows).recorded is None


def test_a_run_without_rows_is_empty() -> None:
    made = summary()
    assert (made.cells, made.tests, made.usage) == ((), {}, ())
    assert (made.live, made.replayed, made.unmeasured, made.errors) == (0, 0, 0, {})


def test_tokens_are_those_of_a_test_on_a_model() -> None:
    made = summary(
        row(input_tokens=100, cached_tokens=60, output_tokens=5),
        row("wrong", input_tokens=110, cached_tokens=0, output_tokens=6),
        row("not_asked"),
        row(model="other", input_tokens=7, cached_tokens=0, output_tokens=1),
        passkey(100, input_tokens=400, cached_tokens=300, output_tokens=16),
    )
    assert [replace(usage, latency_s=(0, 0)) for usage in made.usage] == [
        UsageSummary("line_retrieval", "some-model", 210, 60, 11, cost_usd=None, latency_s=(0, 0)),
        UsageSummary("line_retrieval", "other", 7, 0, 1, cost_usd=None, latency_s=(0, 0)),
        UsageSummary("passkey", "some-model", 400, 300, 16, cost_usd=None, latency_s=(0, 0)),
    ]


def test_where_no_answer_tells_of_the_cache_it_is_not_known() -> None:
    taken = {"input_tokens": 9, "output_tokens": 1}
    [silent] = summary(row(**taken), row(**taken)).usage
    [mixed] = summary(row(**taken), row(cached_tokens=3, **taken)).usage
    assert (silent.cached, mixed.cached) == (None, 3)


def test_cost_and_latency_are_those_of_what_was_measured() -> None:
    taken = {"input_tokens": 1, "cached_tokens": 0, "output_tokens": 1}
    rows = [row(trial=trial, latency_s=trial + 1.0, cost_usd=0.25, **taken) for trial in range(4)]
    [usage] = summary(*rows, row("infra_error")).usage
    assert usage.cost_usd == 1.0
    assert usage.latency_s == (2.5, pytest.approx(3.85))


def test_labels_keep_runs_of_one_model_apart() -> None:
    made = summary(row(labels={"steps": "200", "method": "PI"}), row("wrong", labels={"steps": "0"}), row("wrong"))
    assert [(cell.subject.label, cell.rate) for cell in made.cells] == [
        ("method=PI steps=200", Rate(1, 1)),
        ("steps=0", Rate(0, 1)),
        ("", Rate(0, 1)),
    ]


def windows(*rows: Row) -> Sequence[PasskeySummary]:
    return [window for answers in summary(*rows).tests["passkey"].analysis for window in windows_of(answers.cells)]


def test_k_max_is_that_of_a_window() -> None:
    [window] = windows(passkey(100), passkey(200), passkey(300, "wrong"), passkey(400, "wrong"))
    assert (window.subject.model, window.subject.prompt_set, window.window) == ("some-model", "protocol", 400)
    assert window.effective == EffectiveWindow(200, 200, 300)
    assert window.distance_at_k_max == 207


def test_without_k_max_there_is_no_distance() -> None:
    [window] = windows(passkey(100, "wrong"), passkey(200))
    assert window.effective == EffectiveWindow(None, None, 100)
    assert window.distance_at_k_max is None


def test_a_k_that_was_not_measured_ends_k_max() -> None:
    [window] = windows(passkey(100), passkey(200, "not_asked", error="missing"), passkey(300))
    assert window.effective.k_max == 100


def test_windows_models_and_prompt_sets_have_their_own_k_max() -> None:
    made = summary(
        passkey(100),
        passkey(100, "wrong", model="weak"),
        passkey(100, "wrong", prompt_set="mine"),
        passkey(100, "wrong", cell="window-800-k-100", params={"window": 800, "k": 100}),
        row(),
    )
    reached = windows_of(made.of("passkey"))
    assert [
        (window.subject.model, window.subject.prompt_set, window.window, window.effective.k_max) for window in reached
    ] == [
        ("some-model", "protocol", 400, 100),
        ("weak", "protocol", 400, None),
        ("some-model", "mine", 400, None),
        ("some-model", "protocol", 800, None),
    ]


def test_answers_of_batches_have_no_latency() -> None:
    [usage] = summary(row(latency_s=None, input_tokens=1, output_tokens=1)).usage
    assert usage.latency_s is None
