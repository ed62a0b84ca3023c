"""The tokens that two servers count for the same requests.

Another count is another tokenizer or chat template, or a prompt of which a server read only a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from longctx.results.row import Row

CUT = 0.9
"""A prompt was cut if a server counts less than this share of what it counts for the shortest prompts."""
PROMPT_CUT = "prompt_cut"
"""Why a trial is not measured whose prompt was cut."""


@dataclass(frozen=True, slots=True)
class TokenPair:
    """A request that both servers counted."""

    trial: tuple[object, ...]
    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class TokenPairs:
    """The requests that were the same on both servers, and whose tokens both counted."""

    pairs: Sequence[TokenPair]
    uncounted: int = 0
    """How many same requests have no count on a server."""

    @classmethod
    def of(cls, before: Sequence[Row], after: Sequence[Row]) -> TokenPairs:
        known = {_trial(row): row for row in before if row.measured}
        both = [(known[_trial(row)], row) for row in after if row.measured and _trial(row) in known]
        same = [(was, now) for was, now in both if _same_request(was, now)]
        pairs = [
            TokenPair(_trial(now), f"{now.test}/{now.cell}#{now.name}", was.input_tokens, now.input_tokens)
            for was, now in same
            if was.input_tokens and now.input_tokens
        ]
        return cls(pairs, len(same) - len(pairs))

    @property
    def differ(self) -> list[TokenPair]:
        return [pair for pair in self.pairs if pair.before != pair.after]

    @property
    def cut(self) -> list[TokenPair]:
        """The prompts of which the new server read only a part, by what it counts for the shortest ones."""
        if not self.pairs:
            return []
        shortest = min(self.pairs, key=lambda pair: pair.before)
        usual = min(shortest.after / shortest.before, 1.0)
        return [pair for pair in self.pairs if pair.after < CUT * usual * pair.before]


def without_cut_prompts(tokens: TokenPairs, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the new server, those of cut prompts as not measured."""
    cut = {pair.trial for pair in tokens.cut}
    return [replace(row, outcome="infra_error", error=PROMPT_CUT) if _trial(row) in cut else row for row in rows]


def _trial(row: Row) -> tuple[object, ...]:
    return row.test, row.cell, row.seed, row.item, row.trial, row.repeat


def _same_request(before: Row, after: Row) -> bool:
    """Return whether both rows are of one request; a baseline keeps the beginning of its digest."""
    was, now = before.prompt_sha256 or "", after.prompt_sha256 or ""
    return bool(was and now) and (was.startswith(now) or now.startswith(was))
