"""How a trial is judged by the end of its function, and the conversation that the page shows."""

from __future__ import annotations

import asyncio
import linecache
from collections.abc import Callable
from typing import Any

import pytest

from longctx.functions.ask import Ask
from longctx.functions.cell_runner import called
from longctx.functions.measure import Result, judge_trial, run, view
from longctx.functions.trial import FunctionTrial, TestMistake
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import JudgeUnreadable, Unparseable
from longctx.vocabulary.point import Outcome
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import MODEL, answer_to, body_of, cell_of, exchanged, trial_of


def raising(error: BaseException) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call


def replied(tape: Tape, **changed: Any) -> FunctionTrial:
    """Return a trial with one answered request."""
    for _ in range(2):
        trial = trial_of(tape=tape)
        try:
            exchanged(trial, body_of("a"))
        except Suspended:
            answer_to(trial.unanswered[0], tape, **changed)
    return trial


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (AssertionError("1 == 2"), "wrong"),
        (pytest.fail.Exception("too long"), "wrong"),
        (Unparseable("no number"), "unparseable"),
        (pytest.skip.Exception("left out"), "skipped"),
        (JudgeUnreadable("maybe"), "infra_error"),
        (ValueError("a fault"), "error"),
        (SystemExit(3), "error"),
        (BaseExceptionGroup("of a TaskGroup", [AssertionError("1 == 2")]), "wrong"),
        (BaseExceptionGroup("several", [ExceptionGroup("inner", [AssertionError("1 == 2"), OSError()])]), "wrong"),
    ],
)
def test_the_end_of_a_function(tape: Tape, error: BaseException, kind: str) -> None:
    assert run(replied(tape), raising(error)).kind == kind


def test_a_function_that_ends_is_correct_if_all_checks_hold(tape: Tape) -> None:
    trial = replied(tape)
    trial.checks = {"a": True}
    assert run(trial, lambda: None).kind == "correct"
    trial.checks = {"a": True, "b": False, "c": False}
    result = run(trial, lambda: None)
    assert (result.kind, result.why) == ("wrong", "failed: b, c")


@pytest.mark.parametrize("returned", [True, False, "Y", 0])
def test_a_value_that_is_no_outcome_is_a_mistake(tape: Tape, returned: object) -> None:
    """It would count as correct, whatever was compared."""
    result = run(replied(tape), lambda: returned)
    assert result.kind == "error"
    assert f"returns {returned!r}, which judges nothing: write `assert`" in result.why


@pytest.mark.parametrize(
    ("stop", "kind", "why"),
    [("refusal", "refusal", "the model refused; x"), ("max_tokens", "truncated", "was cut off after 2 tokens; x")],
)
def test_a_failure_after_a_refused_or_cut_off_last_reply(tape: Tape, stop: str, kind: str, why: str) -> None:
    for error in (AssertionError("x"), Unparseable("x")):
        result = run(replied(tape, stop_reason=stop), raising(error))
        assert result.kind == kind
        assert why in result.why
    assert run(replied(tape, stop_reason=stop), lambda: None).kind == "correct"
    assert run(replied(tape, stop_reason=stop), raising(OSError())).kind == "error"


THINKING = {"type": "thinking", "thinking": "Is it", "signature": "s"}
CUT_OFF: Any = {"stop_reason": "max_tokens", "content": [THINKING]}


@pytest.mark.parametrize("content", [[], [THINKING], [{"type": "text", "text": "<think>Is it"}]])
def test_a_trial_does_not_pass_on_an_answer_that_was_cut_off_before_its_text(tape: Tape, content: Any) -> None:
    """What such an answer lacks, it does not leave out: `assert "ok" not in text` judges nothing."""
    for passes in (lambda: None, lambda: Outcome("correct", credit=1.0)):
        result = run(replied(tape, stop_reason="max_tokens", content=content), passes)
        assert (result.kind, result.why) == ("truncated", "the last reply was cut off after 2 tokens, before any text")


@pytest.mark.parametrize("stop", ["tool_use", "end_turn"])
def test_a_trial_may_pass_on_a_tool_call_or_on_an_empty_answer(tape: Tape, stop: str) -> None:
    assert run(replied(tape, stop_reason=stop, content=[]), lambda: None).kind == "correct"


def test_a_check_does_not_hold_of_an_answer_that_was_cut_off_before_its_text(tape: Tape) -> None:
    trial = replied(tape, **CUT_OFF)
    ask = Ask(lambda: trial, lambda name: MODEL)
    assert (ask.check("polite", True), ask.check("part", 0.7)) == (False, 0.0)
    assert run(trial, lambda: None).kind == "truncated"


@pytest.mark.parametrize("error", [None, AssertionError("no Y")])
def test_a_judge_that_was_cut_off_before_its_text_gave_no_verdict(tape: Tape, error: BaseException | None) -> None:
    for _ in range(2):
        trial = trial_of(tape=tape)
        try:
            exchanged(trial, body_of("a"), role="judge")
        except Suspended:
            answer_to(trial.unanswered[0], tape, **CUT_OFF)
    result = run(trial, raising(error) if error else lambda: None)
    assert (result.kind, result.why) == ("infra_error", "judge_error: the judge's reply was cut off after 2 tokens")


def test_a_mistake_is_found_in_a_group_before_other_errors(tape: Tape) -> None:
    from longctx.errors import UserError

    mistake = TestMistake(UserError("x", "A mistake."))
    group = BaseExceptionGroup("of a TaskGroup", [Suspended("a"), OSError(), mistake])
    assert run(replied(tape), raising(group)).error is mistake


def test_a_request_without_an_answer_counts_though_the_code_under_test_swallows_it(tape: Tape) -> None:
    """Code with a bare except goes on without the answer; what it then returns or raises is no outcome."""

    def careless(then: BaseException | None) -> None:
        try:
            exchanged(trial, body_of("a"))
        except:  # noqa: E722
            if then is not None:
                raise then from None

    for then in (None, AssertionError("no answer"), ZeroDivisionError(), KeyError("text")):
        trial = trial_of(tape=tape)
        assert run(trial, lambda then=then: careless(then)).kind == "suspended"  # type: ignore[misc]
        assert [lacking.place for lacking in trial.unanswered]


def test_an_asynchronous_test_is_awaited_in_a_running_loop_too() -> None:
    async def test(value: int) -> int:
        await asyncio.sleep(0)
        return value

    async def notebook() -> object:
        return called(test, {"value": 2})

    assert (called(test, {"value": 1}), asyncio.run(notebook())) == (1, 2)


def test_ctrl_c_ends_the_run(tape: Tape) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(replied(tape), raising(KeyboardInterrupt()))


def conversation(tape: Tape, *bodies: dict[str, Any], content: list[list[dict[str, Any]]] | None = None) -> list[str]:
    """Return the parts of the view of these requests, as text."""
    for _ in range(len(bodies) + 1):
        trial = trial_of(cell_of(), tape=tape)
        try:
            for body in bodies:
                exchanged(trial, body)
        except Suspended:
            [lacking] = trial.unanswered
            number = lacking.place.number
            answer_to(lacking, tape, f"reply {number}", **({"content": content[number]} if content else {}))
    shown = view(trial, "test.py::test_it")
    parts = ["".join(text for _, text in part.pieces) for part in shown.excerpts]
    return [*parts, shown.reply or ""]


def turns(*texts: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    return body_of("") | {"messages": [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]}


def test_a_chat_shows_what_each_request_adds(tape: Tape) -> None:
    shown = conversation(tape, turns("first"), turns("first", "reply 0", "second"))
    assert shown == ["first", "reply 0", "second", "reply 1"]


def test_conversations_of_their_own_are_shown_each(tape: Tape) -> None:
    shown = conversation(tape, turns("first"), turns("second"), turns("third", "x", "fourth"))
    assert shown == ["first", "reply 0", "second", "reply 1", "third\n\nfourth", "reply 2"]


def test_strange_tool_calls_are_shown(tape: Tape) -> None:
    shown = conversation(tape, turns("first"), content=[[{"type": "tool_use"}, {"type": "other"}]])
    assert shown == ["first", "[calls None(None)]"]


def test_the_needle_is_marked(tape: Tape) -> None:
    trial = replied(tape)
    trial.inserted = {"a": False}
    _, part = view(trial, "test.py::test_it").excerpts
    assert part.names == ("needle",)


@pytest.mark.parametrize(
    ("inserted", "depth"),
    [
        ({"lamp": False}, 0.0),
        ({"lamp": False, "sofa": True}, 0.5),
        ({"lamp": False, "sofa": False}, None),
        ({"lamp": True, "sofa": True}, None),
        ({"desk": False}, None),
        ({"stool": False}, None),
        ({}, None),
    ],
)
def test_the_depth_is_that_of_the_needle(tape: Tape, inserted: dict[str, bool], depth: float | None) -> None:
    asked = body_of("lamp stool sofa stool   ")
    for _ in range(2):
        trial = trial_of(tape=tape)
        trial.inserted = inserted
        try:
            exchanged(trial, asked)
        except Suspended:
            answer_to(trial.unanswered[0], tape)
    made = judge_trial(trial, Result("correct"))
    assert made.depth == (None if depth is None else pytest.approx(depth, abs=0.05))
    assert (made.distance_from_end is None) == (depth is None)


def test_an_assertion_that_says_nothing_is_shown_by_its_line(tape: Tape) -> None:
    names: dict[str, Any] = {}
    linecache.cache["a cell"] = 1, None, ["def test():\n", "    assert 1 == 2\n"], "a cell"  # as a notebook's is
    exec(compile("def test():\n    assert 1 == 2\n", "a cell", "exec"), names)
    result = run(replied(tape), names["test"])
    assert (result.kind, result.why) == ("wrong", "assert 1 == 2")
