"""The cases of one shard: the same ones in every process, even after a server has reported new facts of a model."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.config.models import TokensPerUnit
from longctx.config.shards import Shard, deal
from longctx.recording.case import Case

Part = tuple[str, str]
"""A model and a band of lengths."""


def in_shard(cases: Sequence[Case], shard: Shard) -> tuple[Case, ...]:
    """Return the cases of a family that belong to a shard, in their order.

    Each band of each model is dealt to the shards separately, by the tokens of one prompt, so that the number of trials
    does not matter. All wordings of a scenario go to one shard, because they are recorded in one file.
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
    """Estimate the tokens of one prompt by the default profile: a model's own profile changes while it is asked."""
    return case.scenario.size_tokens(TokensPerUnit().model_dump())
