"""What a test function asks: the body that is sent, and what the model's profile decides of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.trial import FunctionTrial, Suspended, TestMistake
from longctx.recording.tape import Tape
from tests.functions.examples import case_of, trial_of


def body(model: ModelProfile, *given: Any, **named: Any) -> dict[str, Any]:
    """Return the body of the request that `ask` sends."""
    trial = trial_of(case_of(model=model))
    with pytest.raises(Suspended):
        ask_of(trial)(*given, **named)
    return dict(trial.lacking[0].body)


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
    assert len(trial.lacking[0].body["messages"]) == 1


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


def test_a_judge_is_asked_without_the_models_under_test(tmp_path: Path) -> None:
    trial = trial_of(tape=Tape(tmp_path))
    with pytest.raises(TestMistake, match="no-judge"):
        ask_of(trial).judged("a")
    trial.judge = ModelProfile(model="referee")
    with pytest.raises(Suspended):
        ask_of(trial).judged("a", max_tokens=3)
    assert trial.lacking[0].body["model"] == "referee"
    assert trial.lacking[0].wanted.file == "referee/test_it/all.jsonl"


def test_checks_are_kept_and_their_names_are_names() -> None:
    trial = trial_of()
    ask = ask_of(trial)
    assert ask.check("cites", [1]) is True
    assert ask.check("short", "") is False
    assert trial.checks == {"cites": True, "short": False}
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
    trial = trial_of(case_of())
    assert ask_of(trial).lexical(context, "When does the shop open?", "at 9") is found  # type: ignore[arg-type]
    assert trial.lexical is found


@pytest.mark.parametrize(("context", "answer", "options"), [("", "a", ()), ("a", " ", ()), ("a", "a", ("b", "c"))])
def test_a_lexical_baseline_needs_text_and_an_answer(context: str, answer: str, options: tuple[str, ...]) -> None:
    with pytest.raises(TestMistake, match=r"ask\.lexical needs"):
        ask_of(trial_of(case_of())).lexical(context, "What?", answer, options)
