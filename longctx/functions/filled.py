"""A part of a session that holds the evidence of probes and a given number of tokens: the fill of a context window.

All probes whose evidence fits into half of the fill share one context, so that the same fact is asked for at every
fill with only the turns around it changed, and a prompt cache serves all but the first probe of a fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from longctx.functions.strategies import LEFT_OUT, Messages, blocks_of, starts, tokens_of


@dataclass(frozen=True)
class Divided:
    """The parts of a conversation that can be left out: a turn, or a tool call together with its result."""

    messages: Messages

    @cached_property
    def parts(self) -> list[range]:
        return [range(*ends) for ends in pairwise(starts(self.messages))]

    @cached_property
    def sizes(self) -> list[int]:
        """The tokens of each part, in the reference vocabulary."""
        return [tokens_of([self.messages[place] for place in part]) for part in self.parts]

    @cached_property
    def tokens(self) -> int:
        return sum(self.sizes)

    def part_of(self, turn: int) -> int:
        """Return the part that has a turn, by its place."""
        return next(number for number, part in enumerate(self.parts) if turn in part)

    def groups(self, evidence: Sequence[int], tokens: int) -> list[list[int]]:
        """Return the parts with evidence by the context that they share: together at most half of the tokens.

        One that is longer than that has a context of its own.
        """
        groups: list[list[int]] = []
        size = 0
        for part in sorted(set(evidence)):
            if not groups or size + self.sizes[part] > tokens / 2:
                groups.append([])
                size = 0
            groups[-1].append(part)
            size += self.sizes[part]
        return groups

    def around(self, evidence: Sequence[int], tokens: int) -> list[int]:
        """Return the parts of a context in their order: those with evidence, and the nearest others that fit."""
        chosen = set(evidence)
        left = tokens - sum(self.sizes[part] for part in chosen)
        others = [part for part in range(len(self.parts)) if part not in chosen]
        for part in sorted(others, key=lambda part: (min(abs(part - own) for own in evidence), part)):
            if self.sizes[part] <= left:
                chosen.add(part)
                left -= self.sizes[part]
        return sorted(chosen)

    def of(self, chosen: Sequence[int]) -> tuple[Messages, dict[int, int]]:
        """Return the turns of parts, no two neighbours of the same role, and where each of the session's turns is."""
        found: Messages = [{"role": "user", "content": LEFT_OUT}] if chosen and chosen[0] else []
        places: dict[int, int] = {}
        for turn in (turn for part in chosen for turn in self.parts[part]):
            message = self.messages[turn]
            if found and found[-1]["role"] == message["role"]:
                found[-1] = {"role": message["role"], "content": blocks_of(found[-1]) + blocks_of(message)}
            else:
                found.append(dict(message))
            places[turn] = len(found) - 1
        return found, places
