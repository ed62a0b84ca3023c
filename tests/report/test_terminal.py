"""What the terminal shows of a run: a line for each test and model, what needs attention, what was replayed."""

from __future__ import annotations

from dataclasses import replace

from longctx.report.terminal import (
    AROUND,
    MOST_LINES,
    MOST_NOTES,
    accounting,
    as_terminal,
    run_line,
)
from longctx.results.row import Subject
from longctx.stats.rates import Rate
from longctx.summary.costs import Cost
from longctx.summary.summary import Answered, Summary, Truncated
from longctx.views.answers import CellSummary

SUBJECT = Subject("some-model", "protocol")
LINES = """\
line retrieval        lines     5     10
  some-model        ordered  0.30*  0.10*
                blocks of 2     ·   0.00*
passkey  some-model  n=30  k_max 2,048 [2,048, 4,096] at 4,096 tokens
· not run; * fewer than 20 trials
70 trials: 1 live, 59 replayed, 10 not measured, $0.00"""


def cell(test: str, subject: Subject, rate: Rate, **outcomes: int) -> CellSummary:
    return CellSummary(test, subject, "all", {}, rate, outcomes, None, None)


def test_a_line_for_each_test_and_model(summary: Summary) -> None:
    assert as_terminal(summary, replays=False, verbosity=0) == LINES


def test_v_adds_the_tables_and_q_leaves_the_tests_out(summary: Summary) -> None:
    in_full = as_terminal(summary, replays=False, verbosity=1)
    assert in_full.startswith(LINES)
    assert "lines    ordered                 shuffled      blocks of 2" in in_full
    assert as_terminal(summary, replays=False, verbosity=-1) == LINES.splitlines()[-1]
    assert "accuracy" not in as_terminal(summary, replays=False, verbosity=0, gated=True)


def test_the_run_is_named_with_its_trials_and_dates(summary: Summary) -> None:
    assert run_line(summary, "profile tiny", "replay only") == (
        "longctx: profile tiny · replay only · 70 trials (2026-11-20 to 11-21)"
    )
    turn = replace(summary, recorded=("2025-12-31", "2026-01-01"))
    assert run_line(turn, "no profile", "record mode once").endswith("70 trials (2025-12-31 to 2026-01-01)")


def test_what_needs_attention_is_marked(summary: Summary) -> None:
    tools = replace(SUBJECT, shape="tool_results")
    cut = Truncated("passkey", tools, 8, 8, (16, 16), False, "all", 0)
    changed = replace(
        summary,
        cells=(
            cell("passkey", tools, Rate(0, 8), truncated=8),
            cell("line_retrieval", SUBJECT, Rate(1, 10), unparseable=4, infra_error=2),
            cell("line_retrieval.check", SUBJECT, Rate(1, 10)),
        ),
        truncated=(cut,),
        answered=(Answered("some-model", "\x1b[31mother", 3, 60),),
        costs=(Cost("some-model", 3, None, 0, 0.0),),
        tests={},
    )
    shown = as_terminal(changed, replays=False, verbosity=0)
    for line in (
        "passkey (tool results)  some-model   n=8  0.00 [0.00, 0.32] · truncated",
        "line retrieval          some-model  n=10  0.10 [0.02, 0.40] · 2 not measured · 40% unparseable",
        "! passkey (tool results): 8 of 8 replies truncated at 16 tokens; raise max_tokens.",
        "! line retrieval: 40% of 10 replies are unparseable.",
    ):
        assert f"{line}\n" in shown
    assert "! some-model: the cost of 3 live answers is not known" in shown
    assert shown.endswith("cost unknown")
    assert "\x1b" not in shown
    assert "check" not in shown


def test_a_window_that_was_full_needs_smaller_sizes(summary: Summary) -> None:
    full = Truncated("line_retrieval", SUBJECT, 2, 3, (1, 7), True, "all", 0)
    assert (
        "! line retrieval: 2 of 3 replies truncated at 1 to 7 tokens; their window was full: choose smaller sizes."
        in (as_terminal(replace(summary, truncated=(full,)), replays=False, verbosity=-1))
    )


def test_a_run_has_forty_lines_without_v(summary: Summary) -> None:
    many = tuple(cell(f"test_{n}", SUBJECT, Rate(1, 1)) for n in range(MOST_LINES))
    answered = tuple(Answered("some-model", f"other-{n}", 1, 60) for n in range(2 * MOST_NOTES))
    cut = replace(summary, cells=many, answered=answered)
    lines = as_terminal(cut, replays=False, verbosity=0).splitlines()
    assert len(lines) == MOST_LINES - AROUND
    assert any(line.endswith(" more tests: -v") for line in lines)
    assert f"! … and {MOST_NOTES + 1} more notes, which -v shows." in lines
    assert "which -v shows" not in as_terminal(cut, replays=False, verbosity=1)


def test_a_replay_sends_nothing_and_costs_nothing(summary: Summary) -> None:
    replayed = replace(summary, live=0, replayed=70, unmeasured=0, errors={})
    assert accounting(replayed, replays=True) == "70 trials: 70 replayed, 0 requests, $0.00"
    stopped = replace(summary, errors={"early stop": 8, "missing": 2}, costs=(Cost("a", 1, 1.25, 0, 0.0),))
    assert accounting(stopped, replays=False) == (
        "70 trials: 1 live, 59 replayed, 8 left out by early stopping, 2 not measured, $1.25"
    )
