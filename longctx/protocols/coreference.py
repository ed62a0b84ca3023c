"""Multi-round coreference: give back the i-th of 2 to 8 texts that answer the same request in a long conversation.

Sources: MRCR, K. Vodrahalli et al., "Michelangelo", 2024, sections 2.3 and 3.3 and appendix A.2,
https://arxiv.org/abs/2409.12640; OpenAI MRCR, 2025, https://huggingface.co/datasets/openai/mrcr; MRCR v2, Google
DeepMind, 2026, https://github.com/google-deepmind/eval_hub. The differences from them: docs/protocols.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from pydantic import Field

from longctx import (
    Answer,
    Context,
    Count,
    Counts,
    Mark,
    Outcome,
    ProtocolAsk,
    ProtocolCell,
    ProtocolDraw,
    TrialNumber,
    fill,
    mark,
    protocol,
    unanswered,
)
from longctx.protocols import conversation_texts as texts
from longctx.protocols.conversation import (
    Conversation,
    ConversationPlan,
    Match,
    characters_each,
    document,
    drawn,
    exchanges,
    most_alike,
    ordinal,
    probe,
    published,
    question,
    without_role,
)
from longctx.vocabulary.counts import checked_counts
from longctx.vocabulary.grid import QUESTIONS, WindowAxes, questions_of
from longctx.vocabulary.point import Templates

MOST_TEXTS = 8
"""The most alike texts of a conversation: there are not enough sentence parts for more without repetition."""
EXCHANGE = 100
"""About the tokens of an exchange, the same for every model, so that a window has the same number of subjects."""
PROBED = 20
"""The texts of the probe whose tokens are counted."""
SPREAD, LEAN = 0.15, 0.02
"""Three standard deviations of the tokens per exchange, as a share: of a single exchange, and of all in a conversation,
which has few subjects and many exchanges about each."""
FEW = 3
"""The fewest words of an answer that is recognised as a text of the examples."""
CODE_TOKENS = 10
"""The tokens that a code may take beyond those of the code that was counted."""


class CoreferenceAxes(WindowAxes):
    """Every number of alike texts in every window (tokens)."""

    needles: tuple[Count, ...] = Field(default=(2, 4, 8), min_length=1)
    """How many texts answer the same request."""
    questions: int = QUESTIONS
    """How many trials ask about one conversation, each about another request with as many alike texts."""
    max_tokens: Count = 200
    """The most tokens of a reply."""

    def cells(self) -> Iterator[dict[str, object]]:
        for needles, window in product(self.needles, self.windows):
            yield {"needles": needles, "window": window, "questions": questions_of(self.questions)}


def _probes(words: Templates) -> dict[str, str]:
    values = {"code": "kTqZwPmXcB", "ordinal": "8th", "kind": "diary entry", "subject": "grasshoppers"}
    asked = fill(words["question"], values)
    return {"no texts": document(words, probe(0), asked), f"{PROBED} texts": document(words, probe(PROBED), asked)}


def _values(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the mean tokens of an exchange, and those of everything else, chat template included."""
    none, some = counts["no texts"], counts[f"{PROBED} texts"]
    return checked_counts({"exchange": round((some - none) / PROBED, 4), "fixed": none})


def exchange_count(cell: ProtocolCell) -> float:
    """Return how many exchanges fit. Raises ValueError if they are fewer than twice the alike ones."""
    each, apart = cell.counted["exchange"], int(cell.counted["fixed"]) + CODE_TOKENS + cell.max_tokens
    alike = cell.needles * cell.questions_per_context
    room, least = max(cell.window - apart, 0) / each, 2 * alike
    if room < _at_most(least):
        least_window = apart + math.ceil(_at_most(least) * each)
        raise ValueError(
            f"a window of {cell.window} tokens has no room for {alike} similar texts, as many others, the examples, "
            f"and a reply of {cell.max_tokens}: use at least {least_window}."
        )
    # How many always fit in the room of so many average ones: the inverse of `_at_most`.
    root = (math.sqrt(SPREAD**2 + 4 * (1 + LEAN) * room) - SPREAD) / (2 * (1 + LEAN))
    return root**2


def _at_most(exchanges: float) -> float:
    """Return how many average exchanges take as much room as this number of exchanges at most."""
    return exchanges * (1 + LEAN) + SPREAD * math.sqrt(exchanges)


def conversation_of(draw: ProtocolDraw, words: Templates, cell: ProtocolCell, trial: TrialNumber) -> Conversation:
    characters = characters_each(words["request"], words["response"], PROBED)
    plan = ConversationPlan(
        needles=cell.needles,
        asked=trial.index % cell.needles + 1,
        exchanges=cell.window // EXCHANGE,
        characters=int(exchange_count(cell) * characters),
        requests=cell.questions_per_context,
        request=trial.question,
    )
    return drawn(draw.shared().stream(), words, plan)


def _prefix(cell: ProtocolCell, words: Templates, seed: int, index: int) -> str | None:
    """Return None where every trial has its own conversation: these share no more than their templates."""
    return f"{cell.slug}/{cell.context_of(index)[0]:06d}" if cell.questions_per_context > 1 else None


def _validate(cell: ProtocolCell) -> None:
    if not 2 <= cell.needles <= MOST_TEXTS:
        raise ValueError(f"{cell.needles} texts cannot be told apart by their order: give 2 to {MOST_TEXTS}.")
    if cell.window < 1:
        raise ValueError(f"a window has at least 1 token, not {cell.window}.")


@protocol(
    axes=CoreferenceAxes,
    title="Multi-round coreference",
    templates={
        "system": (),
        "opening": (),
        "request": ("kind", "subject"),
        "response": ("text",),
        "question": ("code", "ordinal", "kind", "subject"),
    },
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="window",
    context="window",
    counts=Counts(_probes, _values, ("exchange", "fixed"), fits=exchange_count),
    prefix=_prefix,
    pieces=lambda cell: max(cell.window // EXCHANGE, 1),  # about its exchanges
    validate=_validate,
    report="longctx.protocols.reports.coreference_report:REPORT",
)
def coreference(
    ask: ProtocolAsk,
    draw: ProtocolDraw,
    words: Templates,
    cell: ProtocolCell,
    trial: TrialNumber,
    needles: int,
    window: int,
    questions: int | None = None,
) -> Outcome:
    """A conversation that fills `window` tokens, max_tokens included, with `needles` texts that answer one request.

    questions: how many trials ask about one conversation, each about another request; None for one.
    """
    conversation = conversation_of(draw, words, cell, trial)
    asked, needle = question(words, conversation), conversation.instances[conversation.asked - 1]
    text = document(words, conversation.rows, asked)

    def pieces() -> Context:
        return Context(
            pieces=exchanges(words, conversation.rows),
            question=without_role(asked),
            opening=words["opening"].strip(),
            needle=int(conversation.alike[conversation.asked - 1]),
        )

    answer = ask(
        text,
        expected=_name(conversation.asked, conversation),
        needle=needle,
        params={"texts": len(conversation.rows)},
        pieces=pieces,
    )

    outcome = judge_answer(answer, conversation, text)
    given = outcome.trace.get("given", outcome.trace.get("without_code"))
    marks = mark("needle", text, needle)
    for number, instance in enumerate(conversation.instances, start=1):
        if number != conversation.asked:
            marks += mark("the text that was returned" if number == given else "alike", text, instance)
    return replace(outcome, marks=[*marks, Mark("question", len(text) - len(asked), len(text))])


def judge_answer(answer: Answer, conversation: Conversation, prompt: str) -> Outcome:
    """Judge which text an answer gives back behind the code."""
    instances, text = conversation.instances, answer.text.strip()
    copied = text.removeprefix(conversation.code).strip()
    match = most_alike(copied, instances)
    trace = {"asked": conversation.asked, "score": 0}
    if answer.stop_reason == "refusal" or not text.startswith(conversation.code) or not copied:
        return _without_code(answer, conversation, match, trace)
    trace["score"] = round(1000 * published(copied, instances[conversation.asked - 1]))
    if match is None:
        return _no_instance(answer, conversation, prompt, copied, trace)
    given = match.place + 1
    exact, name = copied == instances[match.place], _name(given, conversation)
    trace |= {"given": given, "alike": int(1000 * match.ratio), "exact": int(exact)}
    if match.given_back:
        why = f"the {name}, {'word' if exact else 'nearly word'} for word"
        return Outcome("correct" if given == conversation.asked else "wrong", name, why, trace)
    if answer.cut_off:
        return Outcome("truncated", name, f"cut off after {answer.output_tokens} tokens, within the {name}", trace)
    return Outcome("wrong", f"{name}, badly copied", f"the {name}, but only {match.ratio:.0%} alike", trace)


def _name(number: int, conversation: Conversation) -> str:
    return f"{ordinal(number)} of {len(conversation.alike)}"


def _without_code(answer: Answer, conversation: Conversation, match: Match | None, trace: dict[str, int]) -> Outcome:
    """Return the outcome of an answer without the code, which may nevertheless give back one of the alike texts."""
    outcome = unanswered(answer, lacks="the code does not come first, with a text behind it")
    if match is None or not match.given_back or outcome.kind == "refusal":
        return replace(outcome, trace=trace)
    name = _name(match.place + 1, conversation)
    why = f"{outcome.why}; the text is the {name}"
    return replace(outcome, returned=name, why=why, trace=trace | {"without_code": match.place + 1})


def _no_instance(
    answer: Answer, conversation: Conversation, prompt: str, copied: str, trace: dict[str, int]
) -> Outcome:
    """Return the outcome of an answer that is another text of the prompt, or no text of it."""
    if match := most_alike(copied, texts.texts(conversation.rows)):
        asked, given = conversation.rows[conversation.alike[0]], conversation.rows[match.place]
        name = f"a {texts.lists().kinds[given[0]]} about {texts.lists().subjects[given[1]]}"
        same = {"same_kind": int(given[0] == asked[0]), "same_subject": int(given[1] == asked[1])}
        return Outcome("wrong", name, f"another text: {name}", trace | same)
    if len(copied.split()) >= FEW and copied in conversation.before(prompt):
        return Outcome("wrong", "a text of the examples", "a text of the examples", trace | {"example": 1})
    if answer.cut_off:
        return Outcome("truncated", None, f"cut off after {answer.output_tokens} tokens, within the text", trace)
    return Outcome("wrong", "no text of the prompt", "no text of the prompt", trace)
