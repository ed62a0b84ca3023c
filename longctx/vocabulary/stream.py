"""Frozen random streams: the same draws on every machine and under every version of numpy.

`RandomState` never changes its draws (NEP 19). It is seeded with the SHA-256 of a name, word by word.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import DTypeLike


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
