"""Drawing the items of a test function: a frozen random stream for each call, the same on every machine.

A call's stream is named by test, seed, item and the number of the call, and never by the test's parameters: the same
item is drawn at every length.
"""

from __future__ import annotations

import functools
import math
import re
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from longctx.corpus.documents import reference_tokens
from longctx.functions.operation import Operation, operation
from longctx.vocabulary.bank import SHIPPED, Section
from longctx.vocabulary.lexical import most_alike
from longctx.vocabulary.stream import frozen_stream
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.functions.trial import FunctionTrial

Value = TypeVar("Value")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
"""Where a text can be cut, or another be inserted."""


class Filler(str):
    """A text into which another can be inserted. It is a str, and a changed copy is made by `insert`."""

    __slots__ = ("_trial",)
    _trial: FunctionTrial | None

    @classmethod
    def of(cls, text: str, trial: FunctionTrial | None) -> Filler:
        made = cls(text)
        made._trial = trial
        return made

    def insert(self, text: str, depth: float, *, needle: bool = False) -> Filler:
        """Return this text with another inserted between two sentences.

        The report marks the needle, and gives its depth in the request. If a trial inserts several texts, pass
        `needle=True` for the one with the answer: without it the depth is not recorded.

        Args:
            text: The text to insert, such as a sentence that contains the answer.
            depth: The share of this text before it, from 0 (the beginning) to 1 (the end).
            needle: Whether it contains the answer. A single text does.

        Raises:
            ValueError: The depth is not between 0 and 1.

        Example:
            >>> Filler("One. Two. Three.").insert("Here.", 0.5)
            'One. Here. Two. Three.'
        """
        if not 0 <= depth <= 1:
            raise ValueError(f"a depth is a share between 0 and 1, and {depth!r} is not")
        target = depth * len(self)
        places = [(0, 0), *((match.start(), match.end()) for match in SENTENCE_END.finditer(self)), (len(self),) * 2]
        start, end = min(places, key=lambda place: abs(place[1] - target))
        between = self[start:end] or " "
        before = f"{self[:start]}{between}" if start else ""
        after = f"{between}{self[end:]}" if end < len(self) else ""
        trial = getattr(self, "_trial", None)
        if trial is not None:
            trial.inserted[text] = needle or trial.inserted.get(text, False)
        return Filler.of(f"{before}{text}{after}", trial)


class Draw:
    """The fixture `draw`. Each call has its own random stream: a call added at the end leaves earlier values unchanged.

    Example:
        >>> def test_refund_code(ask: Ask, draw: Draw, tokens: int):
        ...     code = draw.integer(10_000, 99_999)
        ...     text = draw.filler(tokens).insert(f"The refund code is {code}.", depth=draw.uniform())
    """

    def __init__(self, trial: FunctionTrial, workspace: Workspace, shares: bool = False) -> None:
        """shares: whether it draws the same for all items that share a context."""
        self._trial, self._workspace, self._shares = trial, workspace, shares

    def shared(self) -> Draw:
        """Return a Draw that yields the same values for all items that share a context.

        `@pytest.mark.longctx(trials=200, share=4)` makes a context of four drawn items each; cases with the same
        `cluster` are of one context. These items are sent one after another, so that a model's prompt cache serves all
        but the first, and statistics take them as one cluster.
        """
        return Draw(self._trial, self._workspace, shares=True)

    def stream(self) -> np.random.RandomState:
        """Return a reproducible NumPy RandomState, distinct for each cell and item.

        It is named by the cell, so that each length draws its own items, and by the test's `version`.
        """
        trial = self._trial
        point = trial.cell.point
        return frozen_stream(point.test, point.version, point.slug, trial.seed, trial.trial.index)

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, inclusive."""
        if high < low:
            raise ValueError(f"there is no integer from {low} to {high}")
        span = high - low + 1
        # Drawn from raw words, for numbers of any size.
        words = self._stream().bytes(math.ceil(span.bit_length() / 8) + 8)
        return low + int.from_bytes(words, "little") % span

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a float that is uniformly distributed between `low` and `high`."""
        return low + (high - low) * float(self._stream().random_sample())

    def choice(self, values: Sequence[Value]) -> Value:
        """Return one of the values. Raises ValueError if there are none."""
        return self.sample(values, 1)[0]

    def in_turn(self, values: Sequence[Value]) -> Value:
        """Return the next value in rotation, so that the trials use each value equally often."""
        return values[self._trial.trial.index % len(values)]

    def sample(self, values: Sequence[Value], number: int) -> list[Value]:
        """Return `number` different values in random order. Raises ValueError if there are fewer."""
        return self._different(values, number, "values")

    def uuid(self) -> str:
        """Return a random UUID (version 4) as text."""
        return str(uuid.UUID(bytes=self._stream().bytes(16), version=4))

    def words(self, number: int) -> list[str]:
        """Return `number` different common English words in random order."""
        return self._different(_words(self._workspace), number, "words")

    def _different(self, values: Sequence[Value], number: int, what: str) -> list[Value]:
        if number > len(values):
            raise ValueError(f"cannot draw {number} different {what}: there are {len(values)}")
        return [values[int(place)] for place in self._stream().permutation(len(values))[:number]]

    def filler(self, tokens: int) -> Filler:
        """Return prose of about `tokens` tokens, counted in the reference vocabulary rather than the model's.

        It is made of notices of the shipped register, a country that does not exist. A shorter filler is the beginning
        of a longer one. It ends with a sentence, and is at most one sentence longer than `tokens`.
        """
        return Filler.of("\n\n".join(self._cut(self._sections(SHIPPED), tokens)), self._trial)

    def documents(self, bank: str = SHIPPED, tokens: int | None = None) -> list[Section]:
        """Return documents in random order, each with `id`, `text` and `tokens`.

        Args:
            bank: The folder of the documents, or the name of a bank, such as `register`.
            tokens: The most tokens of the reference vocabulary in all; None for all documents. Fewer tokens give the
                first documents of more.

        Raises:
            UserError: There are no such documents.
        """
        chosen: list[Section] = []
        left = math.inf if tokens is None else tokens
        for section in self._sections(bank):
            if section.tokens > left:
                break
            left -= section.tokens
            chosen.append(section)
        return chosen

    def distractors(
        self, like: str, number: int, answer: str = "", bank: str | Sequence[Section] = SHIPPED
    ) -> list[Section]:
        """Return documents that share words with a question or needle but do not contain its answer.

        They are those that share the rarest words with it, those that share most first. The same call gives the same
        documents at every length and in every trial: nothing is drawn.

        Args:
            like: The question, or the needle.
            number: How many there are.
            answer: The right answer: documents that hold it, or three quarters of its words, are left out.
            bank: As of `documents`; or the documents to choose from.

        Raises:
            ValueError: There are fewer such documents.
        """
        among = _sections(self._workspace, bank) if isinstance(bank, str) else list(bank)
        places = most_alike([section.text for section in among], like, [answer] if answer.strip() else [])
        if not 0 <= number <= len(places):
            raise ValueError(f"{number} distractors are requested, but only {len(places)} documents are available")
        return [among[place] for place in places[:number]]

    def operation(self, tokens: int) -> Operation:
        """Return a generated agent session of about `tokens` tokens, with one probe for each kind of fact.

        It has about `tokens` tokens of the reference vocabulary, at least 600; its facts are the same at every length.
        """
        return operation(self._stream(), self._stream(), tokens)

    def _sections(self, bank: str) -> list[Section]:
        sections = _sections(self._workspace, bank)
        return [sections[int(place)] for place in self._stream().permutation(len(sections))]

    @staticmethod
    def _cut(sections: Sequence[Section], tokens: int) -> Iterator[str]:
        """Yield the texts of sections up to a number of tokens, the last one cut after a sentence."""
        left, place = tokens, 0
        while left > 0:
            section = sections[place % len(sections)]
            if section.tokens <= left:
                yield section.text
            else:
                yield _beginning(section.text, left)
            left -= section.tokens
            place += 1

    def _stream(self) -> np.random.RandomState:
        trial = self._trial
        if self._shares:
            trial.shared_draws += 1
            return frozen_stream("function", trial.function, trial.seed, "shared", trial.context, trial.shared_draws)
        trial.draws += 1
        return frozen_stream("function", trial.function, trial.seed, trial.item, trial.draws)


@functools.lru_cache(maxsize=4096)
def _beginning(text: str, tokens: int) -> str:
    """Return the beginning of a text, up to the end of the sentence that reaches a number of tokens."""
    counted, end = 0, 0
    for match in SENTENCE_END.finditer(text):
        counted += reference_tokens(text[end : match.end()])
        end = match.end()
        if counted >= tokens:
            return text[: match.start()]
    return text


@functools.lru_cache(maxsize=8)
def _sections(workspace: Workspace, bank: str) -> list[Section]:
    from longctx.corpus.documents import bank_files, load_corpus

    folder = Path(bank) if Path(bank).is_dir() else bank_files(workspace, bank)[0]
    return [Section(section.id, section.text, section.tokens) for section in load_corpus(folder).sections]


@functools.lru_cache(maxsize=2)
def _words(workspace: Workspace) -> list[str]:
    """Return the words of the shipped register, in alphabetical order."""
    found: set[str] = set()
    for section in _sections(workspace, SHIPPED):
        found.update(re.findall(r"\b[a-z]{4,10}\b", section.text))
    return sorted(found)
