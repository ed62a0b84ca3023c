"""Test functions in a run: the models that they ask, and the cells that they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from longctx.live.cost.money import check_cap

if TYPE_CHECKING:
    from longctx.config.models import ModelProfile
    from longctx.engine.run import Run


def loader(run: Run) -> Callable[[str], ModelProfile]:
    """Return a function that loads the profile of a model that a test asks. It raises UserError."""

    def load(name: str) -> ModelProfile:
        model = run.plan.model(name)
        if run.settings.record != "none":
            check_cap(run.stated_cap, [model])
        return model

    return load
