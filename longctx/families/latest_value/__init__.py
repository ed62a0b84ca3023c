"""Latest value."""

from longctx import Family
from longctx.families.latest_value.grid import LatestValueGrid
from longctx.families.latest_value.protocol import LatestValue

FAMILY = Family(
    LatestValue, LatestValueGrid, title="Latest value", size="window", account=f"{__name__}.report:LatestValueAccount"
)
FAMILIES = (FAMILY,)
ORDER = 7

__all__ = ["FAMILY", "LatestValue"]
