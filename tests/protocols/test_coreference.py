"""Coreference: what a seed builds, how a conversation fills its window, and how a reply is judged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols import conversation_texts as texts
from longctx.protocols import coreference as protocol
from longctx.protocols.conversation import Conversation, ordinal
from longctx.protocols.coreference import conversation_of, exchange_count
from longctx.vocabulary.point import BuiltTrial, Outcome
from longctx.vocabulary.shapes import Context, rendered
from tests.given import reply, words_of
from tests.protocols import Coreference
from tests.protocols.tokens import TOKENS_OF, fixtures, measured
from tests.servers import count_tokens

WORDS = words_of(Coreference)
TOKENS = TOKENS_OF[Coreference]


def build(slug: str, seed: int = 0, index: int = 0) -> BuiltTrial:
    return Coreference.from_slug(slug, tokens=TOKENS).build(WORDS, seed, index)


def conversation(slug: str, seed: int = 0, index: int = 0, tokens: Mapping[str, float] = TOKENS) -> Conversation:
    cell = Coreference.from_slug(slug, tokens=tokens)
    draw, trial = fixtures(cell, seed, index)
    return conversation_of(draw, WORDS, cell, trial)


MEASURED = measured(Coreference, count_tokens)


def test_a_prompt_is_examples_a_conversation_and_a_question() -> None:
    trial = build("needles-2-window-1024", index=1)
    facts = conversation("needles-2-window-1024", index=1)
    kind, subject = facts.request
    assert trial.user.startswith(f"{WORDS['opening']}\n\nUser: Write a ")
    exchanges = trial.user.removeprefix(WORDS["opening"]).split("\n\nUser: ")[1:]
    *asked, last = [exchange.split("\n\n", 1) for exchange in exchanges]
    assert [text for _, text in asked] == [f"Assistant: {text}" for text in texts.texts(facts.rows)]
    assert [request for request, _ in asked].count(f"Write a {kind} about {subject}.") == 2
    assert last == [
        f"Prepend {facts.code} to the 2nd (1 indexed) {kind} about {subject}. Do not include any other text in "
        "your response.",
        "Assistant:",
    ]
    assert (trial.system, trial.max_tokens, trial.expected) == ("", 200, "2nd of 2")
    assert trial.recorded == {"texts": len(asked)}


@settings(max_examples=30)
@given(st.integers(2, 8), st.integers(2500, 20_000), st.integers(0, 2**70), st.integers(0, 10_000))
def test_the_request_is_made_so_often_and_its_answers_share_no_sentence(
    needles: int, window: int, seed: int, index: int
) -> None:
    slug = f"needles-{needles}-window-{window}"
    trial, facts = build(slug, seed, index), conversation(slug, seed, index)
    kind, subject = facts.request
    assert trial.user.count(f"User: Write a {kind} about {subject}.\n") == needles
    instances = facts.instances
    places = [trial.user.index(f"Assistant: {text}\n\n") for text in instances]
    assert places == sorted(places)
    sentences = [sentence for text in instances for sentence in re.split(r"(?<=[.,?!:])\s", text)]
    parts = [sentence for sentence in sentences if sentence.endswith(",") or len(sentence.split()) > 5]
    assert len(set(parts)) == len(parts)
    assert facts.asked == index % needles + 1
    assert trial.expected == f"{ordinal(facts.asked)} of {needles}"
    place = trial.user.index(instances[facts.asked - 1])
    assert trial.depth == place / len(trial.user)
    assert re.fullmatch("[A-Za-z0-9]{10}", facts.code)
    assert trial.user.count(facts.code) == 1


@given(st.integers(0, 2**70), st.integers(0, 10_000))
def test_a_prompt_follows_from_cell_seed_and_index_alone(seed: int, index: int) -> None:
    cell = Coreference(3, 1500, tokens=TOKENS)
    trial, again = cell.build(WORDS, seed, index), cell.build(WORDS, seed, index, repeat=1)
    assert (again.user, again.expected, again.depth) == (trial.user, trial.expected, trial.depth)
    assert str(again.identity) == f"coreference.v1/needles-3-window-1500/seed-{seed}/trial-{index}/repeat-1"


@settings(max_examples=20)
@given(st.integers(2, 8), st.integers(3000, 60_000), st.integers(0, 1000))
def test_the_window_is_filled_and_never_exceeded(needles: int, window: int, index: int) -> None:
    trial = Coreference(needles, window).fit(MEASURED).build(WORDS, 0, index)
    left = window - trial.max_tokens - count_tokens(trial.user)
    assert 0 <= left < 0.06 * window + 300


def test_a_model_with_more_tokens_a_text_is_asked_about_the_same_texts() -> None:
    few, many = (conversation("needles-4-window-4000", 0, 2, {"exchange": each, "fixed": 400}) for each in (90, 130))
    assert few.instances == many.instances
    assert (few.code, few.asked) == (many.code, many.asked)
    shorter, longer = (texts.texts(each.rows) for each in (many, few))
    assert len(shorter) < len(longer)
    assert set(shorter) < set(longer)


@given(st.integers(2, 8), st.integers(1, 200_000), st.floats(1, 500), st.integers(1, 5000))
def test_a_window_holds_twice_as_many_texts_as_are_alike_or_is_refused(
    needles: int, window: int, exchange: float, fixed: int
) -> None:
    cell, tokens = Coreference(needles, window), {"exchange": exchange, "fixed": fixed}
    try:
        assert exchange_count(cell.fit(tokens)) >= 2 * needles - 1e-6
    except ValueError as error:
        least = int(str(error).rpartition(" ")[2].rstrip("."))
        assert least > window
        assert exchange_count(replace(cell, window=least).fit(tokens)) >= 2 * needles - 1e-6


def test_a_window_that_is_too_small_is_refused_with_one_that_is_not() -> None:
    with pytest.raises(
        ValueError, match=r"a window of 1000 tokens has no room for 8 similar texts, .*: use at least 2"
    ):
        Coreference(8, 1000).fit({"exchange": 98, "fixed": 364})


@pytest.mark.parametrize(
    ("needles", "window", "said"),
    [
        (1, 4000, "1 texts cannot be told apart by their order: give 2 to 8"),
        (9, 4000, "9 texts cannot be told apart by their order: give 2 to 8"),
        (2, 0, "a window has at least 1 token"),
    ],
)
def test_what_cannot_be_asked_is_refused(needles: int, window: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Coreference(needles, window)


def test_an_unknown_tokenizer_cannot_be_built_for() -> None:
    with pytest.raises(ValueError, match="tokens of this wording are not known"):
        Coreference(2, 4000).build(WORDS, 0, 0)


@pytest.mark.parametrize("counts", [{"no texts": 364, "20 texts": 364}, {"no texts": 0, "20 texts": 2000}])
def test_counts_that_cannot_be_right_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="would take 0 tokens"):
        Coreference.declared.counts.values(counts)


def test_a_measure_without_an_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="without a usable count of 'fixed'"):
        Coreference(2, 4000).fit({"exchange": 98})


def test_size_leaves_room_for_the_answer() -> None:
    cell = Coreference(2, 4096, max_tokens=300)
    assert (cell.size_tokens({}), cell.length) == (3796, 4096)


TRIAL = build("needles-4-window-2048", index=1)
CONVERSATION = conversation("needles-4-window-2048", index=1)  # the 2nd of 4 is asked for
CODE, INSTANCES = CONVERSATION.code, CONVERSATION.instances
OTHERS = [text for text in texts.texts(CONVERSATION.rows) if text not in INSTANCES]


def judged(text: str, stop_reason: str = "end_turn") -> Outcome:
    return protocol.judge_answer(reply(text, stop_reason), CONVERSATION, TRIAL.user)


def nearly(text: str) -> str:
    """Return the text with a few words changed."""
    return " ".join(f"{word}?" if place % 12 == 5 else word for place, word in enumerate(text.split()))


@pytest.mark.parametrize(
    ("text", "stop_reason", "kind", "returned", "trace"),
    [
        (CODE + INSTANCES[1], "end_turn", "correct", "2nd of 4", {"given": 2, "exact": 1, "score": 1000}),
        (f"\n{CODE}\n{INSTANCES[1]} ", "end_turn", "correct", "2nd of 4", {"given": 2, "exact": 1, "score": 1000}),
        (CODE + INSTANCES[1], "max_tokens", "correct", "2nd of 4", {"given": 2, "exact": 1, "score": 1000}),
        (CODE + INSTANCES[0], "end_turn", "wrong", "1st of 4", {"given": 1, "exact": 1}),
        (CODE + INSTANCES[3], "max_tokens", "wrong", "4th of 4", {"given": 4, "exact": 1}),
        (CODE + "Of honey and of herring I know nothing.", "end_turn", "wrong", "no text of the prompt", {}),
        (f"{CODE}What is written stays written.", "end_turn", "wrong", "a text of the examples", {"example": 1}),
        (f"{CODE}snow", "end_turn", "wrong", "no text of the prompt", {}),
        (CODE + INSTANCES[1][:60], "max_tokens", "truncated", None, {}),
        (CODE + INSTANCES[1][:60], "end_turn", "wrong", "no text of the prompt", {}),
        (CODE + INSTANCES[1][:250], "max_tokens", "truncated", "2nd of 4", {"given": 2, "exact": 0}),
        (CODE + INSTANCES[1][:250], "end_turn", "wrong", "2nd of 4, badly copied", {"given": 2, "exact": 0}),
        (CODE + INSTANCES[3][:250], "end_turn", "wrong", "4th of 4, badly copied", {"given": 4, "exact": 0}),
        (INSTANCES[1], "end_turn", "unparseable", "2nd of 4", {"without_code": 2, "score": 0}),
        (f"Here it is: {CODE}{INSTANCES[2]}", "end_turn", "unparseable", "3rd of 4", {"without_code": 3, "score": 0}),
        ("I do not know.", "end_turn", "unparseable", None, {"score": 0}),
        (INSTANCES[1][:60], "max_tokens", "truncated", None, {"score": 0}),
        (CODE, "end_turn", "unparseable", None, {"score": 0}),
        ("", "end_turn", "unparseable", None, {"score": 0}),
        ("I cannot.", "refusal", "refusal", None, {"score": 0}),
        (CODE + INSTANCES[1], "refusal", "refusal", None, {"score": 0}),
    ],
)
def test_what_a_reply_is_worth(
    text: str, stop_reason: str, kind: str, returned: str | None, trace: dict[str, int]
) -> None:
    outcome = judged(text, stop_reason)
    assert (outcome.kind, outcome.returned) == (kind, returned)
    assert outcome.trace["asked"] == 2
    assert trace.items() <= outcome.trace.items()
    assert ("given" in outcome.trace) == ("given" in trace)
    assert outcome.why


def test_a_text_with_a_few_words_changed_is_the_text() -> None:
    outcome = judged(CODE + nearly(INSTANCES[1]))
    assert (outcome.kind, outcome.why) == ("correct", "the 2nd of 4, nearly word for word")
    assert outcome.trace["exact"] == 0
    assert 700 < outcome.trace["score"] < 1000


def test_half_of_one_and_half_of_another_is_wrong() -> None:
    first, second = (INSTANCES[place].split() for place in (0, 1))
    outcome = judged(CODE + " ".join([*first[:20], *second[20:]]))
    assert (outcome.kind, outcome.returned) == ("wrong", "2nd of 4, badly copied")
    assert outcome.why.startswith("the 2nd of 4, but only ")


@pytest.mark.parametrize("changed", [str, nearly])
def test_another_text_of_the_conversation_is_named(changed: type[str]) -> None:
    rows, (kind, subject) = CONVERSATION.rows, CONVERSATION.request
    have = texts.lists()
    for text in OTHERS:
        outcome = judged(CODE + changed(text))
        row = rows[texts.texts(rows).index(text)]
        assert outcome.kind == "wrong"
        assert outcome.returned == f"a {have.kinds[row[0]]} about {have.subjects[row[1]]}"
        assert outcome.trace["same_kind"] == (have.kinds[row[0]] == kind)
        assert outcome.trace["same_subject"] == (have.subjects[row[1]] == subject)


@settings(max_examples=30)
@given(st.text(max_size=300), st.sampled_from(["end_turn", "max_tokens", "refusal", "pause_turn", "tool_use", None]))
def test_no_reply_is_too_strange_to_judge(text: str, stop_reason: str) -> None:
    for said in (text, CODE + text):
        outcome = judged(said, stop_reason)
        assert outcome.kind != "correct"
        assert 0 <= outcome.trace["score"] < 1000


def in_pieces(slug: str, index: int = 0) -> tuple[BuiltTrial, Context]:
    cell = Coreference.from_slug(slug, tokens=TOKENS)
    trial = cell.build(WORDS, 0, index)
    return trial, trial.pieces()


def test_its_pieces_are_the_exchanges_of_the_text() -> None:
    trial, context = in_pieces("needles-2-window-1024", index=1)
    parts = [context.opening, *(piece.text for piece in context.pieces)]
    assert trial.user.startswith("\n\n".join(parts))
    assert trial.user.endswith(f"User: {context.question}\n\nAssistant:")
    assert context.needle is not None
    assert conversation("needles-2-window-1024", index=1).instances[1] in context.pieces[context.needle].text


def test_a_chat_has_real_turns_without_the_names_of_roles() -> None:
    facts, (_, context) = conversation("needles-4-window-2048"), in_pieces("needles-4-window-2048")
    messages = rendered(context, "chat")["messages"]
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    assert said[1:] == [text.strip() for text in texts.texts(facts.rows)]
    asked = [message["content"] for message in messages if message["role"] == "user"]
    kind, subject = facts.request
    assert asked.count(f"Write a {kind} about {subject}.") == 4
    assert not any(text.startswith(("User:", "Assistant:")) for text in (*asked, *said))
    assert asked[-1].startswith(f"Prepend {facts.code} to the 1st (1 indexed) {kind} about {subject}.")
    assert not asked[-1].endswith("Assistant:")
