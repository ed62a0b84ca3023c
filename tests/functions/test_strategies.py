"""Strategies of context management: what they send, and that no tool call is ever parted from its result."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.errors import UserError
from longctx.functions.strategies import (
    LEFT_OUT,
    SUMMARY_PROMPT,
    Messages,
    Strategy,
    from_turn,
    joined,
    starts,
    tokens_of,
    unpaired,
)
from longctx.vocabulary.answer import Answer
from longctx.workspace import Workspace
from tests.given import reply
from tests.refusals import refused

OWN = "def strategy(messages, ask):\n    return {}\n"


def said(text: str) -> Messages:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": f"I have read {text}."}]


def called(text: str, calls: int) -> Messages:
    ids = [f"{text}-{number}" for number in range(calls)]
    uses = [{"type": "tool_use", "id": each, "name": "read", "input": {"page": each}} for each in ids]
    results: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": each, "content": f"page {each}"} for each in ids
    ]
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def conversation(events: list[tuple[str, int]]) -> Messages:
    """Return turns: for each event a text of both, or after a user's text a loop of so many calls."""
    turns: Messages = []
    for number, (kind, calls) in enumerate(events):
        text = f"w{number}"
        match kind:
            case "said":
                turns += said(text)
            case "called":
                turns += [{"role": "user", "content": text}, *called(text, calls), said(text)[1]]
            case _:
                turns += [
                    {"role": "user", "content": text},
                    *called(text, 1),
                    *called(f"{text}b", calls),
                    said(text)[1],
                ]
    return turns


CONVERSATIONS = st.lists(
    st.tuples(st.sampled_from(["said", "called", "loop"]), st.integers(1, 3)), min_size=1, max_size=8
)


def never(messages: object, /, **given: Any) -> Answer:
    raise AssertionError("it asks nothing")


def summing(asked: list[Any]) -> Any:
    def ask(messages: Any, /, **given: Any) -> Answer:
        asked.append(messages)
        return reply("All is well.")

    return ask


def check_sendable(messages: Messages) -> None:
    assert unpaired(messages) == ""
    assert not messages or messages[0]["role"] == "user"
    roles = [message["role"] for message in messages]
    assert all(first != second for first, second in itertools.pairwise(roles))


@settings(max_examples=60, deadline=None)
@given(CONVERSATIONS, st.integers(1, 200))
def test_truncation_keeps_calls_with_their_results_within_the_tokens(events: list[tuple[str, int]], most: int) -> None:
    turns = conversation(events)
    kept = Strategy(f"truncate-{most}").applied(turns, never, {}).messages
    check_sendable(kept)
    assert tokens_of(kept) <= most + tokens_of([{"role": "user", "content": LEFT_OUT}])
    if tokens_of(turns) <= most:
        assert kept == turns


@settings(max_examples=60, deadline=None)
@given(CONVERSATIONS, st.integers(1, 12))
def test_a_summary_replaces_the_older_turns_alone(events: list[tuple[str, int]], last: int) -> None:
    turns, asked = conversation(events), list[Any]()
    kept = Strategy(f"summary-{last}").applied(turns, summing(asked), {}).messages
    check_sendable(kept)
    if not asked:
        assert kept == turns
        return
    [summarised] = asked
    check_sendable(summarised)
    assert str(summarised[-1]["content"]).endswith((f"{SUMMARY_PROMPT}", f"{SUMMARY_PROMPT}'}}]"))
    assert "All is well." in str(kept[0]["content"])
    assert turns[-last:] == kept[-last:] or str(turns[-last]["content"]) in str(kept)


@settings(max_examples=40, deadline=None)
@given(CONVERSATIONS)
def test_from_every_start_a_conversation_goes_on(events: list[tuple[str, int]]) -> None:
    turns = conversation(events)
    for start in starts(turns):
        check_sendable(from_turn(turns, start))


def test_a_prompt_of_the_prompt_set_asks_for_the_summary() -> None:
    asked: list[Any] = []
    Strategy("summary-2").applied(conversation([("said", 1)] * 3), summing(asked), {"summary": "In one word?"})
    assert asked[0][-1] == {"role": "user", "content": "In one word?"}


def test_the_edits_of_the_api_are_sent_with_their_betas() -> None:
    cleared = Strategy("clear_tool_uses-5000").applied([], never, {})
    trigger = {"type": "input_tokens", "value": 5000}
    assert cleared.body == {"context_management": {"edits": [{"type": "clear_tool_uses_20250919", "trigger": trigger}]}}
    assert cleared.headers == [("anthropic-beta", "context-management-2025-06-27")]
    compacted = Strategy("compact").applied([], never, {"compact": "Keep numbers."})
    [edit] = compacted.body["context_management"]["edits"]
    assert edit == {"type": "compact_20260112", "instructions": "Keep numbers."}
    assert compacted.headers == [("anthropic-beta", "compact-2026-01-12")]


def test_neighbours_of_one_role_are_joined() -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "user", "content": [{"type": "text", "text": "b"}]}]
    [only] = joined(turns)
    assert only["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("truncat", "no-such-strategy"),
        ("none-3", "no-such-strategy"),
        ("truncate-0", "no-such-strategy"),
        ("nowhere.py", "no-strategy-file"),
        ("../away.py", "leads-outside"),
        ("summary.py", "bad-strategy-name"),
        ("Own Way.py", "bad-strategy-name"),
        ("chat.py", "bad-strategy-name"),
        ("broken.py", "bad-strategy"),
        ("empty.py", "bad-strategy"),
    ],
)
def test_a_strategy_that_cannot_be_used_is_named(tmp_path: Path, name: str, code: str) -> None:
    for file, text in {
        "broken.py": "1/0",
        "empty.py": "",
        "summary.py": OWN,
        "chat.py": OWN,
        "Own Way.py": OWN,
    }.items():
        (tmp_path / file).write_text(text)
    (tmp_path.parent / "away.py").write_text(OWN)
    with refused(code):
        Strategy.of(name, Workspace(tmp_path))


def test_two_strategies_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(OWN)
    with refused("strategy-given-twice"):
        Strategy.all_of(["none", "a/mine.py", "b/mine.py"], Workspace(tmp_path))
    assert [each.name for each in Strategy.all_of(["none", "a/mine.py"], Workspace(tmp_path))] == ["none", "mine"]


class Callable:
    """A strategy that is no function."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def __call__(self, messages: Messages, ask: object) -> object:
        return self.own(messages, ask)


KINDS = {
    "a function": lambda own: Strategy("mine", own),
    "an object": lambda own: Strategy("mine", Callable(own)),
    "at a threshold": lambda own: Strategy("mine-at-1", own, 1),
}
"""The kinds of strategies of one's own; each is applied to the whole conversation at least once."""


def turns_with(block: object) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [block]}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("returned", "code"),
    [
        ({}, "bad-strategy"),
        (None, "bad-strategy"),
        ([], "bad-strategy"),
        ("text", "bad-strategy"),
        (iter(()), "bad-strategy"),
        ([{"role": "system", "content": "x"}], "bad-strategy"),
        ([{"role": "user"}], "bad-strategy"),
        ([{"role": "user", "content": None}], "bad-strategy"),
        ([{"role": "user", "content": {"type": "text", "text": "x"}}], "bad-strategy"),
        (turns_with("x"), "bad-strategy"),
        (turns_with({"text": "x"}), "bad-strategy"),
        (turns_with({"type": "text", "text": 1}), "bad-strategy"),
        (turns_with({"type": "text", "text": float("nan")}), "bad-strategy"),
        (turns_with({"type": "image", "source": b"x"}), "bad-strategy"),
        (turns_with({"type": "tool_result", "tool_use_id": "a", "content": 1}), "bad-strategy"),
        ({"messages": said("a"), "metadata": {1, 2}}, "bad-strategy"),
        (called("a", 1)[:1], "unpaired-tool-use"),
        (called("a", 1)[1:], "unpaired-tool-use"),
    ],
)
def test_what_a_strategy_of_ones_own_returns_is_checked(kind: str, returned: object, code: str) -> None:
    with refused(code):
        KINDS[kind](lambda messages, ask: returned).applied(said("a"), never, {})


def test_what_a_strategy_of_ones_own_returned_does_not_change_later() -> None:
    kept: list[Messages] = []

    def own(messages: Messages, ask: object) -> Messages:
        kept.append(copy.deepcopy(messages))
        return kept[-1]

    managed = Strategy("mine", own).applied(said("a"), never, {})
    kept[0][0]["content"] = "[cleared]"
    assert managed.messages == said("a")


def test_a_strategy_of_ones_own_may_add_to_the_request() -> None:
    edits = {"edits": [{"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 1}}]}
    own = Strategy("mine", lambda messages, ask: {"messages": messages, "context_management": edits})
    managed = own.applied(said("a"), never, {})
    assert (managed.messages, managed.edits) == (said("a"), ["clear_tool_uses_20250919"])


def edits_a_block(messages: Messages, ask: object) -> Messages:
    messages[2]["content"][0]["content"] = "[cleared]"
    return messages


def edits_a_turn(messages: Messages, ask: object) -> Messages:
    messages[0]["content"] = "[cleared]"
    return messages


def drops_turns(messages: Messages, ask: object) -> Messages:
    del messages[:2]
    return messages


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("own", [edits_a_block, edits_a_turn, drops_turns])
def test_a_strategy_of_ones_own_leaves_the_transcript_as_it_is(kind: str, own: Any) -> None:
    """All trials share it: a change would be seen by trials of other strategies, too."""
    turns = [*said("a")[:1], *called("b", 1), *said("c")[1:]]
    before = copy.deepcopy(turns)
    with refused("strategy-changes-input"):
        KINDS[kind](own).applied(turns, never, {})
    assert turns == before


def test_a_strategy_of_ones_own_may_change_a_copy() -> None:
    turns = [*said("a")[:1], *called("b", 1), *said("c")[1:]]
    own = Strategy("mine", lambda messages, ask: edits_a_block(copy.deepcopy(messages), ask))
    assert "[cleared]" in str(own.applied(turns, never, {}).messages)
    assert "[cleared]" not in str(turns)


def test_truncation_keeps_turns_of_exactly_so_many_tokens() -> None:
    turns = said("a") + said("b") + said("c")
    newest = tokens_of(turns[2:])
    assert Strategy(f"truncate-{newest}").applied(turns, never, {}).messages == from_turn(turns, 2)
    assert Strategy(f"truncate-{newest - 1}").applied(turns, never, {}).messages == from_turn(turns, 3)


def test_a_strategy_at_a_threshold_is_applied_each_time() -> None:
    turns = conversation([("called", 1)] * 30)
    asked: list[Messages] = []

    def summarize(messages: Any, /, **_: Any) -> Answer:
        asked.append(messages)
        return reply(f"summary {len(asked)}")

    strategy = Strategy.of("summary-2-at-200", Workspace(Path()))
    managed = strategy.applied(turns, summarize, {})
    assert strategy.name == "summary-2-at-200"
    assert len(asked) > 1
    assert f"summary {len(asked) - 1}" in str(asked[-1]), "a later summary is made of the one before"
    assert f"summary {len(asked)}" in str(managed.messages[0])
    assert not unpaired(managed.messages)
    assert tokens_of(managed.messages) < 260
    assert Strategy.of("summary-at-9000", Workspace(Path())).applied(turns, summarize, {}).messages == joined(turns)
    assert tokens_of(Strategy.of("truncate-at-200", Workspace(Path())).applied(turns, summarize, {}).messages) < 220


def test_a_threshold_is_for_what_runs_here(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="takes no threshold"):
        Strategy.of("compact-at-200", Workspace(tmp_path))
    (tmp_path / "last.py").write_text("def strategy(messages, ask):\n    return messages[-2:]\n")
    strategy = Strategy.of("last.py-at-40", Workspace(tmp_path))
    assert strategy.name == "last-at-40"
    assert len(strategy.applied(conversation([("said", 0)] * 30), None, {}).messages) < 12  # type: ignore[arg-type]
    (tmp_path / "nothing.py").write_text("def strategy(messages, ask):\n    return []\n")
    with pytest.raises(UserError, match="without the conversation"):
        Strategy.of("nothing.py", Workspace(tmp_path)).applied(conversation([("said", 0)]), None, {})  # type: ignore[arg-type]
