"""The axes of named sets, and the profiles that hold them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from longctx.config.profiles import load_profile
from longctx.protocols.frequent_words import FrequentWordsAxes
from longctx.protocols.multiple_needles import MultipleNeedlesAxes
from longctx.protocols.variable_tracking import VariableTrackingAxes
from longctx.vocabulary.grid import Axes
from tests.here import HERE

PROTOCOLS = "variable_tracking", "multiple_needles", "frequent_words"


def slugs(grid: Axes) -> list[str]:
    return [cell.slug for cell in grid.made_cells(lambda: None)]  # type: ignore[arg-type,return-value]


def test_without_more_than_windows_a_table_has_the_source_s_own_shapes() -> None:
    assert slugs(VariableTrackingAxes(windows=(4096,), trials=1)) == ["window-4096-chains-1-hops-4"]
    assert slugs(MultipleNeedlesAxes(windows=(4096,), trials=1)) == [
        "window-4096-keys-1-values-4-queries-1",
        "window-4096-keys-4-values-1-queries-4",
    ]
    assert slugs(FrequentWordsAxes(windows=(4096,), trials=1)) == ["window-4096-alpha_percent-200"]


def test_every_shape_is_in_every_window() -> None:
    grid = VariableTrackingAxes(windows=(1000, 2000), chains=(1, 2), hops=(4,), trials=1, max_tokens=40)
    assert slugs(grid) == [f"window-{window}-chains-{chains}-hops-4" for window in (1000, 2000) for chains in (1, 2)]
    assert {cell.max_tokens for cell in grid.made_cells(lambda: None)} == {40}  # type: ignore[arg-type,return-value]
    assert slugs(FrequentWordsAxes(windows=(1000,), alphas=(2.5, 1.15), trials=1)) == [
        "window-1000-alpha_percent-250",
        "window-1000-alpha_percent-115",
    ]


def test_a_mistyped_shape_is_refused() -> None:
    with pytest.raises(ValidationError, match="querys"):
        MultipleNeedlesAxes.model_validate({"windows": [4096], "trials": 1, "needles": [{"keys": 4, "querys": 4}]})
    with pytest.raises(ValidationError, match="alphas"):
        FrequentWordsAxes.model_validate({"windows": [4096], "trials": 1, "alphas": [1]})


@pytest.mark.parametrize("name", ["smoke", "paper", "frontier"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_cell_of_a_profile_has_a_band(name: str, protocol: str) -> None:
    [grid] = load_profile(HERE, name).grids(protocol)
    bands = [grid.band(cell) for cell in grid.made_cells(lambda: None)]  # type: ignore[arg-type,return-value]
    assert set(bands) == set(grid.bands or {"all": 1})


def test_the_papers_profile_has_the_source_s_lengths() -> None:
    for protocol in PROTOCOLS:
        [grid] = load_profile(HERE, "paper").grids(protocol)
        assert grid.windows == tuple(4096 * 2**step for step in range(6))  # type: ignore[attr-defined]
