"""Long-context QA: multiple-choice questions over a collage of notices, and the controls of these questions."""

from longctx import Family
from longctx.families.long_context_qa.choices import CHANCE
from longctx.families.long_context_qa.collage import Collage
from longctx.families.long_context_qa.control import Control
from longctx.families.long_context_qa.grids import CollageGrid, ControlGrid

COLLAGE = Family(
    Collage,
    CollageGrid,
    title="Long-context QA",
    documents=True,
    filtered=True,
    size="budget",
    variant="variant",
    guessing=CHANCE,
    account=f"{__name__}.report:CollageAccount",
)
CONTROL = Family(
    Control,
    ControlGrid,
    title="Controls of the questions",
    documents=True,
    size=None,
    guessing=CHANCE,
    account=f"{__name__}.report:ControlAccount",
)
FAMILIES = (COLLAGE, CONTROL)
ORDER = 3

__all__ = ["COLLAGE", "CONTROL", "Collage", "Control"]
