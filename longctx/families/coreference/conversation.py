"""A conversation in which a text of one kind on one subject is asked for several times, among many others."""

from __future__ import annotations

import functools
import string
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longctx.families.coreference import texts
from longctx.families.coreference.texts import PARTS, SENTENCES, Rows, Strings
from longctx.vocabulary.scenario import Words
from longctx.vocabulary.text import fill

BREAK = "\n\n"
CODE = 10
"""Characters, of CHARACTERS."""
CHARACTERS = string.ascii_letters + string.digits
FEWEST_SUBJECTS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """rows: its texts, in order. alike: places of those that answer the same request, ascending. asked: which of these
    is to be given back, from 1."""

    rows: Rows
    alike: NDArray[np.int64]
    asked: int
    code: str

    @property
    def instances(self) -> list[str]:
        """The texts that answer the same request."""
        return texts.texts(self.rows[self.alike])

    def before(self, prompt: str) -> str:
        """What stands in its prompt before the first text: the examples."""
        return prompt[: prompt.index(texts.texts(self.rows[:1])[0])]

    @property
    def request(self) -> tuple[str, str]:
        """Kind and subject of what is asked for."""
        have, (kind, subject) = texts.lists(), self.rows[self.alike[0], :2]
        return have.kinds[kind], have.subjects[subject]


def draw(
    stream: np.random.RandomState, words: Words, needles: int, asked: int, exchanges: int, characters: int
) -> Conversation:
    """A conversation of at most so many characters. exchanges: about how many these are; they say how many subjects it
    has, so that its other requests recur about as often as the one that is asked for.

    With fewer characters the alike texts, their code and the order of all texts stay the same; other texts are missing.
    """
    kinds, subjects, *rest = texts.sizes()
    kind, own = int(stream.randint(kinds, dtype=np.int64)), stream.permutation(subjects)
    code = "".join(CHARACTERS[place] for place in stream.randint(len(CHARACTERS), size=CODE, dtype=np.int64))
    alike = np.concatenate(
        [
            np.tile([kind, own[0]], (needles, 1)),
            *(stream.permutation(rest[column])[:needles, None] for column in (0, 1)),
            _sentences(stream, needles),
        ],
        axis=1,
    )
    places = np.sort(stream.random_sample(needles))
    spoken_of = own[: min(max(exchanges // (kinds * needles), FEWEST_SUBJECTS), subjects)]
    others = _others(stream, kind, spoken_of, characters // _shortest(words["request"], words["response"]) + 1)
    room = characters - int(_lengths(words, alike).sum())
    others = others[: np.searchsorted(np.cumsum(_lengths(words, others)), room, side="right")]
    before = (places * (len(others) + 1)).astype(np.int64)
    return Conversation(np.insert(others, before, alike, axis=0), before + np.arange(needles), asked, code)


def document(words: Words, rows: Rows, question: str) -> str:
    """The whole prompt: examples, conversation, question."""
    return "".join([words["opening"], BREAK, *_exchanges(words, rows).ravel().tolist(), question])


def question(words: Words, conversation: Conversation) -> str:
    kind, subject = conversation.request
    values = {"code": conversation.code, "ordinal": ordinal(conversation.asked), "kind": kind, "subject": subject}
    return fill(words["question"], values)


def ordinal(number: int) -> str:
    """The ordinal of a number below 10: 1st, 2nd, 3rd, 4th."""
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")


def probe(count: int) -> Rows:
    """Texts in which all sentence parts stand equally often, and all kinds, where `count` is a multiple of 10."""
    kinds, subjects, begins, ends, *parts = texts.sizes()
    number = np.arange(count)
    head = [number % kinds, number * 11 % subjects, number * 3 % begins, number * 5 % ends]
    columns = [
        (number * SENTENCES + column // len(PARTS) + 13 * (column % len(PARTS))) % size
        for column, size in enumerate(parts)
    ]
    return np.stack([*head, *columns], axis=1).astype(np.int64)


@functools.lru_cache(maxsize=8)
def characters_each(request: str, response: str, count: int) -> float:
    """The tokens of an exchange, on average over those of `probe`."""
    return float(_lengths({"request": request, "response": response}, probe(count)).mean())


def _sentences(stream: np.random.RandomState, needles: int) -> Rows:
    """Sentences no part of which stands in two of the alike texts, nor twice in one."""
    count = needles * SENTENCES
    sizes = texts.sizes()[4 : 4 + len(PARTS)]
    parts = [stream.permutation(size)[:count].reshape(needles, SENTENCES) for size in sizes]
    return np.stack(parts, axis=2).reshape(needles, -1)


def _others(stream: np.random.RandomState, kind: int, subjects: NDArray[np.int64], count: int) -> Rows:
    """Texts of any kind on any of the subjects, but for that kind on the first subject. Of one stream, a longer list
    begins as a shorter one."""
    sizes = np.array(texts.sizes())
    drawn = stream.randint(0, 2**31, size=(count, len(sizes) - 1), dtype=np.int64)
    pairs = drawn[:, 0] % (sizes[0] * len(subjects) - 1)
    pairs += pairs >= kind * len(subjects)
    of_kind, about = np.divmod(pairs, len(subjects))
    return np.concatenate([of_kind[:, None], subjects[about][:, None], drawn[:, 1:] % sizes[2:]], axis=1)


def _exchanges(words: Words, rows: Rows) -> Strings:
    """(texts, pieces): of each text its request, its pieces, and what stands behind it."""
    before, after = _frames(words["request"], words["response"])
    kind, subject = rows.T[:2]
    behind = np.full((len(rows), 1), after, dtype=object)
    return np.concatenate([before[kind, subject][:, None], texts.pieces(rows), behind], axis=1)


def _lengths(words: Words, rows: Rows) -> NDArray[np.int64]:
    """Characters of each exchange."""
    total: NDArray[np.int64] = texts.lengths(_exchanges(words, rows)).sum(axis=1)
    return total


@functools.lru_cache(maxsize=8)
def _frames(request: str, response: str) -> tuple[Strings, str]:
    """What stands before the text of a kind (down) on a subject (across), and what stands behind every text."""
    have = texts.lists()
    before, _, after = response.partition("{text}")
    asked = [
        [fill(request, {"kind": kind, "subject": subject}) + BREAK + before for subject in have.subjects]
        for kind in have.kinds
    ]
    return np.array(asked, dtype=object), after + BREAK


@functools.lru_cache(maxsize=8)
def _shortest(request: str, response: str) -> int:
    """Fewer characters than any exchange has."""
    have, (before, after) = texts.lists(), _frames(request, response)
    strings = [have.before, have.subjects, have.after, have.ends]
    parts = [have.parts[:, part] for part in range(len(PARTS))] * SENTENCES
    return len(after) + sum(int(texts.lengths(each).min()) for each in (before, *strings, *parts))
