"""Every profile that comes with longctx can be asked of every model that comes with it, or is known not to fit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longctx.cells.cell import Cell
from longctx.config.profiles import load_profile
from longctx.engine.run_plan import Plan
from longctx.engine.settings import Settings
from longctx.live.cost.estimate import estimate
from longctx.live.estimating import NOT_MEASURED, fitted
from longctx.registry import shipped
from tests.here import HERE
from tests.recording.examples import requests_of

TINY = "smollm2-135m"
"""A model with a window of 8,192 tokens, for small profiles: most tests have no room in shares of it."""
MODELS = [path.stem for path in HERE.list("models", "*.toml") if path.stem != TINY]
PROFILES = [path.stem for path in HERE.list("profiles", "*.toml")]
SMALL = {"gemma-3-270m", "qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-chat", "qwen2.5-coder-1.5b"}
"""Models with a window of 32,768 tokens."""
TOO_LONG = {
    "gate": {"line_retrieval", "collage", "passkey", "variable_tracking", "coreference"},
    "gate-sets": {"multiple_needles"},
    "qa-tenth": {"collage"},
    "serving": {"line_retrieval", "passkey", "multiple_needles", "variable_tracking"},
    "paper": {
        "line_retrieval", "collage", "coreference", "variable_tracking", "multiple_needles", "frequent_words",
        "graph_walks", "latest_value", "abstention", "aggregation",
        "short_answers",
    },
}  # fmt: skip
"""The tests of each profile that do not fit in such a window, or not at every length."""


def cells(profile: str, *models: str) -> list[Cell]:
    return Plan(Settings(profile=profile, models=models), HERE).cells


def misfits(profile: str, *models: str) -> Iterator[Cell]:
    _, unfit = fitted(cells(profile, *models))
    return (cell for cell, why in unfit if why.cause != NOT_MEASURED)


@pytest.mark.parametrize("profile", PROFILES)
def test_what_does_not_fit_is_known(profile: str) -> None:
    """All models are in one plan, which reads the profile and its prompts once."""
    planned = {cell.model.model for cell in cells(profile, *MODELS)}
    assert planned in ({*MODELS}, set()), "a profile of test functions alone has no cells of protocols"
    expected = {(model, test) for model in SMALL for test in TOO_LONG.get(profile, ())}
    assert {(cell.model.model, cell.point.test) for cell in misfits(profile, *MODELS)} == expected


@pytest.mark.parametrize("model", MODELS)
def test_the_frontier_is_the_long_end_of_each_models_window(model: str) -> None:
    of_model = cells("frontier", model)
    window = of_model[0].model.window
    assert window is not None
    longest = {
        test: max(cell.size_tokens + cell.reply_tokens for cell in of_model if cell.point.test == test)
        for test in {cell.point.test for cell in of_model}
    }
    assert longest.keys() == {test for test in shipped() if load_profile(HERE, "frontier").grids(test)}
    assert all(0.9 * window < tokens <= 0.95 * window for tokens in longest.values()), longest


def test_what_does_not_fit_has_no_price() -> None:
    fit, unfit = fitted(cells("paper", "gemma-3-270m"))
    unbuilt = [cell for cell, why in unfit if why.cause == NOT_MEASURED]
    priced = estimate(fit, requests_of(*fit), unbuilt)
    [lines] = [each for each in priced if each.test == "line_retrieval"]
    assert lines.trials == 15 * 50


def test_the_profile_of_the_guides_fits_the_smallest_model() -> None:
    assert list(misfits("lines", TINY)) == []
