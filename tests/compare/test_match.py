"""Matching the subjects of two runs."""

from __future__ import annotations

from longctx.compare.pairs import match, match_runs, value_of
from longctx.results.row import Subject
from tests.refusals import refused
from tests.rows import joined, run

OLD, NEW, THIRD = (Subject(name, "protocol") for name in ("old", "new", "third"))
MINE = Subject("old", "mine")
STEPS = [Subject("old", "protocol", (("method", "PI"), ("steps", steps))) for steps in ("200", "400")]


def test_the_same_name_first_and_then_the_two_that_are_left() -> None:
    assert match("f", [OLD, NEW], [OLD, NEW]) == [(OLD, OLD), (NEW, NEW)]
    assert match("f", [OLD], [NEW]) == [(OLD, NEW)]
    assert match("f", [OLD, THIRD], [NEW, THIRD]) == [(OLD, NEW), (THIRD, THIRD)]
    assert match("f", STEPS[:1], STEPS[1:]) == [(STEPS[0], STEPS[1])]


def test_whom_only_one_run_measured_is_left_alone() -> None:
    assert match("f", [OLD, NEW], [OLD]) == [(OLD, OLD)]
    assert match("f", [OLD], [OLD, NEW, THIRD]) == [(OLD, OLD)]
    assert match("f", [], [OLD]) == []


def test_several_left_are_refused_by_name() -> None:
    with refused("unclear-comparison", "(new, prompts protocol) and (third, prompts protocol)"):
        match("passkey", [OLD], [NEW, THIRD])


def test_the_one_thing_that_all_differ_in_is_found() -> None:
    ours = [OLD, NEW]
    for theirs in (
        [Subject(subject.model, "mine") for subject in ours],
        [Subject(subject.model, subject.prompt_set, (("steps", "400"),)) for subject in ours],
        [Subject(f"{subject.model}-2", "protocol", subject.labels) for subject in STEPS],
    ):
        before = STEPS if theirs[0].model == "old-2" else ours
        assert match("f", before, theirs) == list(zip(before, theirs, strict=True))


def test_what_leaves_one_without_a_partner_or_differs_in_two_things_is_not_found() -> None:
    for theirs in (
        [Subject("old", "mine"), Subject("third", "mine")],
        [Subject("old", "mine", (("steps", "400"),)), Subject("new", "mine", (("steps", "400"),))],
        [Subject(subject.model, "mine") for subject in (OLD, NEW, THIRD)],
    ):
        with refused("unclear-comparison"):
            match("f", [OLD, NEW], theirs)


def test_what_changed_may_be_said() -> None:
    ours = [OLD, NEW]
    theirs = [Subject(subject.model, "mine") for subject in ours]
    assert match("f", ours, theirs, "prompts") == list(zip(ours, theirs, strict=True))
    assert match("f", [OLD, MINE], [NEW, Subject("new", "mine")], "model") == [
        (OLD, NEW),
        (MINE, Subject("new", "mine")),
    ]
    labelled = [Subject(subject.model, subject.prompt_set, (("steps", "400"),)) for subject in ours]
    assert match("f", ours, labelled, "steps") == list(zip(ours, labelled, strict=True))


def test_names_that_are_still_shared_are_refused() -> None:
    with refused("unclear-comparison"):
        match("f", [OLD, MINE], [Subject("old", "a"), Subject("old", "b")], "prompts")


def test_runs_are_matched_test_by_test() -> None:
    before = joined(run("correct", model="old"), run("wrong", model="old", test="passkey"))
    after = joined(run("wrong", "wrong", model="new"), run("correct", model="third", prompt_set="mine", test="control"))
    [match], left = match_runs(before, after)
    assert (match.test, match.before, match.after) == ("line_retrieval", OLD, NEW)
    assert [len(rows) for rows in match.rows] == [1, 2]
    assert [list(alone) for alone in left] == [[("passkey", OLD)], [("control", Subject("third", "mine"))]]
    assert [len(rows) for alone in left for rows in alone.values()] == [1, 1]


def test_a_subject_is_value_of_model_prompts_or_label() -> None:
    assert [value_of(STEPS[0], by) for by in ("model", "prompts", "steps", "size")] == ["old", "protocol", "200", ""]
