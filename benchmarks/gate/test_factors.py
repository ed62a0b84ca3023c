"""The two generators draw what they say, and the tables have as many cells in every line."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.gate.factors import BASE, GENERATORS, KINDS, LINES, NOISES, PARTS, SETS, Case

MANY = replace(BASE, trials=4000)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize(
    "case",
    [
        replace(MANY, drop=0.1),
        replace(MANY, rate=0.7, changing=0.2, together=4, drop=0.05),
        replace(MANY, drop=0.05, together=4, documents=0.07),
        replace(MANY, drop=0.1, runs=3),
    ],
)
def test_rates_changes_and_drops_are_those_of_the_case(generator, case: Case) -> None:  # type: ignore[no-untyped-def]
    before, after = generator(case, 30, np.random.default_rng(0))
    assert before.shape == after.shape == (30, *case.shape)
    assert before.mean() / case.runs == pytest.approx(case.rate, abs=0.01)
    assert before.mean() / case.runs - after.mean() == pytest.approx(case.drop, abs=0.01)
    again, _ = generator(replace(case, drop=0.0, runs=1), 30, np.random.default_rng(0))
    _, same = generator(replace(case, drop=0.0, runs=1), 30, np.random.default_rng(0))
    assert (again != same).mean() == pytest.approx(case.changing, abs=0.01)


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_check_falls_alone(generator) -> None:  # type: ignore[no-untyped-def]
    case = replace(MANY, drop=0.1, together=3, trials=12_000, first=True, alike=0.7)
    before, after = generator(case, 10, np.random.default_rng(0))
    assert (before.mean(axis=(0, 1)) - after.mean(axis=(0, 1))).tolist() == pytest.approx([0.1, 0, 0], abs=0.01)


def test_there_are_at_most_60_lines() -> None:
    assert len(LINES) + len(KINDS) * len(NOISES) + 2 * len(SETS) <= 60


@pytest.mark.parametrize(("title", "part"), PARTS)
def test_it_gives_tables(title: str, part) -> None:  # type: ignore[no-untyped-def]
    lines = part(2).splitlines()
    assert all(one.count("|") == other.count("|") for one, other in pairwise(lines)), title
