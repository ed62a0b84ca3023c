"""Multi-round coreference: give back the i-th of 2 to 8 texts that answer the same request in a long conversation.

Sources: MRCR, K. Vodrahalli et al., "Michelangelo", 2024, sections 2.3 and 3.3 and appendix A.2,
https://arxiv.org/abs/2409.12640; OpenAI MRCR, 2025, https://huggingface.co/datasets/openai/mrcr; MRCR v2, Google
DeepMind, 2026, https://github.com/google-deepmind/eval_hub. The differences from them: docs/protocols/coreference.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from longctx import Context, Kind, Mark, Outcome, Reply, Scenario, Trial, Words, fill, mark, unanswered
from longctx.families.coreference import texts
from longctx.families.coreference.conversation import (
    Conversation,
    characters_each,
    document,
    draw,
    exchanges,
    ordinal,
    probe,
    question,
    without_role,
)
from longctx.families.coreference.similarity import Match, most_alike, published
from longctx.vocabulary.token_counts import check_profile, checked_counts

MOST = 8
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


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of the wording in a model's tokenizer.

    exchange: the mean of an exchange. fixed: everything but the exchanges, chat template included.
    """

    exchange: float
    fixed: int


@dataclass(frozen=True, slots=True)
class Coreference(Scenario):
    """A conversation that fills `window` tokens, max_tokens included, with `needles` texts that answer one request."""

    family: ClassVar[str] = "coreference"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("needles", "window", "questions")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "opening": (),
        "request": ("kind", "subject"),
        "response": ("text",),
        "question": ("code", "ordinal", "kind", "subject"),
    }
    counts_system: ClassVar[bool] = True

    needles: int
    window: int
    questions: int | None = field(default=None, kw_only=True)
    """How many trials ask about one conversation, each about another request; None for one."""
    tokens: Tokens | None = None
    max_tokens: int = field(default=200, kw_only=True)

    def __post_init__(self) -> None:
        if not 2 <= self.needles <= MOST:
            raise ValueError(f"{self.needles} texts cannot be told apart by their order: give 2 to {MOST}.")
        if self.window < 1:
            raise ValueError(f"a window has at least 1 token, not {self.window}.")

    @property
    def questions_per_context(self) -> int:
        return self.questions or 1

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        values = {"code": "kTqZwPmXcB", "ordinal": "8th", "kind": "diary entry", "subject": "grasshoppers"}
        asked = fill(words["question"], values)
        return {"no texts": document(words, probe(0), asked), f"{PROBED} texts": document(words, probe(PROBED), asked)}

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        none, some = counts["no texts"], counts[f"{PROBED} texts"]
        values = {"exchange": round((some - none) / PROBED, 4), "fixed": none}
        return checked_counts(values)

    def fit(self, values: Mapping[str, float]) -> Coreference:
        check_profile(values, ("exchange", "fixed"))
        fitted = replace(self, tokens=Tokens(values["exchange"], int(values["fixed"])))
        fitted.exchanges()
        return fitted

    def exchanges(self) -> float:
        """Return how many exchanges fit. Raises ValueError if they are fewer than twice the alike ones."""
        if self.tokens is None:
            raise ValueError("the model's tokens per exchange are not known.")
        each, apart = self.tokens.exchange, self.tokens.fixed + CODE_TOKENS + self.max_tokens
        alike = self.needles * self.questions_per_context
        room, least = max(self.window - apart, 0) / each, 2 * alike
        if room < _at_most(least):
            least_window = apart + math.ceil(_at_most(least) * each)
            raise ValueError(
                f"a window of {self.window} tokens has no room for {alike} alike texts, as many others, the "
                f"examples, and a reply of {self.max_tokens}: give at least {least_window}."
            )
        return _at_least(room)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        exchanges = self.exchanges()
        characters = int(exchanges * characters_each(words["request"], words["response"], PROBED))
        assert self.tokens is not None
        number, place = self.context_of(index)
        conversation = draw(
            self.stream(seed, number),
            words,
            self.needles,
            asked=index % self.needles + 1,
            exchanges=self.window // EXCHANGE,
            characters=characters,
            requests=self.questions_per_context,
            request=place,
        )
        user = document(words, conversation.rows, question(words, conversation))
        needle = conversation.instances[conversation.asked - 1]
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=f"{ordinal(conversation.asked)} of {self.needles}",
            max_tokens=self.max_tokens,
            depth=user.index(needle) / len(user),
            prefix=self.prefix(words, seed, index) or "",
            recorded={"texts": len(conversation.rows)},
            facts=conversation,
        )

    def prefix(self, words: Words, seed: int, index: int) -> str | None:
        """Return None where every trial has a conversation of its own: these share no more than their templates."""
        return f"{self.slug}/{self.context_of(index)[0]:06d}" if self.questions_per_context > 1 else None

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        conversation: Conversation = trial.facts
        instances, text = conversation.instances, reply.text.strip()
        answer = text.removeprefix(conversation.code).strip()
        match = most_alike(answer, instances)
        trace = {"asked": conversation.asked, "score": 0}
        if reply.stop_reason == "refusal" or not text.startswith(conversation.code) or not answer:
            return self._without_code(reply, match, trace)
        trace["score"] = round(1000 * published(answer, instances[conversation.asked - 1]))
        if match is None:
            return self._no_instance(trial, answer, reply, trace)
        given, name = match.place + 1, self._name(match)
        exact = answer == instances[match.place]
        trace |= {"given": given, "alike": int(1000 * match.ratio), "exact": int(exact)}
        if match.given_back:
            kind: Kind = "correct" if given == conversation.asked else "wrong"
            return Outcome(kind, name, f"the {name}, {'word' if exact else 'nearly word'} for word", trace)
        if reply.cut_off:
            return Outcome("truncated", name, f"cut off after {reply.output_tokens} tokens, within the {name}", trace)
        return Outcome("wrong", f"{name}, badly copied", f"the {name}, but only {match.ratio:.0%} alike", trace)

    def _name(self, match: Match) -> str:
        return f"{ordinal(match.place + 1)} of {self.needles}"

    def _without_code(self, reply: Reply, match: Match | None, trace: dict[str, int]) -> Outcome:
        """Return the outcome of a reply without the code, which may nevertheless give back one of the alike texts."""
        outcome = unanswered(reply, lacks="the code does not come first, with a text behind it")
        if match is None or not match.given_back or outcome.kind == "refusal":
            return replace(outcome, trace=trace)
        name = self._name(match)
        why = f"{outcome.why}; the text is the {name}"
        return replace(outcome, returned=name, why=why, trace=trace | {"without_code": match.place + 1})

    def _no_instance(self, trial: Trial, answer: str, reply: Reply, trace: dict[str, int]) -> Outcome:
        """Return the outcome of an answer that is another text of the prompt, or none."""
        conversation: Conversation = trial.facts
        if match := most_alike(answer, texts.texts(conversation.rows)):
            asked, given = conversation.rows[conversation.alike[0]], conversation.rows[match.place]
            name = f"a {texts.lists().kinds[given[0]]} about {texts.lists().subjects[given[1]]}"
            same = {"same_kind": int(given[0] == asked[0]), "same_subject": int(given[1] == asked[1])}
            return Outcome("wrong", name, f"another text: {name}", trace | same)
        if len(answer.split()) >= FEW and answer in conversation.before(trial.user):
            return Outcome("wrong", "a text of the examples", "a text of the examples", trace | {"example": 1})
        if reply.cut_off:
            return Outcome("truncated", None, f"cut off after {reply.output_tokens} tokens, within the text", trace)
        return Outcome("wrong", "no text of the prompt", "no text of the prompt", trace)

    @property
    def piece_count(self) -> int:
        """About how many exchanges a conversation has."""
        return max(self.window // EXCHANGE, 1)

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        conversation: Conversation = trial.facts
        return Context(
            pieces=exchanges(words, conversation.rows),
            question=without_role(question(words, conversation)),
            opening=words["opening"].strip(),
            needle=int(conversation.alike[conversation.asked - 1]),
        )

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        conversation: Conversation = trial.facts
        given = outcome.trace.get("given", outcome.trace.get("without_code"))
        names = dict.fromkeys(range(1, self.needles + 1), "alike")
        names |= {} if given is None else {given: "the text that was returned"}
        names[conversation.asked] = "needle"
        asked, length = question(words, conversation), len(trial.user)
        marks = [mark(names[place], trial.user, text) for place, text in enumerate(conversation.instances, start=1)]
        marks.insert(0, marks.pop(conversation.asked - 1))
        return [*itertools.chain(*marks), Mark("question", length - len(asked), length)]

    @property
    def length(self) -> int:
        """The tokens of the window."""
        return self.window

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self.window - self.max_tokens


def _at_most(exchanges: float) -> float:
    """Return how many average exchanges take as much room as this number of exchanges at most."""
    return exchanges * (1 + LEAN) + SPREAD * math.sqrt(exchanges)


def _at_least(room: float) -> float:
    """Return how many exchanges always fit in the room of so many average ones: the inverse of `_at_most`."""
    root = (math.sqrt(SPREAD**2 + 4 * (1 + LEAN) * room) - SPREAD) / (2 * (1 + LEAN))
    return root**2
