"""The tables of a run: titles, rows and columns in order, and cells that state n."""

from dataclasses import replace

from longctx.report.tables import tables
from longctx.results.row import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary
from longctx.views.answers import CellSummary
from tests.summaries import answers_to, made

OTHER = Subject("other", "protocol")
MINE = Subject("some-model", "mine")


def test_every_test_has_its_tables(summary: Summary) -> None:
    assert [table.title.split(":")[0] for table in tables(summary)] == [
        "Line retrieval, some-model, prompts protocol",
        "Passkey",
        "Passkey",
        "Passkey",
    ]


def test_line_retrieval_is_lines_by_order(summary: Summary) -> None:
    frame = tables(summary)[0].frame
    assert frame.index.name == "lines"
    assert frame.index.tolist() == [5, 10]
    assert frame.columns.tolist() == ["ordered", "shuffled", "blocks of 2"]


def test_a_cell_is_a_rate_with_its_interval_and_n(summary: Summary) -> None:
    frame = tables(summary)[0].frame
    assert frame.loc[5, "ordered"] == "0.30 [0.11, 0.60] n=10"
    assert frame.loc[10, "blocks of 2"] == "0.00 [0.00, 0.28] n=10"


def test_what_was_not_measured_is_distinguished_from_what_was_not_run(summary: Summary) -> None:
    frame = tables(summary)[0].frame
    assert frame.loc[5, "shuffled"] == "not measured"
    assert frame.loc[10, "shuffled"] == frame.loc[5, "blocks of 2"] == ""


def test_lines_are_sorted_and_orders_are_as_the_rows_are(summary: Summary) -> None:
    """A run's rows are sorted by cell: see tests/results/test_store.py."""
    for way, orders in ((1, ["ordered", "shuffled", "blocks of 2"]), (-1, ["blocks of 2", "ordered", "shuffled"])):
        frame = tables(made(summary, cells=summary.cells[:4][::way]))[0].frame
        assert frame.index.tolist() == [5, 10]
        assert frame.columns.tolist() == orders


def test_every_model_and_prompt_set_has_its_line_retrieval(summary: Summary) -> None:
    first = summary.cells[0]
    cells = (first, replace(first, subject=OTHER), replace(first, subject=MINE, rate=Rate(9, 10)))
    made_tables = tables(made(summary, cells=cells))
    assert [(table.title.split(":")[0], table.frame.loc[5, "ordered"][:4]) for table in made_tables] == [
        ("Line retrieval, some-model, prompts protocol", "0.30"),
        ("Line retrieval, other, prompts protocol", "0.30"),
        ("Line retrieval, some-model, prompts mine", "0.90"),
    ]


def test_passkey_is_k_by_model_and_window(summary: Summary) -> None:
    frame = tables(summary)[1].frame
    assert frame.index.tolist() == [512, 2048, 4096]
    assert frame["some-model 4096"].tolist() == [
        "0.90 [0.60, 0.98] n=10",
        "1.00 [0.72, 1.00] n=10",
        "0.10 [0.02, 0.40] n=10",
    ]


def test_passkey_columns_name_prompts_that_are_not_the_seeds(summary: Summary) -> None:
    first = summary.cells[-1]
    cells = (first, replace(first, subject=MINE), replace(first, subject=OTHER))
    frame = tables(made(summary, cells=cells, passkey=answers_to(*cells)))[0].frame
    assert frame.columns.tolist() == ["some-model 4096", "some-model 4096 mine", "other 4096"]


def test_effective_windows_are_in_tokens(summary: Summary) -> None:
    cells = summary.of("passkey")
    weak = [replace(cell, subject=OTHER, rate=Rate(0, 10)) for cell in cells]
    frame = tables(made(summary, passkey=answers_to(*cells, *weak)))[2].frame
    assert frame.reset_index().to_dict("records") == [
        {
            "model": "some-model",
            "prompts": "protocol",
            "window": 4096,
            "k_max [95%]": "2,048 [2,048, 4,096]",
            "real distance": "2,048",
            "at least": "-",
            "less than": "-",
        },
        {
            "model": "other",
            "prompts": "protocol",
            "window": 4096,
            "k_max [95%]": "- [0, 4,096]",
            "real distance": "-",
            "at least": "-",
            "less than": "512",
        },
    ]


def test_a_test_without_tables_of_its_own_is_listed(summary: Summary) -> None:
    mine = CellSummary("my_test", Subject("some-model", "protocol"), "size-3", {"size": 3}, Rate(1, 2), {}, 0.5, 9)
    [table] = tables(made(summary, cells=(mine,)))
    assert table.title == "my_test"
    assert table.frame.reset_index().to_dict("records") == [
        {
            "model": "some-model",
            "prompts": "protocol",
            "cell": "size-3",
            "accuracy [95% interval]": "0.50 [0.09, 0.91] n=2",
        }
    ]


def test_a_run_of_nothing_has_no_tables(empty: Summary) -> None:
    assert tables(empty) == []


def test_what_matching_words_alone_answers_is_a_table_by_length(summary: Summary) -> None:
    def cell(budget: int, right: int) -> CellSummary:
        params = {"budget": budget, "depth": right, "variant": "none"}
        lexical = Rate(right, 10)
        return CellSummary("collage", MINE, f"budget-{budget}", params, Rate(5, 10), {}, 0.5, 9, lexical)

    shown = tables(made(summary, [cell(3000, 10), cell(3000, 8), cell(70000, 9)]))
    [table] = [table for table in shown if "lexical baseline" in table.title]
    assert list(table.frame["budget"]) == ["3,000", "70,000"]
    assert [cell.split()[0] for cell in table.frame["lexical baseline"]] == ["0.90", "0.90"]
    assert [cell.split()[-1] for cell in table.frame["the model"]] == ["n=20", "n=10"]


def test_of_a_test_without_a_size_it_is_by_cell_where_there_are_several(summary: Summary) -> None:
    def cell(distractors: int, right: int) -> CellSummary:
        params, slug = {"distractors": distractors}, f"distractors-{distractors}"
        return CellSummary("test_own", MINE, slug, params, Rate(5, 10), {}, 0.5, 9, Rate(right, 10))

    for asked in ([cell(0, 10), cell(4, 7)], [cell(0, 10)]):
        [table] = [table for table in tables(made(summary, asked)) if "lexical baseline" in table.title]
        assert ("cell" in table.frame) == (len(asked) > 1)
        assert [cell.split()[0] for cell in table.frame["lexical baseline"]] == ["1.00", "0.70"][: len(asked)]
