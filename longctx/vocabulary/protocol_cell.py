"""A cell of a protocol, and the fixtures that its function takes.

A trial runs the function up to `ask` to give its prompt, and to its end once there is an answer. A run needs no pytest
to order, price and send its trials.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict, Unpack

import numpy as np

from longctx.vocabulary.bank import Section, documents_digest
from longctx.vocabulary.cell import BuiltTrial, Identity, Outcome, Reply, Words, check_profile
from longctx.vocabulary.declaration import Items, ProtocolCell, no_bank
from longctx.vocabulary.shapes import Context
from longctx.vocabulary.stream import frozen_stream
from longctx.vocabulary.text import fill

if TYPE_CHECKING:
    from longctx.vocabulary.declaration import Protocol

FIXTURES = ("ask", "draw", "prompt", "words", "trial", "cell", "bank")
"""What a protocol may take beside the parameters of its cell: `ask` asks, `draw` gives random streams, `prompt` a
filled template, `words` all templates, `trial` its number and seed, `cell` the cell, `bank` documents and questions."""
ASKED: Literal["asked"] = "asked"
"""The prefix of each trial is what its function gives to `ask`."""


class Suspended(BaseException):
    """The question has no answer yet. A BaseException, so that no handler of the protocol takes it for an error."""


@dataclass(frozen=True, slots=True)
class TrialNumber:
    """The fixture `trial` of a protocol: which trial of its cell is asked.

    Example:
        >>> TrialNumber(seed=1, index=7, repeat=0, context=1, question=3).context
        1
    """

    seed: int
    index: int
    repeat: int
    context: int
    """The number of the context that it asks about, which is its own unless the cell has `questions`."""
    question: int
    """The place of its question among those about the context, from 0."""


class TrialFacts(TypedDict, total=False):
    """What a protocol may tell `ask` of a trial, beside its text and its right answer."""

    accepted: Sequence[str]
    """Other forms of the right answer: a gate does not compare trials whose right answers changed."""
    needle: str
    """A part of the text that the answer is in; its place is the trial's depth."""
    depth: float
    """The depth itself, from 0 at the beginning of the text to 1 at its end."""
    distance_from_end: int
    """The tokens after the needle, where they are known exactly."""
    prefill: str
    """The beginning of the answer, for models that accept one."""
    without_prefill: str
    """What the user's turn ends with for the others."""
    prefix: str
    """The sort key of what trials share, of a protocol that declares `prefix=ASKED`."""
    params: Mapping[str, int]
    """Parameters of the prompt that depend on the model."""
    documents: Sequence[Section]
    """The sections of the bank in the text, in their order."""
    pieces: Callable[[], Context] | None
    """Returns the context in pieces, for other shapes than the text."""
    lexical: Callable[[], bool | None] | None
    """Returns whether matching words alone finds the answer."""


class ProtocolAsk:
    """The fixture `ask` of a protocol: it asks the one question of a trial.

    Example:
        >>> def echo(ask: ProtocolAsk, number: str) -> Outcome:
        ...     return Outcome("correct" if number in ask(f"Repeat {number}.", expected=number).text else "wrong")
    """

    def __init__(
        self, cell: CellOfProtocol, words: Words, number: TrialNumber, answer: Callable[[BuiltTrial], Reply | None]
    ) -> None:
        self._cell, self._words, self._number, self._answer = cell, words, number, answer
        self.trial: BuiltTrial | None = None

    def tokens(self) -> Mapping[str, float]:
        """Return the values that `counts` makes of the model's token counts."""
        return self._cell.counted

    def __call__(self, text: str, *, expected: str, **facts: Unpack[TrialFacts]) -> Reply:
        """Ask, and return the reply. text: the user's turn. expected: the right answer, which rows and reports show."""
        cell, number = self._cell, self._number
        if self.trial is not None:
            raise TypeError(f"{cell.test} asks twice: a protocol asks once, and other test functions may more often")
        if unknown := facts.keys() - TrialFacts.__annotations__.keys():
            raise TypeError(f"ask() of a protocol takes no {', '.join(sorted(unknown))}")
        needle, prefix, declared = facts.get("needle"), facts.get("prefix"), type(cell).declared.prefix
        if prefix is None and callable(declared):
            prefix = declared(cell, self._words, number.seed, number.index)
        self.trial = BuiltTrial(
            identity=cell.identity(number.seed, number.index, number.repeat),
            system=self._words["system"],
            user=text,
            expected=expected,
            max_tokens=cell.max_tokens,
            depth=facts["depth"] if "depth" in facts else text.index(needle) / len(text) if needle else 0.0,
            distance_from_end=facts.get("distance_from_end"),
            prefix=prefix or "",
            recorded=facts.get("params", {}),
            documents=cell.digest_of(facts.get("documents", ())),
            prefill=facts.get("prefill", ""),
            without_prefill=facts.get("without_prefill", ""),
            judge=functools.partial(cell.judged, self._words, number),
            pieces=facts.get("pieces"),
            accepted=tuple(facts.get("accepted", ())),
            lexical=facts.get("lexical"),
        )
        reply = self._answer(self.trial)
        if reply is None:
            raise Suspended
        return reply


class ProtocolDraw:
    """The fixture `draw` of a protocol.

    Example:
        >>> def number_of(draw: ProtocolDraw, digits: int) -> str:
        ...     return str(draw.stream().randint(10**digits))
    """

    def __init__(self, cell: CellOfProtocol, number: TrialNumber) -> None:
        self._cell, self._number = cell, number

    def stream(self, *names: object) -> np.random.RandomState:
        """Return a frozen random stream: the trial's own or, with names, one that all who give these names share."""
        if names:
            return frozen_stream(self._cell.test, self._cell.version, *names)
        return self._cell.stream(self._number.seed, self._number.index)

    def of_context(self) -> np.random.RandomState:
        """Return the frozen random stream that all questions about the trial's context share."""
        return self._cell.stream(self._number.seed, self._number.context)


@dataclass(frozen=True, slots=True)
class CellOfProtocol(ProtocolCell):
    """One cell of a protocol, with what is declared of it."""

    declared: ClassVar[Protocol]

    def __post_init__(self) -> None:
        if check := type(self).declared.check:
            check(self)

    @property
    def items(self) -> Items:
        return (type(self).declared.items or Items)(self)

    def run(
        self, words: Words, seed: int, index: int, repeat: int, answer: Callable[[BuiltTrial], Reply | None]
    ) -> tuple[BuiltTrial, Outcome | None]:
        declared, number = type(self).declared, TrialNumber(seed, index, repeat, *self.context_of(index))

        def prompt(template: str, /, **values: str) -> str:
            return fill(words[template], values) if values else words[template]

        ask = ProtocolAsk(self, words, number, answer)
        given: dict[str, Any] = {
            "ask": ask,
            "draw": ProtocolDraw(self, number),
            "prompt": prompt,
            "words": words,
            "cell": self,
            "trial": number,
        }
        if "bank" in declared.arguments:
            given["bank"] = self.bank()
        arguments = {name: given[name] if name in given else getattr(self, name) for name in declared.arguments}
        outcome: Outcome | None = None
        with contextlib.suppress(Suspended):
            outcome = declared.function(**arguments)
            if ask.trial is not None and not isinstance(outcome, Outcome):
                raise TypeError(f"{self.test} returns {outcome!r}: a protocol returns an Outcome.")
        if ask.trial is None:
            raise ValueError(f"{self.test} ends without asking.")
        return ask.trial, outcome

    def digest_of(self, documents: Sequence[Section]) -> str:
        """Return the digest of documents of its bank; empty for none."""
        known = documents and self.bank is not no_bank
        return documents_digest(self.bank(), [each.id for each in documents]) if known else ""

    def judged(self, words: Words, number: TrialNumber, reply: Reply) -> Outcome:
        """Run a trial again, now with its reply."""
        outcome = self.run(words, number.seed, number.index, number.repeat, lambda built: reply)[1]
        assert outcome is not None
        return outcome

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return int(type(self).declared.size(self, tokens))

    def longest_tokens(self, tokens: Mapping[str, float]) -> int:
        longest = type(self).declared.longest
        return int(longest(self, tokens)) if longest else self.size_tokens(tokens)

    @property
    def length(self) -> int:
        name = type(self).declared.length
        length: int = getattr(self, name) if name else 0
        return length

    @property
    def gated(self) -> bool:
        gated = type(self).declared.gated
        return gated(self) if gated else True

    @property
    def piece_count(self) -> int:
        pieces = type(self).declared.pieces
        return pieces(self) if pieces else 0

    @property
    def questions_per_context(self) -> int:
        return int(getattr(self, "questions", None) or 1)

    def prefix(self, words: Words, seed: int, index: int) -> str | None:
        prefix = type(self).declared.prefix
        if prefix == ASKED:
            return self.build(words, seed, index).prefix
        return prefix(self, words, seed, index) if callable(prefix) else None

    def cluster(self, index: int) -> str:
        declared = type(self).declared
        if declared.cluster:
            return declared.cluster(self, index)
        return self.items.cluster(index) if declared.items else super(CellOfProtocol, self).cluster(index)

    def indices(self, trials: int) -> Sequence[int]:
        return self.items.indices(trials)

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        drawn = super(CellOfProtocol, self).identity(seed, index, repeat)
        return self.items.identity(drawn, index)

    def index_of(self, name: str) -> int:
        if type(self).declared.items is None:
            return super(CellOfProtocol, self).index_of(name)
        return self.items.index_of(name)

    @property
    def run_facts(self) -> Mapping[str, int]:
        return self.items.facts

    @property
    def why_empty(self) -> str:
        return self.items.why_empty

    @classmethod
    def unit_texts(cls, words: Words) -> Mapping[str, tuple[str, str, int]]:
        return cls.declared.units(words) if cls.declared.units else {}

    @classmethod
    def is_counted(cls) -> bool:
        return cls.declared.counts is not None

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        return cls.declared.counts.probes(words) if cls.declared.counts else {}

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        assert cls.declared.counts is not None
        return cls.declared.counts.values(counts)

    def fit(self, values: Mapping[str, float]) -> CellOfProtocol:
        counts = type(self).declared.counts
        if counts is None:
            return self
        check_profile(values, counts.needs)
        fitted = dataclasses.replace(self, tokens=values)
        counts.fits(fitted)
        return fitted
