"""Shards: the parts of a grid that the jobs of a matrix take, each its own, and together all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from longctx.errors import BadValue

SPARE = 0.05
"""How much more than an equal share of the tokens a shard may take before the next in line is tried."""

MOST = 256
"""Shards, as a matrix of GitHub has jobs."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `of` parts; number: from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard(text: str) -> Shard:
    """An argparse type: NUMBER/OF, or a sentence."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST):
        raise BadValue(
            "bad-shard",
            f"{text!r} is not a shard: write NUMBER/OF, such as 2/5 for the second of five, with at most {MOST}.",
        )
    return Shard(int(number), int(of))


def deal(tokens: Mapping[str, int], of: int) -> dict[str, int]:
    """The shard (from 1) of each of these names, whose prompts take so many tokens.

    Rendezvous hashing with bounded loads (V. Mirrokni, M. Thorup and M. Zadimoghaddam, "Consistent Hashing with Bounded
    Loads", SODA 2018): each name has shards in an order of its own, drawn by a hash, and goes to the first that has
    room; the longest prompts are dealt first. Where none has room, it goes to the one with the fewest tokens.
    """
    most = (1 + SPARE) * sum(tokens.values()) / of
    taken = dict.fromkeys(range(1, of + 1), 0)
    dealt: dict[str, int] = {}
    for name in sorted(tokens, key=lambda shard: (-tokens[shard], _hash(shard))):
        order = sorted(taken, key=lambda number: _hash(f"{name}/{number}"))
        free = (number for number in order if taken[number] + tokens[name] <= most)
        dealt[name] = next(free, None) or min(order, key=taken.__getitem__)
        taken[dealt[name]] += tokens[name]
    return dealt


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
