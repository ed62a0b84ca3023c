"""Graph walks."""

from longctx import Family
from longctx.families.graph_walks.grid import GraphWalksGrid
from longctx.families.graph_walks.protocol import GraphWalks

FAMILY = Family(
    GraphWalks, GraphWalksGrid, title="Graph walks", size=None, account=f"{__name__}.report:GraphWalksAccount"
)
FAMILIES = (FAMILY,)
ORDER = 6

__all__ = ["FAMILY", "GraphWalks"]
