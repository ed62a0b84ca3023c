"""Short answers."""

from longctx import Family
from longctx.families.short_answers.grid import ShortAnswersGrid
from longctx.families.short_answers.protocol import ShortAnswers

FAMILY = Family(ShortAnswers, ShortAnswersGrid, title="Short answers", documents=True, filtered=True, size="budget")
FAMILIES = (FAMILY,)
ORDER = 9

__all__ = ["FAMILY", "ShortAnswers"]
