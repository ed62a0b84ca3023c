"""Shards: the parts into which a grid is divided, one for each job of a matrix."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from longctx.errors import BadValue

SPARE = 0.05
"""The share by which a shard may exceed an equal share of the tokens before the next shard is tried."""

MOST = 256
"""The most shards: as many as a matrix of GitHub may have jobs."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `of` parts."""

    number: int
    """Its number, from 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard(text: str) -> Shard:
    """Parse NUMBER/OF, as an argparse type."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST):
        raise BadValue(
            "bad-shard",
            f"{text!r} is not a shard: write NUMBER/OF, such as 2/5 for the second of five, with at most {MOST}.",
        )
    return Shard(int(number), int(of))


def deal(tokens: Mapping[str, int], of: int) -> dict[str, int]:
    """Return the shard, from 1, of each name. tokens: the tokens of one prompt for each name.

    The method is rendezvous hashing with bounded loads (V. Mirrokni, M. Thorup and M. Zadimoghaddam, "Consistent
    Hashing with Bounded Loads", SODA 2018). A hash gives each name its own order of the shards, and the name goes to
    the first with room, the longest prompts first. If none has room, it goes to the shard with the fewest tokens.
    """
    most = (1 + SPARE) * sum(tokens.values()) / of
    taken = dict.fromkeys(range(1, of + 1), 0)
    dealt: dict[str, int] = {}
    for name in sorted(tokens, key=lambda name: (-tokens[name], _hash(name))):
        order = sorted(taken, key=lambda number: _hash(f"{name}/{number}"))
        free = (number for number in order if taken[number] + tokens[name] <= most)
        dealt[name] = next(free, None) or min(order, key=taken.__getitem__)
        taken[dealt[name]] += tokens[name]
    return dealt


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
