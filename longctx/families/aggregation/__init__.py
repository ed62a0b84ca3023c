"""Aggregation."""

from longctx import Family
from longctx.families.aggregation.grid import AggregationGrid
from longctx.families.aggregation.protocol import Aggregation

FAMILY = Family(
    Aggregation,
    AggregationGrid,
    title="Aggregation",
    size=None,
    guessing=0.24,  # always 0 of 12 notices: the most that a constant answer reaches of any question
    account=f"{__name__}.report:AggregationAccount",
)
FAMILIES = (FAMILY,)
ORDER = 8

__all__ = ["FAMILY", "Aggregation"]
