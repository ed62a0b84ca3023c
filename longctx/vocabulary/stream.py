"""Frozen random streams: the same draws on every machine and under every version of numpy.

`RandomState` never changes its draws (NEP 19). It is seeded with the SHA-256 of a name, word by word.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import DTypeLike

Drawn = TypeVar("Drawn")


class _Unseeded(ISeedSequence):
    """A constant seed that spares numpy its first draw of system entropy, which costs ten times as much as our seed.

    The state is a tuple because numpy reads it word by word, for which an array takes 20 times as long.
    """

    def generate_state(self, n_words: int, dtype: DTypeLike = np.uint32) -> tuple[int, ...]:  # type: ignore[override]
        return _NO_STATE[:n_words]


_NO_STATE = (0,) * 624
_UNSEEDED = _Unseeded()


def frozen_stream(*names: object) -> np.random.RandomState:
    """Return the random stream of a name, which is given in parts."""
    digest = hashlib.sha256("/".join(map(str, names)).encode()).digest()
    stream = np.random.RandomState(np.random.MT19937(_UNSEEDED))  # type: ignore[arg-type]  # numpy types know no others
    stream.seed(np.frombuffer(digest, dtype="<u4"))
    return stream


def distinct(draw: Callable[[int], Sequence[Drawn]], count: int) -> list[Drawn]:
    """Draw `count` different items, in the order of drawing. draw: draws so many items."""
    drawn: dict[Drawn, None] = {}
    while len(drawn) < count:
        drawn.update(dict.fromkeys(draw(count - len(drawn))))
    return list(drawn)


def letters(stream: np.random.RandomState, first: str, length: int, count: int) -> list[str]:
    """Draw `count` random strings of `length` letters. first: "A" or "a", the first letter of the alphabet."""
    codes = stream.randint(0, 26, (count, length), dtype=np.int64) + ord(first)
    text = codes.astype(np.uint8).tobytes().decode("ascii")
    return [text[start : start + length] for start in range(0, len(text), length)]


def numbers(stream: np.random.RandomState, digits: int, count: int) -> list[str]:
    """Draw `count` random numbers of so many digits."""
    return [str(number) for number in stream.randint(10 ** (digits - 1), 10**digits, count, dtype=np.int64)]
