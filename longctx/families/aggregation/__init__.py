"""Aggregation."""

from longctx import Family
from longctx.families.aggregation.grid import AggregationGrid
from longctx.families.aggregation.protocol import Aggregation

FAMILY = Family(
    Aggregation, AggregationGrid, title="Aggregation", size=None, account=f"{__name__}.report:AggregationAccount"
)
FAMILIES = (FAMILY,)
ORDER = 8

__all__ = ["FAMILY", "Aggregation"]
