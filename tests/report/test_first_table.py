"""The first table: matrices of the tests with several lengths, a line for each other test, and what has no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from longctx.report.first_table import CONSTANT, WIDTH, first_table_text, first_tables, short
from longctx.results.row import Row, Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary, summarize
from longctx.views.answers import CellSummary
from tests.report.conftest import line_retrieval
from tests.rows import asked, row
from tests.summaries import made

SUBJECT = Subject("some-model", "protocol")


def cell(test: str, subject: Subject, rate: Rate) -> CellSummary:
    return CellSummary(test, subject, "all", {}, rate, {}, None, None)


def test_lengths_are_columns_and_curves_are_rows() -> None:
    rows = [
        each
        for model, scale in (("small", 20), ("large", 21))
        for lines, block, right in ((10, None, 8), (1000, None, 9), (1000, 1, 4))
        for each in asked(
            "line_retrieval", right, 10, {"lines": lines, "block_size": block}, model=model, input_tokens=scale * lines
        )
    ]
    assert first_table_text(summarize(rows)) == (
        "line retrieval        lines    10   1,000\n"
        "                tokens sent   210     21k\n"
        "  small             ordered  0.80*   0.90*\n"
        "                   shuffled     ·    0.40*\n"
        "  large             ordered  0.80*   0.90*\n"
        "                   shuffled     ·    0.40*\n"
        "· not run; * fewer than 20 trials"
    )


def test_models_that_sent_other_numbers_of_tokens_have_a_line_each() -> None:
    rows = [
        each
        for model, scale in (("small", 20), ("large", 30))
        for lines in (10, 100)
        for each in asked(
            "line_retrieval", 20, 20, {"lines": lines, "block_size": None}, model=model, input_tokens=scale * lines
        )
    ]
    assert first_table_text(summarize(rows)).splitlines() == [
        "line retrieval        lines    10   100",
        "  small         tokens sent   200  2.0k",
        "                             1.00  1.00",
        "  large         tokens sent   300  3.0k",
        "                             1.00  1.00",
    ]


def test_curves_that_sent_other_numbers_of_tokens_have_their_own() -> None:
    """A strategy that cuts the session sends less: no number stands for both."""
    rows = [
        each
        for strategy, sent in (("none", (3200, 12_000)), ("cut", (3200, 6100)))
        for fill, tokens in zip((2000, 8000), sent, strict=True)
        for each in asked("test_it", 20, 20, {"fill": fill}, labels={"strategy": strategy}, input_tokens=tokens)
    ]
    assert first_table_text(summarize(rows)).splitlines() == [
        "test_it       filler tokens  2,000  8,000",
        "  some-model    tokens sent   3.2k    12k",
        "                       none   1.00   1.00",
        "                tokens sent   3.2k   6.1k",
        "                        cut   1.00   1.00",
    ]


def test_constant_answers_of_different_items_at_a_length_are_remarks() -> None:
    earlier = [replace(each, cell=f"{each.cell}-c", params={**each.params, "letters": None}) for each in qa("AAAB" * 5)]
    text = first_table_text(summarize([*qa("DDDA" * 5), *earlier]))
    assert "best constant answer: D 0.75 at 2,600 own, 5,200 own; A 0.75 at 2,600, 5,200" in " ".join(text.split())


def test_passkey_states_k_max_and_never_an_accuracy() -> None:
    places = [(1024, 256, 1), (1024, 512, 1), (1024, 1024, 0), (256, 128, 1), (256, 256, 1)]
    rows = [r for w, k, right in places for r in asked("passkey", right * 20, 20, {"window": w, "k": k})]
    table = first_table_text(summarize(rows))
    assert table.splitlines()[0] == "passkey, k_max  window  256             1,024"
    assert table.splitlines()[1:] == ["  some-model            256  512 [512, 1,024]"]
    assert "0." not in table


def qa(letters: str) -> list[Row]:
    """Return answers about collages of two lengths: two positions, and a variant with a scratchpad at one length."""
    asked_for = [(2600, "none", 0), (2600, "none", 100), (5200, "none", 0), (2600, "two_scratchpad", 0)]
    return [
        row(
            "unparseable" if variant != "none" else "correct",
            test="collage",
            cell=f"{budget}-{variant}-{depth}",
            params={"budget": budget, "variant": variant, "depth": depth, "letters": "own"},
            trial=trial,
            expected=letter,
        )
        for budget, variant, depth in asked_for
        for trial, letter in enumerate(letters)
    ]


def test_qa_has_positions_by_length_then_its_prompts_and_the_best_constant_answer() -> None:
    assert first_table_text(summarize(qa("DDDA" * 5))).splitlines() == [
        "collage                            tokens   2,600   5,200",
        "  some-model                    beginning    1.00    1.00",
        "    25% unparseable                   end    1.00       ·",
        f"                     {CONSTANT}  D 0.75  D 0.75",
        "collage, 2,600 tokens                      examples  none     2",
        "  some-model                                         1.00     ·",
        "                       scratchpad (no <Answer> tag)     ·  0.00",
        "· not run",
    ]


def test_a_strategy_is_a_row_where_lengths_differ_and_a_name_where_they_do_not() -> None:
    rows = [
        each
        for strategy, right in (("none", 20), ("cut", 5))
        for at in (500, 1000)
        for each in asked("test_it", right, 20, {"fill": at}, labels={"strategy": strategy})
    ]
    assert first_table_text(summarize(rows)).splitlines() == [
        "test_it       filler tokens   500  1,000",
        "  some-model           none  1.00   1.00",
        "                        cut  0.25   0.25",
    ]


def test_prompt_sets_and_labels_tell_lines_apart(summary: Summary) -> None:
    subjects = SUBJECT, Subject.of("some-model", "mine", {"steps": "200"})
    table = first_table_text(replace(summary, cells=tuple(cell("passkey", each, Rate(0, 0)) for each in subjects)))
    assert [line.partition("  some-model")[0].strip() for line in table.splitlines()] == [
        "passkey (protocol)",
        "passkey (mine, steps=200)",
    ]


def lengths(numbers: Sequence[int], blocks: Sequence[int | None]) -> list[CellSummary]:
    return [line_retrieval(lines, block, Rate(10, 20)) for block in blocks for lines in numbers]


def test_columns_that_are_too_many_stand_below_one_another(summary: Summary) -> None:
    numbers = [100_000 + step for step in range(12)]
    text = first_table_text(made(summary, lengths(numbers, [None])))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(f"{number:,}" in text for number in numbers)
    assert text.count("0.50") == len(numbers)


def test_rows_of_one_length_go_first_then_tests_then_the_rows_of_the_fewest_lengths(summary: Summary) -> None:
    cells = [*lengths([1, 2, 3], [None, 1]), *lengths([1, 2], [4, 5]), *lengths([1], [2, 3])]
    cells += [cell(f"test_{number}", SUBJECT, Rate(20, 20)) for number in range(3)]
    whole = made(summary, cells)
    assert len(first_table_text(whole).splitlines()) == 11

    def left(most: int) -> str:
        *shown, last = first_table_text(whole, most).splitlines()
        assert len(shown) < most
        return last

    assert left(9).endswith("2 more rows of line retrieval: -v")
    assert left(8).endswith("1 more test, 2 more rows of line retrieval: -v")
    assert left(5).endswith("3 more tests, 3 more rows of line retrieval: -v")


def test_the_page_has_a_table_for_each_matrix_and_one_for_the_others(summary: Summary) -> None:
    cells = [*lengths([3, 10], [None, 1]), cell("test_it", SUBJECT, Rate(20, 20))]
    matrix, others = first_tables(made(summary, cells))
    assert (matrix.title, matrix.columns) == ("Line retrieval: accuracy by lines", ("lines", "3", "10", "n"))
    assert matrix.rows == (("ordered", "0.50", "0.50", "40"), ("shuffled", "0.50", "0.50", "40"))
    assert others.frame.loc["test_it"].tolist() == ["1.00 [0.84, 1.00]", "20"]


def test_on_the_page_each_accuracy_of_a_test_without_lengths_has_a_row(summary: Summary) -> None:
    subjects = {replace(SUBJECT, labels=(("strategy", name),)): right for name, right in (("none", 20), ("cut", 10))}
    parts = [cell("test_it", subject, Rate(right, 20)) for subject, right in subjects.items()]
    checks = [replace(part, test="test_it.short") for part in parts]
    [others] = first_tables(made(summary, [*parts, *checks]))
    shown = [(row["part"], row["accuracy"], row["n"]) for _, row in others.frame.iterrows()]
    assert shown == [
        ("none", "1.00 [0.84, 1.00]", "20"),
        ("cut", "0.50 [0.30, 0.70]", "20"),
        ("check short, none", "1.00 [0.84, 1.00]", "20"),
        ("check short, cut", "0.50 [0.30, 0.70]", "20"),
    ]


def test_a_check_without_lengths_of_a_test_with_lengths_leaves_no_empty_table(summary: Summary) -> None:
    check = cell("line_retrieval.polite", SUBJECT, Rate(20, 20))
    assert len(first_tables(made(summary, [*lengths([3, 10], [None]), check]))) == 1


@pytest.mark.parametrize(
    ("tokens", "text"), [(647, "647"), (1234, "1.2k"), (9949, "9.9k"), (9950, "10k"), (131_072, "131k")]
)
def test_tokens_have_about_two_digits(tokens: int, text: str) -> None:
    assert short(tokens) == text
