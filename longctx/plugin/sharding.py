"""The cases of one shard: the same in every process, whatever a server has told of a model meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.config.models import TokensPerUnit
from longctx.config.shards import Shard, deal
from longctx.recording.case import Case

Part = tuple[str, str]
"""A model and a band of lengths."""


def in_shard(cases: Sequence[Case], shard: Shard) -> tuple[Case, ...]:
    """Those of a family's cases that a shard takes, in their order.

    Each band of each model is dealt by itself, by the tokens of one prompt, so that how many trials a scenario has
    moves nothing. All wordings of a scenario stay together: they are recorded in one file.
    """
    tokens: dict[Part, dict[str, int]] = {}
    for case in cases:
        tokens.setdefault(_part(case), {})[_name(case)] = _tokens(case)
    dealt = {part: deal(names, shard.of) for part, names in tokens.items()}
    return tuple(case for case in cases if dealt[_part(case)][_name(case)] == shard.number)


def _part(case: Case) -> Part:
    return case.model.model, case.band


def _name(case: Case) -> str:
    return f"{case.scenario.family}/{case.model.model}/{case.scenario.id}"


def _tokens(case: Case) -> int:
    """About how many a prompt takes of any model: what a profile says of its own changes as it is asked."""
    return case.scenario.size_tokens(TokensPerUnit().model_dump())
