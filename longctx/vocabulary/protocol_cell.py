"""A cell of a protocol, and the fixtures that its function takes.

A trial runs the function up to `ask` to give its prompt, and to its end once there is an answer. A run needs no pytest
to order, price and send its trials.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from longctx.vocabulary.answer import Answer
from longctx.vocabulary.bank import Bank, Section, documents_digest
from longctx.vocabulary.point import BuiltTrial, Outcome, Point, Templates
from longctx.vocabulary.shapes import Context
from longctx.vocabulary.stream import frozen_stream
from longctx.vocabulary.text import fill

FIXTURES = ("ask", "draw", "prompt", "words", "trial", "cell", "bank")
"""What a protocol may take besides the parameters of its cell: `ask` asks, `draw` gives random streams, `prompt` a
filled template, `words` all templates, `trial` its number and seed, `cell` the cell, `bank` documents and questions."""
ASKED: Literal["asked"] = "asked"
"""The prefix of each trial is what its function gives to `ask`."""


class Suspended(BaseException):
    """The question has no answer yet. A BaseException, so that no handler of the protocol takes it for an error."""


@dataclass(frozen=True, slots=True)
class TrialNumber:
    """The fixture `trial` of a protocol: the number of the trial in its cell.

    Example:
        >>> TrialNumber(seed=1, index=7, repeat=0, context=1, question=3).context
        1
    """

    seed: int
    """The seed of the profile."""
    index: int
    """The number of its item in the cell, from 0."""
    repeat: int
    """The number of the repeat of that item, from 0."""
    context: int
    """The number of its context, from 0. Trials share contexts if the cell has `questions`."""
    question: int
    """The number of its question about the context, from 0."""


class TrialFacts(TypedDict, total=False):
    """What a protocol may pass to `ask` besides the text and the right answer of a trial."""

    accepted: Sequence[str]
    """Other accepted forms of the right answer. A gate skips trials whose right answer changed."""
    needle: str
    """The part of the text that contains the answer. Its position determines the trial's depth."""
    depth: float
    """The depth, from 0 (beginning) to 1 (end). It overrides the position of `needle`."""
    distance_from_end: int
    """The number of tokens after the needle, if known exactly."""
    prefill: str
    """The beginning of the assistant's turn, for models that accept a prefill."""
    without_prefill: str
    """Text appended to the user's turn for models that do not accept `prefill`."""
    prefix: str
    """The sort key of the prompt, if the protocol declares `prefix="asked"`."""
    params: Mapping[str, int]
    """Prompt parameters that depend on the model, recorded with the trial."""
    documents: Sequence[Section]
    """The bank's sections in the text, in order."""
    pieces: Callable[[], Context] | None
    """Returns the context in pieces, for shapes other than `text`."""
    lexical: Callable[[], bool | None] | None
    """Returns whether word matching alone finds the answer."""


class ProtocolAsk:
    """The fixture `ask` of a protocol. It sends the trial's only request.

    Example:
        >>> def echo(ask: ProtocolAsk, number: str) -> Outcome:
        ...     return Outcome("correct" if number in ask(f"Repeat {number}.", expected=number).text else "wrong")
    """

    def __init__(
        self, cell: ProtocolCell, words: Templates, number: TrialNumber, answer: Callable[[BuiltTrial], Answer | None]
    ) -> None:
        self._cell, self._words, self._number, self._answer = cell, words, number, answer
        self.trial: BuiltTrial | None = None

    def tokens(self) -> Mapping[str, float]:
        """Return the values that `counts` computes from the model's token counts."""
        return self._cell.counted

    def __call__(self, text: str, *, expected: str, **facts: Unpack[TrialFacts]) -> Answer:
        """Send the request and return the answer. text: the user's turn. expected: the right answer."""
        cell, number = self._cell, self._number
        if self.trial is not None:
            raise TypeError(
                f"{cell.test} calls ask twice: a protocol calls it once, other test functions as often as they like"
            )
        if unknown := facts.keys() - TrialFacts.__annotations__.keys():
            raise TypeError(f"ask() of a protocol takes no {', '.join(sorted(unknown))}")
        needle, prefix, declared = facts.get("needle"), facts.get("prefix"), cell.declared.prefix
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
            documents=_digest_of(facts.get("documents", ()), cell),
            prefill=facts.get("prefill", ""),
            without_prefill=facts.get("without_prefill", ""),
            judge=functools.partial(_judged, cell, self._words, number),
            pieces=facts.get("pieces"),
            accepted=tuple(facts.get("accepted", ())),
            lexical=facts.get("lexical"),
        )
        answer = self._answer(self.trial)
        if answer is None:
            raise Suspended
        return answer


class ProtocolDraw:
    """The fixture `draw` of a protocol.

    Example:
        >>> def number_of(draw: ProtocolDraw, digits: int) -> str:
        ...     return str(draw.stream().randint(10**digits))
    """

    def __init__(self, cell: ProtocolCell, number: TrialNumber, shares: bool = False) -> None:
        """shares: whether it draws the same for all questions about a context."""
        self._cell, self._number, self._shares = cell, number, shares

    def shared(self) -> ProtocolDraw:
        """Return a ProtocolDraw that yields the same stream for all questions about one context."""
        return ProtocolDraw(self._cell, self._number, shares=True)

    def stream(self, *names: object) -> np.random.RandomState:
        """Return a reproducible NumPy RandomState: the trial's own, or the one that the names identify."""
        if names:
            return frozen_stream(self._cell.test, self._cell.version, *names)
        number = self._number
        return self._cell.stream(number.seed, number.context if self._shares else number.index)


def no_bank() -> Bank:
    """Load the bank of a cell that has none."""
    raise ValueError("the cell has no documents and questions.")


@dataclass(frozen=True, slots=True)
class ProtocolCell(Point):
    """The fixture `cell` of a protocol, also passed to functions such as `size`. Its parameters are attributes.

    `cell.counted` has the values of `counts`, once these are known.

    Example:
        >>> def validate(cell: ProtocolCell) -> None:
        ...     if cell.digits > 9:
        ...         raise ValueError(f"{cell.digits} digits are too many: give 1 to 9.")
    """

    bank: Callable[[], Bank] = field(default=no_bank, kw_only=True, repr=False, compare=False)
    """Returns the bank, which is loaded on first use. Raises ValueError if the cell has none."""

    if TYPE_CHECKING:  # each protocol has parameters of its own, which its subclass has as fields

        def __getattr__(self, name: str) -> Any: ...

        @property
        def items(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class ProtocolRun:
    """Runs the function of a protocol for one trial."""

    function: Callable[..., Outcome]
    arguments: tuple[str, ...]
    """The names of the function's parameters."""

    def __call__(
        self,
        cell: ProtocolCell,
        words: Templates,
        seed: int,
        index: int,
        repeat: int,
        answer: Callable[[BuiltTrial], Answer | None],
    ) -> tuple[BuiltTrial, Outcome | None]:
        number = TrialNumber(seed, index, repeat, *cell.context_of(index))

        def prompt(template: str, /, **values: str) -> str:
            return fill(words[template], values) if values else words[template]

        ask = ProtocolAsk(cell, words, number, answer)
        given: dict[str, Any] = {
            "ask": ask,
            "draw": ProtocolDraw(cell, number),
            "prompt": prompt,
            "words": words,
            "cell": cell,
            "trial": number,
        }
        if "bank" in self.arguments:
            given["bank"] = cell.bank()
        arguments = {name: given[name] if name in given else getattr(cell, name) for name in self.arguments}
        outcome: Outcome | None = None
        with contextlib.suppress(Suspended):
            outcome = self.function(**arguments)
            if ask.trial is not None and not isinstance(outcome, Outcome):
                raise TypeError(f"{cell.test} returns {outcome!r}: a protocol returns an Outcome.")
        if ask.trial is None:
            raise ValueError(f"{cell.test} ends without calling ask.")
        return ask.trial, outcome


def _digest_of(documents: Sequence[Section], cell: ProtocolCell) -> str:
    """Return the digest of documents of a cell's bank; empty for none."""
    known = documents and cell.bank is not no_bank
    return documents_digest(cell.bank(), [each.id for each in documents]) if known else ""


def _judged(cell: ProtocolCell, words: Templates, number: TrialNumber, answer: Answer) -> Outcome:
    """Run a trial again, now with its answer."""
    outcome = cell.run(words, number.seed, number.index, number.repeat, lambda built: answer)[1]
    assert outcome is not None
    return outcome
