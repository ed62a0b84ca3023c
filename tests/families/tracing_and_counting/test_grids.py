"""The grids of tracing and counting, and the profiles that hold them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from longctx.config.profiles import load_profile
from longctx.families.tracing_and_counting import NEEDLES, TRACKING, WORDS
from longctx.families.tracing_and_counting.grids import FrequentWordsGrid, MultipleNeedlesGrid, VariableTrackingGrid
from longctx.vocabulary.family import Family
from longctx.vocabulary.grid import Grid
from tests.here import HERE


def slugs(grid: Grid) -> list[str]:
    return [scenario.slug for scenario in grid.scenarios(lambda: None)]  # type: ignore[arg-type,return-value]


def test_without_more_than_windows_a_table_has_the_source_s_own_shapes() -> None:
    assert slugs(VariableTrackingGrid(windows=(4096,), trials=1)) == ["window-4096-chains-1-hops-4"]
    assert slugs(MultipleNeedlesGrid(windows=(4096,), trials=1)) == [
        "window-4096-keys-1-values-4-queries-1",
        "window-4096-keys-4-values-1-queries-4",
    ]
    assert slugs(FrequentWordsGrid(windows=(4096,), trials=1)) == ["window-4096-alpha_percent-200"]


def test_every_shape_is_in_every_window() -> None:
    grid = VariableTrackingGrid(windows=(1000, 2000), chains=(1, 2), hops=(4,), trials=1, max_tokens=40)
    assert slugs(grid) == [f"window-{window}-chains-{chains}-hops-4" for window in (1000, 2000) for chains in (1, 2)]
    assert {scenario.max_tokens for scenario in grid.scenarios(lambda: None)} == {40}  # type: ignore[arg-type,return-value]
    assert slugs(FrequentWordsGrid(windows=(1000,), alphas=(2.5, 1.15), trials=1)) == [
        "window-1000-alpha_percent-250",
        "window-1000-alpha_percent-115",
    ]


def test_a_mistyped_shape_is_refused() -> None:
    with pytest.raises(ValidationError, match="querys"):
        MultipleNeedlesGrid.model_validate({"windows": [4096], "trials": 1, "needles": [{"keys": 4, "querys": 4}]})
    with pytest.raises(ValidationError, match="alphas"):
        FrequentWordsGrid.model_validate({"windows": [4096], "trials": 1, "alphas": [1]})


@pytest.mark.parametrize("name", ["smoke", "paper", "frontier"])
@pytest.mark.parametrize("family", [TRACKING, NEEDLES, WORDS], ids=lambda scenario: scenario.name)
def test_every_scenario_of_a_profile_has_a_band(name: str, family: Family) -> None:
    [grid] = load_profile(HERE, name).grids(family.name)
    bands = [grid.band(scenario) for scenario in grid.scenarios(lambda: None)]  # type: ignore[arg-type,return-value]
    assert set(bands) == set(grid.bands or {"all": 1})


def test_the_papers_profile_has_the_source_s_lengths() -> None:
    for family in (TRACKING, NEEDLES, WORDS):
        [grid] = load_profile(HERE, "paper").grids(family.name)
        assert grid.windows == tuple(4096 * 2**step for step in range(6))  # type: ignore[attr-defined]
