"""Findings appear where numbers show them, and only there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.protocols.reports.collage_analysis import Effect, Favourite, QaSummary
from longctx.protocols.reports.collage_report import found
from longctx.report.page.facts import unmeasured
from longctx.report.text import findings
from longctx.results.row import EARLY_STOP, Subject
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary
from longctx.views.answers import Answers, CellSummary, answers_by_cell
from longctx.vocabulary.report import Rank
from tests.rows import row
from tests.summaries import answers_to, made

SUBJECT = Subject("m", "protocol")
WHO = "m, prompts protocol"


def lines(count: int, rate: Rate, block_size: int | None = None, **outcomes: int) -> CellSummary:
    params = {"lines": count, "block_size": block_size}
    return CellSummary("line_retrieval", SUBJECT, f"lines-{count}", params, rate, outcomes, 0.5, 9)


def distance(k: int, correct: int, window: int = 4096) -> CellSummary:
    params = {"window": window, "k": k}
    return CellSummary("passkey", SUBJECT, f"window-{window}-k-{k}", params, Rate(correct, 10), {}, 0.5, k)


def passkey(*k_max: int) -> list[Answers]:
    """Return answers in a window of 4,096 tokens, and in larger ones, with the key found up to each k_max."""
    windows = [(4096 + number, reached) for number, reached in enumerate(k_max)]
    distances = (1024, 2048, 3072)
    return answers_to(
        *(distance(k, 10 * (k <= reached), window) for window, reached in windows for k in (*distances, window))
    )


def test_each_test_has_its_word_before_one_has_two(empty: Summary) -> None:
    fallen = [lines(count, rate, size) for size in (None, 2) for count, rate in ((5, Rate(49, 50)), (100, Rate(1, 50)))]
    sentences = findings(made(empty, cells=tuple(fallen), passkey=passkey(2048)))
    assert [sentence.partition(":")[0] for sentence in sentences] == [
        f"Line retrieval, {WHO}, ordered",
        f"Passkey, {WHO}",
        f"Line retrieval, {WHO}, blocks of 2",
    ]


def test_what_holds_comes_last(empty: Summary) -> None:
    fallen = (lines(5, Rate(49, 50)), lines(100, Rate(1, 50)))
    sentences = findings(made(empty, cells=fallen, passkey=passkey(4096, 2048)))
    assert sentences[-1].endswith("the key is found from every distance (k_max 4,096).")
    assert len(sentences) == 3


def test_many_unusable_replies_come_before_rates(empty: Summary) -> None:
    fallen = (lines(5, Rate(49, 50)), lines(100, Rate(1, 50), truncated=30))
    assert "30% of 100 replies are truncated" in findings(made(empty, cells=fallen))[0]


def test_of_nothing_there_is_nothing_to_say(empty: Summary) -> None:
    assert findings(empty) == []


def test_a_rate_that_falls_with_length(empty: Summary) -> None:
    fallen = made(empty, cells=(lines(100, Rate(1, 50)), lines(5, Rate(49, 50)), lines(20, Rate(30, 50))))
    assert findings(fallen) == [
        f"Line retrieval, {WHO}, ordered: accuracy falls from 0.98 at 5 lines to 0.02 at 100 lines."
    ]
    orders = made(empty, cells=(lines(5, Rate(49, 50)), lines(100, Rate(1, 50), 1)))
    assert findings(orders) == []
    overlapping = made(empty, cells=(lines(5, Rate(26, 50)), lines(100, Rate(24, 50))))
    assert findings(overlapping) == []


@pytest.mark.parametrize(
    ("k_max", "says"),
    [
        (0, "the key is not found even at the smallest distance."),
        (4096, "the key is found from every distance (k_max 4,096)."),
        (2048, "the key is found up to k_max 2,048 [2,048, 4,096] and not reliably beyond."),
    ],
)
def test_how_far_the_window_reaches(empty: Summary, k_max: int, says: str) -> None:
    sentences = findings(made(empty, passkey=passkey(k_max)))
    assert sentences == [f"Passkey, {WHO}: in a window of 4,096 tokens, {says}"]


def test_a_window_that_is_reached_by_the_20_percent_rule_alone_is_not_called_found(empty: Summary) -> None:
    def at(*cells: CellSummary) -> list[str]:
        return findings(made(empty, cells=cells, passkey=answers_to(*cells)))

    [often] = at(distance(2048, 10), distance(4096, 9))
    assert often.endswith("the key is found from every distance (k_max 4,096).")
    [seldom] = at(distance(2048, 10), distance(3072, 2), distance(4096, 5))
    assert seldom.endswith(
        "k_max is the farthest distance, 4,096, by its 20% rule; the key is found least often at 3,072 tokens: "
        "0.20 [0.06, 0.51] n=10."
    )


def test_replies_that_cannot_be_used(empty: Summary) -> None:
    many = lines(5, Rate(10, 20), truncated=2, wrong=8, correct=10)
    assert findings(made(empty, cells=(many,))) == [f"Line retrieval, {WHO}: 10% of 20 replies are truncated."]
    few = lines(5, Rate(10, 50), truncated=2)
    assert findings(made(empty, cells=(few,))) == []


def test_wrong_answers_that_are_mostly_another_line(empty: Summary) -> None:
    def told(echoes: int, *others: int) -> list[str]:
        traces = [*({"line": 2, "place_distance": each} for each in others), *[{"echoed_line": 1}] * echoes]
        wrong = [row("wrong", model="m", trial=trial, trace=trace) for trial, trace in enumerate(traces)]
        return findings(made(empty, line_retrieval=answers_by_cell([], wrong)))

    assert told(1, -2, -1, 1, 1) == [
        f"Line retrieval, {WHO}: of 5 wrong answers, 4 are another line's value, 3 of them of the line next to the "
        "target in place."
    ]
    assert told(9, -2, -1, 1, 1) == [f"Line retrieval, {WHO}: of 13 wrong answers, 9 are the number of a line."]
    assert told(4, 1, 2, 3, 4) != []
    assert told(0, 1, 1) == [], "too few to tell"


def test_an_effect_whose_interval_leaves_zero(empty: Summary) -> None:
    shown, not_shown = Paired(12, 0, 30), Paired(3, 2, 30)
    effects = tuple(
        Effect("a scratchpad", "none", depth, paired, 100.0) for depth, paired in ((0, shown), (50, not_shown))
    )
    [finding] = found([QaSummary(SUBJECT, 3000, 0, 0, effects, {})])
    assert finding == (
        Rank.EFFECT,
        "with a scratchpad, accuracy differs in 1 of 2 comparisons, most from no examples, "
        "needle at beginning: +0.40 [+0.24, +0.58] n=30",
    )


def test_a_model_that_says_one_letter_whatever_it_is_asked(empty: Summary) -> None:
    given = {
        "none": Favourite("D", Rate(12, 30)),
        "two": Favourite("D", Rate(28, 30)),
        "five": Favourite("D", Rate(30, 30)),
        "unrelated": Favourite("A", Rate(19, 19)),
    }
    [finding] = found([QaSummary(SUBJECT, 3000, 0, 0, (), {}, given)])
    assert finding == (
        Rank.CAUSE,
        "the answer is nearly always D with 2 examples (28 of 30), 5 examples (30 of 30): "
        "these accuracies reflect a bias toward D, not reading",
    )


def test_what_was_not_measured_is_told_at_the_top_with_its_reasons(empty: Summary) -> None:
    errors = {"missing": 2, "stale": 1, EARLY_STOP: 4}
    summary = made(replace(empty, unmeasured=7, replayed=3, errors=errors), passkey=passkey(4096))
    assert unmeasured(summary) == (
        "3 of 10 trials were not measured: no answer is recorded (2); the recorded answer is of another request (1). "
        "They do not count in any accuracy."
    )
    assert len(findings(summary)) == 1
    assert unmeasured(replace(summary, errors={EARLY_STOP: 4})) == ""
