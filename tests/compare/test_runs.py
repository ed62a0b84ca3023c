"""Two runs on the same trials."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longctx.compare.runs import CellChange, Comparison
from longctx.compare.runs import compare as compare_runs
from longctx.results.row import Row, Subject
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from tests.refusals import refused
from tests.rows import joined, run


def compare(before: list[Row], after: list[Row]) -> Comparison:
    """Compare two runs, all cells together."""
    return compare_runs(before, after, pools=lambda test, rows, tests: [("all", list({row.cell: 1 for row in rows}))])


OUTCOMES = ("correct", "wrong", "unparseable", "not_asked")


def test_trials_are_paired_by_what_they_ask() -> None:
    before = joined(run("correct", "correct", "wrong", "wrong", "correct"))
    after = joined(run("correct", "wrong", "correct", "correct", "not_asked")[::-1])
    [versus] = compare(before, after).versus
    assert versus.pooled[0].paired == Paired(gained=2, lost=1, n=4)
    assert (versus.pooled[0].before, versus.pooled[0].after) == (Rate(3, 5), Rate(3, 4))
    assert versus.alone == (1, 0)


def test_flips_say_what_was_returned_lost_ones_first() -> None:
    before = joined(run("wrong", "correct", expected="17", returned="9"))
    after = joined(run("correct", "unparseable", expected="17", returned=None))
    [versus] = compare(before, after).versus
    assert [(flip.trial, flip.before, flip.after, flip.expected) for flip in versus.flips] == [
        (1, ("correct", "9"), ("unparseable", None), "17"),
        (0, ("wrong", "9"), ("correct", None), "17"),
    ]
    assert [flip.lost for flip in versus.flips] == [True, False]


def test_cells_seeds_and_items_are_distinguished() -> None:
    first = {"seed": 1}, {"item": "q1"}, {"cell": "lines-10"}
    before = joined(run("correct"), *(run("wrong", **fields) for fields in first))
    after = joined(run("correct"), *(run("correct", **fields) for fields in first))
    [versus] = compare(before, after).versus
    assert [(cell.cell, cell.paired) for cell in versus.cells] == [
        ("lines-5", Paired(2, 0, 3)),
        ("lines-10", Paired(1, 0, 1)),
    ]
    assert versus.pooled[0].paired == Paired(3, 0, 4)
    both = compare_runs(
        before, after, pools=lambda test, rows, tests: [("first", ["lines-5"]), ("second", ["lines-10"])]
    )
    assert [(change.cell, change.paired) for change in both.versus[0].pooled] == [
        ("first", Paired(2, 0, 3)),
        ("second", Paired(1, 0, 1)),
    ]
    assert compare_runs(before, after).versus[0].pooled == ()


def test_cells_that_only_one_run_measured_are_counted_as_unpaired() -> None:
    before = joined(run("correct"), run("correct", "wrong", cell="lines-10"))
    after = joined(run("correct"), run("correct", cell="lines-20"))
    [versus] = compare(before, after).versus
    assert [cell.cell for cell in versus.cells] == ["lines-5"]
    assert versus.alone == (2, 1)
    assert versus.pooled[0] == CellChange("all", Rate(1, 1), Rate(1, 1), Paired(0, 0, 1), ("lines-5",))


def test_trials_that_expect_something_else_ask_something_else() -> None:
    before = joined(run("correct", expected="1"), run("correct", seed=1, expected="1"), run("correct", seed=2))
    after = joined(run("wrong", expected="2"), run("wrong", seed=1, expected="1"), run("wrong", seed=2, expected="2"))
    [versus] = compare(before, after).versus
    assert (versus.mismatched, versus.pooled[0].paired) == (1, Paired(0, 2, 2))


def test_several_answers_to_a_trial_are_compared_by_their_mean() -> None:
    runs = run("correct", "correct", "wrong"), run("correct", "wrong", "wrong", repeat=1)
    later = run("wrong", "correct", "correct")
    [versus] = compare(joined(*runs), joined(later)).versus
    assert (versus.pooled[0].before, versus.pooled[0].after) == (Rate(3, 6), Rate(2, 3))
    assert isinstance(versus.pooled[0].paired, Averaged)
    assert (versus.pooled[0].paired.n, versus.pooled[0].paired.gained, versus.pooled[0].paired.lost) == (3, 1.5, 1.0)
    assert [(flip.trial, flip.before, flip.after, flip.lost) for flip in versus.flips] == [
        (0, ("2 of 2 correct", None), ("wrong", None), True),
        (2, ("0 of 2 correct", None), ("correct", None), False),
    ]


def test_the_interval_respects_clusters() -> None:
    """An item asked in two cells, or trials of one section, count at their effective number."""

    def width(**shared: object) -> float:
        lost = ["wrong", "wrong", *["correct"] * 38]
        before, after = (
            joined(
                *(
                    run(kind, seed=place, **{name: f"{name}-{place // 2}" for name in shared})
                    for place, kind in enumerate(kinds)
                )
            )
            for kinds in (["correct"] * 40, lost)
        )
        [versus] = compare(before, after).versus
        low, high = versus.pooled[0].paired.interval()
        assert versus.pooled[0].paired.n == 40
        return high - low

    assert width(item=True) == width(cluster=True) > 1.2 * width()


def test_each_test_finds_its_subjects() -> None:
    passkey = {"test": "passkey", "cell": "window-400-k-100", "params": {"window": 400, "k": 100}}
    before = joined(run("correct"), run("correct", **passkey, model="old"), run("wrong", **passkey, model="alone"))
    after = joined(run("correct", prompt_digest="other"), run("wrong", **passkey, model="old"))
    compared = compare(before, after)
    assert [(comparison.test, str(comparison.before), str(comparison.after)) for comparison in compared.versus] == [
        ("line_retrieval", "some-model, prompts protocol", "some-model, prompts protocol"),
        ("passkey", "old, prompts protocol", "old, prompts protocol"),
    ]
    assert compared.versus[0].digests == ("0123456789ab", "other")
    assert compared.unmatched == ((("passkey", Subject("alone", "protocol"), 1),), ())


def test_runs_of_nothing_in_common_are_refused() -> None:
    with refused("no-trial-in-common"):
        compare(joined(run("correct")), joined(run("not_asked")))


@given(st.lists(st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES)), min_size=1, max_size=12))
def test_comparing_is_symmetric(outcomes: list[tuple[str, str]]) -> None:
    before, after = (joined(run(*side), run("correct", seed=9)) for side in zip(*outcomes, strict=True))
    [there], [back] = compare(before, after).versus, compare(after, before).versus
    [first], [second] = there.pooled, back.pooled
    assert isinstance(first.paired, Paired)
    assert isinstance(second.paired, Paired)
    assert (first.paired.gained, first.paired.lost) == (second.paired.lost, second.paired.gained)
    assert first.paired.n == second.paired.n
    assert (first.before, first.after) == (second.after, second.before)
    assert there.alone == back.alone[::-1]
    assert {(flip.trial, flip.before, flip.after) for flip in there.flips} == {
        (flip.trial, flip.after, flip.before) for flip in back.flips
    }
    assert len(there.flips) == first.paired.gained + first.paired.lost
