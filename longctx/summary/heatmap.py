"""Rates by the needle's depth and the length of the context: where in a long text a model looks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from longctx.stats.rates import Rate
from longctx.summary.subject import Subject

BANDS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """size: of the context, in lines or tokens. depth: its tenth, 0 to 9, from the start."""

    family: str
    subject: Subject
    size: int
    depth: int
    rate: Rate


def heatmap(rows: pd.DataFrame, sizes: Mapping[str, str | None]) -> Iterator[Place]:
    """rows: measured trials, with a column `subject`.

    sizes: family -> the parameter that says how long its context is; empty or missing: the prompt's tokens do.
    None: its needle has no place, and it is left out.
    """
    placeless = [name for name, size in sizes.items() if size is None]
    placed = rows[~rows["family"].isin(placeless) & rows["depth"].notna()]
    columns = (placed["family"], placed["params"], placed["input_tokens"])
    lengths = [_size(sizes.get(family), params, tokens) for family, params, tokens in zip(*columns, strict=True)]
    depths = (placed["depth"].astype(float) * BANDS).astype(int).clip(0, BANDS - 1)
    keys = list(zip(placed["family"], placed["subject"], lengths, depths, strict=True))
    correct = [outcome == "correct" for outcome in placed["outcome"]]
    measured = Counter(keys)
    right = Counter(itertools.compress(keys, correct))
    for key in measured:
        yield Place(*key, Rate(right[key], measured[key]))


def _size(parameter: str | None, params: Mapping[str, Any], input_tokens: float) -> int:
    """Of a family without a size of its own: the prompt's tokens, to one digit."""
    return int(params[parameter]) if parameter else int(float(f"{input_tokens:.0e}"))
