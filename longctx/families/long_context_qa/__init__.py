"""Long-context QA: multiple-choice questions over a collage of notices, and the controls of these questions."""

from longctx.families.long_context_qa.collage import Collage
from longctx.families.long_context_qa.control import Control
from longctx.families.long_context_qa.grids import CollageGrid, ControlGrid
from longctx.vocabulary.family import Family

COLLAGE = Family(Collage, CollageGrid, "Long-context QA", documents=True)
CONTROL = Family(Control, ControlGrid, "Controls of the questions", documents=True)

__all__ = ["COLLAGE", "CONTROL", "Collage", "Control"]
