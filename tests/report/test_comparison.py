"""Runs side by side, as sentences and tables."""

from __future__ import annotations

from dataclasses import replace

from longctx.compare.runs import compare
from longctx.report.comparison import comparison
from longctx.report.document import Document
from longctx.results.row import Row
from longctx.summary.summary import pools
from tests.rows import joined, right_of, run


def document(*runs: list[Row], flips: int = 20) -> Document:
    """Return the comparison of the first run, A, with the other runs, B, C and D."""
    others = [(name, compare(runs[0], other, pools=pools)) for name, other in zip("BCD", runs[1:], strict=False)]
    return comparison("A", others, ["A: the reference"], flips)


def test_two_runs() -> None:
    made = document(run("correct", "correct", "wrong"), run("correct", "wrong", "correct"))
    assert (made.title, made.notes[0]) == ("B against A", "A: the reference")
    cells, flips = made.tables
    assert cells.title == "line_retrieval, some-model, prompts protocol: accuracy [95% interval]"
    assert cells.frame.reset_index().to_dict("records")[0] == {
        "cell": "lines-5",
        "A": "0.67 [0.21, 0.94] n=3",
        "B": "0.67 [0.21, 0.94] n=3",
        "difference": "+0.00 [-0.69, +0.69] n=3",
        "gained": "1",
        "lost": "1",
    }
    assert cells.frame.index.tolist() == ["lines-5"]
    assert flips.title == "Changed answers, line_retrieval, some-model, prompts protocol"
    assert list(zip(flips.frame.index, flips.frame["change"], strict=True)) == [
        ("line_retrieval/lines-5#1", "correct -> wrong"),
        ("line_retrieval/lines-5#2", "wrong -> correct"),
    ]


def test_three_runs_are_beside_the_first() -> None:
    made = document(run("correct", "wrong"), run("correct", "correct"), run("wrong", model="new"))
    titles = [table.title for table in made.tables]
    assert titles[0] == (
        "line_retrieval, A: some-model, prompts protocol; B: some-model, prompts protocol; C: new, prompts protocol: "
        "accuracy [95% interval]"
    )
    assert [name for name in made.tables[0].frame.columns if "ed" not in name and "lost" not in name] == [
        "A", "B", "B - A", "C", "C - A",
    ]  # fmt: skip
    assert made.tables[0].frame.loc["lines-5", "A"] == "0.50 [0.09, 0.91] n=2"
    assert [title.split(";")[0] for title in titles[1:]] == [
        "Changed answers, line_retrieval, some-model, prompts protocol",
        "Changed answers, line_retrieval, A: some-model, prompts protocol",
    ]
    assert "line_retrieval: 1 trial, which only A measured, is not paired (some-model, prompts protocol)." in made.notes


def test_several_tests_have_a_table_of_all() -> None:
    both = joined(run("correct"), run("wrong", test="test_it", cell="all", params={}))
    first, *_ = document(both, both).tables
    assert first.frame.index.tolist() == ["line_retrieval", "test_it"]
    assert first.frame.loc["test_it", "of"] == "some-model, prompts protocol"


def controls(**right: int) -> list[Row]:
    return joined(
        *(
            run(
                *right_of(of_record, 10),
                test="control",
                cell=f"record-{record}",
                params={"longest": 600, "record": record},
            )
            for record, of_record in right.items()
        )
    )


def collages(right: int) -> list[Row]:
    places = [(variant, depth) for variant in ("none", "two") for depth in (0, 100)]
    return joined(
        *(
            run(
                *right_of(right if variant == "two" else 0, 10),
                test="collage",
                cell=f"{variant}-{depth}",
                params={"budget": 2600, "variant": variant, "depth": depth, "letters": "own"},
            )
            for variant, depth in places
        )
    )


def test_only_what_the_first_table_pools_is_pooled() -> None:
    before = joined(controls(right=4, wrong=2, none=2), collages(2))
    after = joined(controls(right=10, wrong=2, none=2), collages(9))
    first, *_ = document(before, after).tables
    assert first.title == "What the first table of a run states: accuracy [95% interval]"
    shown = first.frame.to_dict("records")
    assert [(row["accuracy"], row["difference"].split()[0], row["difference"].split()[-1]) for row in shown] == [
        ("beginning of 2,600 tokens", "+0.00", "n=10"),
        ("end of 2,600 tokens", "+0.00", "n=10"),
        ("no examples over positions of 2,600 tokens", "+0.00", "n=20"),
        ("2 examples over positions of 2,600 tokens", "+0.70", "n=20"),
        ("the right section", "+0.60", "n=10"),
        ("a wrong section", "+0.00", "n=10"),
        ("no section", "+0.00", "n=10"),
    ]


def test_a_source_that_states_no_accuracies_has_cells_alone() -> None:
    passkey = {"test": "passkey", "cell": "window-400-k-100", "params": {"window": 400, "k": 100}}
    both = joined(run("correct"), run("wrong", **passkey))
    made = document(both, both)
    assert made.tables[0].frame.index.tolist() == ["line_retrieval"]
    assert made.notes[-1] == (
        "passkey: the first table of a run states no accuracies of it, so only cells are compared."
    )


def test_what_a_side_is_called_is_not_said_again() -> None:
    before = joined(run("correct", model="old"), run("wrong", test="test_it", model="old"))
    after = [replace(row, model="new") for row in before]
    first, *_ = comparison("old", [("new", compare(before, after, "model", pools=pools))], [], 20).tables
    assert first.frame["of"].tolist() == ["prompts protocol"] * 2


def test_what_is_listed_is_limited_and_the_rest_counted() -> None:
    runs = run(*["correct"] * 5), run(*["wrong"] * 5)
    flips = document(*runs, flips=2).tables[1]
    assert len(flips.frame) == 2
    assert flips.title.endswith("; 3 more, --flips 5 lists all")
    assert len(document(*runs, flips=0).tables) == 1


def test_what_a_model_said_is_marked_and_cut() -> None:
    runs = run("correct", expected="1", returned="1"), run("wrong", expected="1", returned="x" * 999, seed=0)
    flips = document(*runs).tables[1]
    assert flips.said == ("expected", "A returned", "B returned")
    assert flips.frame["B returned"].tolist() == [f"{'x' * 79}…"]


def test_doubts_are_reported() -> None:
    changed = run("correct", prompt_digest="beef")
    assert document(run("correct"), changed).notes[-1] == (
        "line_retrieval: the prompt set 'protocol' has another wording in B (beef) than in A (0123456789ab)."
    )
    several = joined(run("correct"), run("wrong", repeat=1))
    assert document(several, several).notes[-1].startswith("Several answers to a trial count as their mean")
    otherwise = joined(run("correct"), run("correct", seed=1, expected="1"))
    other = joined(run("correct"), run("correct", seed=1, expected="2"))
    assert "1 trial expect other answers in B than in A" in document(otherwise, other).notes[-1]
    two = joined(run("correct"), run("correct", model="alone"))
    assert document(run("correct"), two).notes[-1] == (
        "line_retrieval: only B measured alone, prompts protocol (1 trial), so it is not compared."
    )


def test_a_baseline_keeps_no_text() -> None:
    """What was expected is then known of the run, and the baseline has no column of replies."""
    flips = document(run("correct", expected=None, returned=None), run("wrong", expected="1", returned="2")).tables[1]
    assert flips.said == ("expected", "B returned")
    assert flips.frame["expected"].tolist() == ["1"]
