"""A conversation in which a text of the same kind and subject is requested several times, among other requests."""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from longctx import Piece, fill
from longctx.protocols import conversation_texts as texts
from longctx.protocols.conversation_texts import PARTS, SENTENCES, Rows, Strings
from longctx.vocabulary.point import Templates

BREAK = "\n\n"
CODE = 10
"""The length of the code that a reply must begin with."""
CHARACTERS = string.ascii_letters + string.digits
FEWEST_SUBJECTS = 4
ROLE = r"(?:User|Human|Assistant):"


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """A conversation."""

    rows: Rows
    """Its texts, in order (see conversation_texts.py)."""
    alike: NDArray[np.int64]
    """The indices of the texts that answer the same request, ascending."""
    asked: int
    """Which of these is asked for, from 1."""
    code: str
    """The beginning of a valid reply."""

    @property
    def instances(self) -> list[str]:
        """The texts that answer the same request."""
        return texts.texts(self.rows[self.alike])

    def before(self, prompt: str) -> str:
        """Return the part of a prompt before the first text: the examples."""
        return prompt[: prompt.index(texts.texts(self.rows[:1])[0])]

    @property
    def request(self) -> tuple[str, str]:
        """The kind and the subject of the text that is requested."""
        have, (kind, subject) = texts.lists(), self.rows[self.alike[0], :2]
        return have.kinds[kind], have.subjects[subject]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPlan:
    """The required content of a conversation."""

    needles: int
    """How many alike texts answer a request that recurs."""
    asked: int
    """Which of these is asked for, from 1."""
    exchanges: int
    """About how many it has; from this follows its number of subjects, so that other requests recur about as often as
    the one that is asked about."""
    characters: int
    """At most how many it has. With fewer, some other texts are left out; the alike texts, the code and the order of
    the texts stay the same."""
    requests: int = 1
    """How many requests recur, each about another subject."""
    request: int = 0
    """Which of these is asked about, from 0: the texts are the same for each, and the code is not."""


def drawn(stream: np.random.RandomState, words: Templates, plan: ConversationPlan) -> Conversation:
    """Draw a conversation."""
    needles = plan.needles
    kinds, subjects, *_ = texts.sizes()
    kind, own = int(stream.randint(kinds, dtype=np.int64)), stream.permutation(subjects)
    code = "".join(CHARACTERS[place] for place in stream.randint(len(CHARACTERS), size=CODE, dtype=np.int64))
    alike = _alike(stream, kind, own[0], needles)
    places = np.sort(stream.random_sample(needles))
    if plan.requests > 1:
        return _of_several(stream, words, plan, own, alike)
    spoken_of = own[: min(max(plan.exchanges // (kinds * needles), FEWEST_SUBJECTS), subjects)]
    others = _others(stream, kind, spoken_of, plan.characters // _shortest(words["request"], words["response"]) + 1)
    room = plan.characters - int(_lengths(words, alike).sum())
    others = others[: np.searchsorted(np.cumsum(_lengths(words, others)), room, side="right")]
    before = (places * (len(others) + 1)).astype(np.int64)
    return Conversation(np.insert(others, before, alike, axis=0), before + np.arange(needles), plan.asked, code)


def _of_several(
    stream: np.random.RandomState, words: Templates, plan: ConversationPlan, own: NDArray[np.int64], first: Rows
) -> Conversation:
    """Return a conversation in which several requests recur. first: the alike texts of the first; own: the subjects."""
    kinds, subjects, *_ = texts.sizes()
    needles, requests = plan.needles, plan.requests
    kinds_drawn = stream.randint(kinds, size=requests - 1, dtype=np.int64)
    alike = [first, *(_alike(stream, int(kind), own[1 + index], needles) for index, kind in enumerate(kinds_drawn))]
    codes = stream.randint(len(CHARACTERS), size=(requests, CODE), dtype=np.int64)
    recurring = np.concatenate(alike)[stream.permutation(requests * needles)]
    places = np.sort(stream.random_sample(len(recurring)))
    spoken_of = own[: min(max(plan.exchanges // (kinds * needles), FEWEST_SUBJECTS, requests), subjects)]
    most = plan.characters // _shortest(words["request"], words["response"]) + 1
    others = _others(stream, int(first[0, 0]), spoken_of, most)
    asked_for = {(int(rows[0, 0]), int(rows[0, 1])) for rows in alike}
    others = others[[(int(kind), int(subject)) not in asked_for for kind, subject in others[:, :2]]]
    room = plan.characters - int(_lengths(words, recurring).sum())
    others = others[: np.searchsorted(np.cumsum(_lengths(words, others)), room, side="right")]
    before = (places * (len(others) + 1)).astype(np.int64)
    rows = np.insert(others, before, recurring, axis=0)
    repeated = np.flatnonzero((recurring[:, :2] == alike[plan.request][0, :2]).all(axis=1))
    code = "".join(CHARACTERS[index] for index in codes[plan.request])
    return Conversation(rows, (before + np.arange(len(recurring)))[repeated], plan.asked, code)


def _alike(stream: np.random.RandomState, kind: int, subject: np.int64, needles: int) -> Rows:
    """Draw texts of one kind about one subject that have no sentence part in common."""
    rest = texts.sizes()[2:]
    return np.concatenate(
        [
            np.tile([kind, subject], (needles, 1)),
            *(stream.permutation(rest[column])[:needles, None] for column in (0, 1)),
            _sentences(stream, needles),
        ],
        axis=1,
    )


def document(words: Templates, rows: Rows, question: str) -> str:
    """Return the whole prompt: examples, conversation and question."""
    return "".join([words["opening"], BREAK, *_exchanges(words, rows).ravel().tolist(), question])


def exchanges(words: Templates, rows: Rows) -> tuple[Piece, ...]:
    """Return the exchanges as pieces: each as the text has it, and as a turn of the user and one of the assistant."""
    have = texts.lists()
    return tuple(
        Piece(
            "".join(parts).removesuffix(BREAK),
            turns=(
                without_role(fill(words["request"], {"kind": have.kinds[row[0]], "subject": have.subjects[row[1]]})),
                without_role(fill(words["response"], {"text": text})),
            ),
        )
        for row, parts, text in zip(rows, _exchanges(words, rows).tolist(), texts.texts(rows), strict=True)
    )


def without_role(text: str) -> str:
    """Return a turn without the names of roles, which the messages of a request have besides their text."""
    return re.sub(rf"\s+{ROLE}\s*$", "", re.sub(rf"^{ROLE}\s*", "", text)).strip()


def question(words: Templates, conversation: Conversation) -> str:
    kind, subject = conversation.request
    values = {"code": conversation.code, "ordinal": ordinal(conversation.asked), "kind": kind, "subject": subject}
    return fill(words["question"], values)


def ordinal(number: int) -> str:
    """Return the ordinal of a number below 10: 1st, 2nd, 3rd, 4th."""
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")


def probe(count: int) -> Rows:
    """Return texts in which all sentence parts, and all kinds, are equally frequent if `count` is a multiple of 10."""
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
    """Return the mean number of characters of the exchanges of `probe`."""
    return float(_lengths({"request": request, "response": response}, probe(count)).mean())


def _sentences(stream: np.random.RandomState, needles: int) -> Rows:
    """Draw sentences for the alike texts. No sentence part is used twice."""
    count = needles * SENTENCES
    sizes = texts.sizes()[4 : 4 + len(PARTS)]
    parts = [stream.permutation(size)[:count].reshape(needles, SENTENCES) for size in sizes]
    return np.stack(parts, axis=2).reshape(needles, -1)


def _others(stream: np.random.RandomState, kind: int, subjects: NDArray[np.int64], count: int) -> Rows:
    """Draw texts of any kind on any of the subjects, except that kind on the first subject.

    From the same stream, a longer list begins with the shorter one.
    """
    sizes = np.array(texts.sizes())
    drawn = stream.randint(0, 2**31, size=(count, len(sizes) - 1), dtype=np.int64)
    pairs = drawn[:, 0] % (sizes[0] * len(subjects) - 1)
    pairs += pairs >= kind * len(subjects)
    drawn_kinds, about = np.divmod(pairs, len(subjects))
    return np.concatenate([drawn_kinds[:, None], subjects[about][:, None], drawn[:, 1:] % sizes[2:]], axis=1)


def _exchanges(words: Templates, rows: Rows) -> Strings:
    """Return the request, the pieces and the separator of each text; shape (texts, pieces)."""
    before, after = _frames(words["request"], words["response"])
    kind, subject = rows.T[:2]
    behind = np.full((len(rows), 1), after, dtype=object)
    return np.concatenate([before[kind, subject][:, None], texts.pieces(rows), behind], axis=1)


def _lengths(words: Templates, rows: Rows) -> NDArray[np.int64]:
    """Return the number of characters of each exchange."""
    total: NDArray[np.int64] = texts.lengths(_exchanges(words, rows)).sum(axis=1)
    return total


@functools.lru_cache(maxsize=8)
def _frames(request: str, response: str) -> tuple[Strings, str]:
    """Return what comes before the text of each kind (down) on each subject (across), and what comes after any text."""
    have = texts.lists()
    before, _, after = response.partition("{text}")
    asked = [
        [fill(request, {"kind": kind, "subject": subject}) + BREAK + before for subject in have.subjects]
        for kind in have.kinds
    ]
    return np.array(asked, dtype=object), after + BREAK


@functools.lru_cache(maxsize=8)
def _shortest(request: str, response: str) -> int:
    """Return a lower bound of the characters of an exchange."""
    have, (before, after) = texts.lists(), _frames(request, response)
    strings = [have.before, have.subjects, have.after, have.ends]
    parts = [have.parts[:, part] for part in range(len(PARTS))] * SENTENCES
    return len(after) + sum(int(texts.lengths(each).min()) for each in (before, *strings, *parts))


RECOGNISED = 0.5
"""The similarity of words and their order from which a reply counts as an attempt at a text."""
GIVEN_BACK = 0.9
"""The similarity from which a reply counts as giving the text back."""


@dataclass(frozen=True, slots=True)
class Match:
    """The text most similar to a reply."""

    place: int
    """Its index."""
    ratio: float
    """The similarity, 0 to 1."""

    @property
    def given_back(self) -> bool:
        return self.ratio >= GIVEN_BACK


def published(reply: str, text: str) -> float:
    """Return MRCR's score, 0 to 1: the similarity of characters by Python's difflib with its defaults."""
    return SequenceMatcher(None, reply, text).ratio()


def most_alike(reply: str, texts: Sequence[str]) -> Match | None:
    """Return the text most similar to the reply; None if none is similar enough."""
    if reply in texts:
        return Match(texts.index(reply), 1.0)
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(reply.split())
    best: Match | None = None
    for index, text in enumerate(texts):
        matcher.set_seq1(text.split())
        least = best.ratio if best else RECOGNISED
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:  # upper bounds, and cheap
            continue
        ratio = matcher.ratio()
        if ratio >= RECOGNISED and (best is None or ratio > best.ratio):
            best = Match(index, ratio)
    return best
