"""What a test function asks: the body that is sent, and what the model's profile decides of it."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.strategies import Strategy, tokens_of
from longctx.functions.transcript import Transcript
from longctx.functions.trial import FunctionTrial, TestMistake
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Unparseable
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import answer_to, cell_of, trial_of


def body(model: ModelProfile, *given: Any, **named: Any) -> dict[str, Any]:
    """Return the body of the request that `ask` sends."""
    trial = trial_of(cell_of(model=model))
    with pytest.raises(Suspended):
        ask_of(trial)(*given, **named)
    return dict(trial.unanswered[0].body)


def ask_of(trial: FunctionTrial) -> Ask:
    def load(name: str) -> ModelProfile:
        raise UserError("no-such-model", f"There is no model {name}.")

    return Ask(lambda: trial, load)


TOY = ModelProfile(model="toy")


def test_a_text_alone_is_one_user_turn() -> None:
    assert body(TOY, "a") == {"model": "toy", "max_tokens": 1024, "messages": [{"role": "user", "content": "a"}]}


def test_what_create_takes_is_sent() -> None:
    turns = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    tools = [{"name": "add", "input_schema": {"type": "object"}}]
    sent = body(TOY, messages=turns, system="s", max_tokens=5, tools=tools, tool_choice={"type": "any"})
    assert sent == {
        "model": "toy",
        "max_tokens": 5,
        "messages": turns,
        "system": "s",
        "tools": tools,
        "tool_choice": {"type": "any"},
    }


def test_the_models_profile_adds_what_it_decides() -> None:
    model = ModelProfile(
        model="thinker",
        system="Be brief.",
        thinking={"type": "enabled", "budget_tokens": 2_000},
        effort="low",
        extra_body={"temperature": 0},
    )
    sent = body(model, "a", system="Answer with a number.", max_tokens=10)
    assert sent["system"] == "Be brief.\n\nAnswer with a number."
    assert sent["max_tokens"] == 10 + model.thinking_tokens
    assert sent["thinking"]["budget_tokens"] == 2_000
    assert sent["output_config"] == {"effort": "low"}
    assert sent["temperature"] == 0
    blocks = body(model, "a", system=[{"type": "text", "text": "x"}])["system"]
    assert [block["text"] for block in blocks] == ["Be brief.", "x"]


def test_the_conversation_may_go_on_after_it_was_sent() -> None:
    history = [{"role": "user", "content": "a"}]
    trial = trial_of()
    with pytest.raises(Suspended):
        ask_of(trial)(messages=history)
    history.append({"role": "assistant", "content": "b"})
    assert len(trial.unanswered[0].body["messages"]) == 1


@pytest.mark.parametrize(
    "name", ["model", "thinking", "output_config", "betas", "stream", "extra_headers", "extra_body"]
)
def test_what_the_profile_decides_is_not_taken(name: str) -> None:
    with pytest.raises(TestMistake, match="decided-by-profile"):
        ask_of(trial_of())("a", **{name: "x"})


@pytest.mark.parametrize("given", [{}, {"messages": []}])
def test_either_a_text_or_messages(given: dict[str, Any]) -> None:
    arguments = ("a",) if given else ()
    with pytest.raises(TestMistake, match="nothing-to-say"):
        ask_of(trial_of())(*arguments, **given)


@pytest.mark.parametrize("given", [3, 1.5, b"a"])
def test_a_value_that_is_no_text(given: Any) -> None:
    with pytest.raises(TestMistake, match="nothing-to-say"):
        ask_of(trial_of())(given)


def test_a_judge_is_asked_without_the_models_under_test(tmp_path: Path) -> None:
    trial = trial_of(tape=Tape(tmp_path))
    with pytest.raises(TestMistake, match="no-judge"):
        ask_of(trial).judged("a")
    trial.judge = ModelProfile(model="referee")
    with pytest.raises(Suspended):
        ask_of(trial).judged("a", max_tokens=3)
    assert trial.unanswered[0].body["model"] == "referee"
    assert trial.unanswered[0].place.file == "referee/test_it/all.jsonl"


def test_checks_are_kept_and_their_names_are_names() -> None:
    trial = trial_of()
    ask = ask_of(trial)
    assert ask.check("cites", True) is True
    assert ask.check("short", 0) is False
    assert ask.check("score", 0.98) == 0.98
    assert trial.checks == {"cites": True, "short": False, "score": 0.98}
    for value in ([1], "", None, 2, 1.5, -0.1, float("nan")):
        with pytest.raises(TestMistake, match="bad-check-value"):
            ask.check("other", value)
    with pytest.raises(TestMistake, match="check-given-twice"):
        ask.check("cites", True)
    for name in ("", "a b", "a/b", "a\n", "x" * 100):
        with pytest.raises(TestMistake, match="bad-check-name"):
            ask.check(name, True)


@pytest.mark.parametrize(
    ("context", "found"),
    [
        ("The gate opens at 6.\n\nThe shop opens at 9.", True),
        (["The gate opens at 6.", "The shop opens at 9."], True),
        (["The shop, shut for good, opens no more.", "It opens at 9."], False),
    ],
)
def test_the_lexical_baseline_of_a_trial_is_kept(context: object, found: bool) -> None:
    trial = trial_of(cell_of())
    assert ask_of(trial).lexical(context, "When does the shop open?", "at 9") is found  # type: ignore[arg-type]
    assert trial.lexical is found


@pytest.mark.parametrize(("context", "answer", "options"), [("", "a", ()), ("a", " ", ()), ("a", "a", ("b", "c"))])
def test_a_lexical_baseline_needs_text_and_an_answer(context: str, answer: str, options: tuple[str, ...]) -> None:
    with pytest.raises(TestMistake, match=r"ask\.lexical needs"):
        ask_of(trial_of(cell_of())).lexical(context, "What?", answer, options)


SESSION = Transcript(
    [
        {"role": "user", "content": "The code is K17."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Which place?"},
        {"role": "assistant", "content": "Ambry."},
    ],
    "You run a depot.",
    [{"name": "look"}],
)
PROBE = {"question": "What is the code?", "accept": "K17", "kind": "identifier", "evidence": "K17"}


def test_a_question_about_a_transcript_is_its_last_turn() -> None:
    sent = body(TOY, SESSION, "Which code?", max_tokens=9)
    assert sent["messages"] == [*SESSION.messages, {"role": "user", "content": "Which code?"}]
    assert (sent["system"], sent["tools"]) == ("You run a depot.", [{"name": "look"}])
    assert sent["tool_choice"] == {"type": "none"}
    assert body(TOY, SESSION, "?", system="Mine.")["system"] == "Mine."


def test_edits_of_the_api_are_sent_with_their_beta() -> None:
    trial = trial_of()
    trial.strategy = Strategy("compact-9")
    with pytest.raises(Suspended):
        ask_of(trial)(SESSION, "Which code?")
    [lacking] = trial.unanswered
    assert lacking.headers == {"anthropic-beta": "compact-2026-01-12"}
    assert lacking.body["context_management"]["edits"][0]["trigger"]["value"] == 9


def test_a_strategy_does_not_decide_what_the_model_profile_does() -> None:
    trial = trial_of()
    trial.strategy = Strategy("mine", lambda messages, ask: {"messages": messages, "model": "other"})
    with pytest.raises(TestMistake, match="The strategy 'mine' returns model, which belongs in the model profile"):
        ask_of(trial)(SESSION, "Which code?")


def test_a_strategy_asks_once_a_trial_for_each_transcript(tape: Tape) -> None:
    for expected in (1, 2, 3):
        trial = trial_of(tape=tape)
        trial.strategy = Strategy("summary-2")
        ask = ask_of(trial)
        with contextlib.suppress(Suspended):
            ask(SESSION, "Which code?")
            ask(SESSION, "Which place?")
        assert len(trial.bodies) == expected
        assert [exchange.role for exchange in trial.exchanges] == ["strategy", "test"][: expected - 1]
        answer_to(trial.unanswered[0], tape, "The code is K17.")
    assert "The code is K17." in str(trial.unanswered[0].body["messages"][0]["content"])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"question": ""}, "bad-probe"),
        ({"accept": []}, "bad-probe"),
        ({"evidence": "K18"}, "but not the probe's evidence 'K18': name a turn, or quote one exactly. [probe-without-"),
        ({"evidence": "", "turn": 9}, "but not the probe's turn 9: name a turn, or quote one exactly. [probe-without-"),
    ],
)
def test_a_probe_that_cannot_be_asked_is_a_mistake(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(TestMistake) as caught:
        ask_of(trial_of()).probe(SESSION, PROBE | changed)
    assert told in str(caught.value.error)


def test_a_transcript_alone_or_in_a_shape_is_a_mistake() -> None:
    chat = trial_of(dataclasses.replace(cell_of(), shape="chat"))
    for ask, arguments in ((ask_of(trial_of()), (SESSION,)), (ask_of(chat), (SESSION, "Which code?"))):
        with pytest.raises(TestMistake) as caught:
            ask(*arguments)
        assert caught.value.error.code == "transcript-is-turns"


@pytest.mark.parametrize(
    ("reply", "grade", "error"),
    [
        ("K17", "", None),
        ("K18", "invented", AssertionError),
        ("Not known.", "lost", AssertionError),
        ("", "", Unparseable),
    ],
)
def test_what_a_probe_finds_is_counted(tape: Tape, reply: str, grade: str, error: type[Exception] | None) -> None:
    first = trial_of(tape=tape)
    with pytest.raises(Suspended):
        ask_of(first).probe(SESSION, PROBE)
    answer_to(first.unanswered[0], tape, reply)
    trial = trial_of(tape=tape)
    with pytest.raises(error) if error else contextlib.nullcontext():
        ask_of(trial).probe(SESSION, PROBE)
    assert {name for name, number in trial.counted.items() if number} == ({grade} if grade else set())
    assert (trial.probe, trial.depth) == ("identifier", 0)
    assert trial.kept == (tokens_of(SESSION.messages),) * 2


def test_tokens_are_those_of_the_cell() -> None:
    cell = cell_of()
    known = dataclasses.replace(cell, point=dataclasses.replace(cell.point, tokens={"line": 2.5}))
    ask_of(trial_of(known)).tokens()["line"] = 1  # type: ignore[index]
    assert ask_of(trial_of(known)).tokens() == {"line": 2.5}
    with pytest.raises(TestMistake, match="no-counts"):
        ask_of(trial_of(cell)).tokens()
