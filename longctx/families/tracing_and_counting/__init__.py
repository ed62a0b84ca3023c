"""Tracing and counting, after RULER: three families that ask for a set of names."""

from longctx import Family
from longctx.families.tracing_and_counting.grids import FrequentWordsGrid, MultipleNeedlesGrid, VariableTrackingGrid
from longctx.families.tracing_and_counting.protocol.needles import MultipleNeedles
from longctx.families.tracing_and_counting.protocol.tracking import VariableTracking
from longctx.families.tracing_and_counting.protocol.words import FrequentWords

TRACKING = Family(
    VariableTracking,
    VariableTrackingGrid,
    title="Variable tracking",
    size="window",
    account=f"{__name__}.report:Tracking",
)
NEEDLES = Family(
    MultipleNeedles,
    MultipleNeedlesGrid,
    title="Multiple needles",
    size="window",
    account=f"{__name__}.report:NeedlesAccount",
)
WORDS = Family(
    FrequentWords,
    FrequentWordsGrid,
    title="Frequent words",
    size=None,
    account=f"{__name__}.report:Counting",
)
FAMILIES = (TRACKING, NEEDLES, WORDS)
ORDER = 5

__all__ = ["NEEDLES", "TRACKING", "WORDS", "FrequentWords", "MultipleNeedles", "VariableTracking"]
