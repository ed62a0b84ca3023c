"""The lines of the first table: what each source reports, in place of an accuracy over all that it kept apart."""

from __future__ import annotations

import pytest

from longctx.results.row import Row
from longctx.summary.summary import constants_said, lines, summarize, tokens_of
from longctx.vocabulary.report import Report
from tests.rows import asked, row


def said(rows: list[Row], **reports: Report) -> str:
    [line] = lines(summarize(rows, reports=reports))
    return line.text


def test_line_retrieval_is_told_by_lines_and_order_with_the_tokens_beside_them() -> None:
    rows = [
        each
        for lines_, block, right in ((10, None, 8), (3, None, 9), (3, 1, 4), (10, 1, 2), (10, 5, 1))
        for each in asked("line_retrieval", right, 10, {"lines": lines_, "block_size": block}, input_tokens=20 * lines_)
    ]
    assert said(rows) == (
        "ordered 0.90, 0.80; shuffled 0.40, 0.20 at 3, 10 lines (60, 200 tokens); "
        "blocks of 5 0.10 at 10 lines (200 tokens)"
    )


@pytest.mark.parametrize(
    ("trials", "text"),
    [
        (40, "k_max 128 at 256; 512 at 1,024 tokens"),
        (5, "k_max 128 [128, 256] at 256; 512 [512, 1,024] at 1,024 tokens"),
        (4, "k_max 4/8 keys at 256; 8/12 keys at 1,024 tokens"),
    ],
)
def test_passkey_has_k_max_of_each_window_from_five_trials_a_distance(trials: int, text: str) -> None:
    places = [(1024, 256, 1), (1024, 512, 1), (1024, 1024, 0), (256, 128, 1), (256, 256, 0)]
    assert (
        said([r for w, k, right in places for r in asked("passkey", right * trials, trials, {"window": w, "k": k})])
        == text
    )


def test_qa_is_told_by_position_and_by_variant() -> None:
    rows = [
        each
        for variant, depth, right in (("two", 0, 1), ("two", 100, 0), ("none", 0, 4), ("none", 100, 3))
        for each in asked("collage", right, 4, {"budget": 2600, "variant": variant, "depth": depth, "letters": "own"})
    ]
    pad = {"budget": 2600, "variant": "none_scratchpad", "depth": 0, "letters": "own"}
    rows += [row("unparseable", test="collage", cell="pad", params=pad, trial=trial) for trial in range(4)]
    assert said(rows) == (
        "beginning 1.00, end 0.75 of 2,600 tokens; "
        "no examples 0.88, 2 examples 0.12 over positions of 2,600 tokens; "
        "no examples + scratchpad 0.00 of 2,600 tokens (no <Answer> tag)"
    )


def test_controls_are_apart() -> None:
    records = (("none", 1), ("right", 9), ("wrong", 2))
    rows = [r for record, right in records for r in asked("control", right, 10, {"longest": 600, "record": record})]
    assert said(rows) == "the right section 0.90, a wrong section 0.20, no section 0.10"


@pytest.mark.parametrize("name", ["fill", "chunks"])
def test_a_function_is_told_by_fill_or_by_number_of_chunks(name: str) -> None:
    rows = [r for at, right in ((2000, 9), (400, 10)) for r in asked("test_it", right, 10, {name: at})]
    assert said(rows) == f"1.00, 0.90 at 400, 2,000 {'chunks' if name == 'chunks' else 'filler tokens'}"


def test_strategies_have_a_curve_each() -> None:
    rows = [
        each
        for strategy, right in (("none", 4), ("cut", 1))
        for at in (500, 1000)
        for each in asked("test_it", right, 4, {"fill": at}, labels={"strategy": strategy})
    ]
    assert said(rows) == "none 1.00, 1.00; cut 0.25, 0.25 at 500, 1,000 filler tokens"


def test_a_single_accuracy_has_its_interval_and_what_was_not_measured_a_dash() -> None:
    assert said(asked("test_it", 9, 10, {})) == "0.90 [0.60, 0.98]"
    assert said([row("not_asked", test="test_it")]) == "-"


def test_a_report_declares_its_figure_and_a_faulty_one_is_named() -> None:
    rows = asked("test_it", 9, 10, {"size": 3})
    assert said(rows, test_it=Report(figure=lambda cells: f"{len(cells)} cell")) == "1 cell"
    summary = summarize(rows, reports={"test_it": Report(figure=lambda cells: 1 / 0)})
    [line] = lines(summary)
    assert line.text == "0.90 [0.60, 0.98]"
    [fault] = summary.faults
    assert fault.startswith(
        "The report of test_it failed in `figure`, and has only the default parts there: ZeroDivisionError: division "
        "by zero "
    )


def test_the_tokens_that_were_sent_stand_beside_those_of_the_filler() -> None:
    rows = [
        each
        for at, sent in ((500, 611), (2000, 2340))
        for each in asked("test_it", 4, 4, {"tokens": at}, input_tokens=sent)
    ]
    assert said(rows) == "1.00, 1.00 at 500, 2,000 filler tokens (611, 2,340 sent)"


def test_the_best_constant_answer_stands_beside_accuracies_of_letters() -> None:
    def lettered(budget: int, right: str, letters: str | None) -> list[Row]:
        params = {"budget": budget, "variant": "none", "depth": 0, "letters": letters}
        cell = f"{budget}-{letters}"
        return [
            row("wrong", test="collage", cell=cell, params=params, trial=trial, expected=letter)
            for trial, letter in enumerate(right)
        ]

    rows = [*lettered(2600, "DDDA", "own"), *lettered(5200, "DDDA", "own"), *lettered(7000, "ABCD", "own")]
    [line] = lines(summarize(rows))
    assert {length: str(constant) for length, constant in line.constants.items()} == {2600: "D 0.75", 5200: "D 0.75"}
    assert constants_said(line.constants) == "best constant answer: D 0.75 at 2,600, 5,200"
    [line] = lines(summarize([*rows, *lettered(2600, "AAAB", None)]))
    assert constants_said(line.constants) == "best constant answer: D 0.75 at 2,600 own, 5,200 own; A 0.75 at 2,600"


def test_each_curve_has_the_tokens_that_were_sent_for_it() -> None:
    rows = [
        each
        for strategy, sent in (("none", (3_196, 12_052)), ("cut", (3_196, 6_087)))
        for at, tokens in zip((2000, 8000), sent, strict=True)
        for each in asked("test_it", 4, 4, {"fill": at}, labels={"strategy": strategy}, input_tokens=tokens)
    ]
    assert said(rows) == (
        "none 1.00, 1.00 (3,196, 12,052 sent); cut 1.00, 1.00 (3,196, 6,087 sent) at 2,000, 8,000 filler tokens"
    )
    [line] = lines(summarize(rows))
    assert [tokens_of([point]) for point in line.points] == [3_196, 12_052, 3_196, 6_087]


def test_lengths_called_tokens_have_the_tokens_that_were_sent_beside_them() -> None:
    place = {"budget": 28_000, "variant": "none", "letters": "own"}
    rows = [
        each
        for depth, sent in ((0, 20_480), (100, 20_486))
        for each in asked("collage", 3, 4, {**place, "depth": depth}, input_tokens=sent)
    ]
    assert said(rows) == "beginning 0.75, end 0.75 of 28,000 tokens (20,483 sent)"
    two = {"budget": 28_000, "variant": "two", "letters": "own", "depth": 0}
    five = {**two, "variant": "five"}
    rows += [*asked("collage", 2, 4, two, input_tokens=20_900), *asked("collage", 1, 4, five, input_tokens=22_000)]
    assert said(rows).endswith(
        "no examples 0.75, 2 examples 0.50, 5 examples 0.25 over positions of 28,000 tokens "
        "(20,483, 20,900, 22,000 sent)"
    )


def test_accuracies_of_other_tasks_at_one_length_have_their_own_tokens() -> None:
    walks = (("neighbors", 1, 852), ("parents", 0, 836))
    rows = [
        each
        for operation, depth, sent in walks
        for each in asked(
            "graph_walks", 1, 4, {"context": 400, "operation": operation, "depth": depth}, input_tokens=sent
        )
    ]
    assert said(rows) == "depth 1 0.25 (852 sent); parents 0.25 (836 sent) at 400 tokens"
