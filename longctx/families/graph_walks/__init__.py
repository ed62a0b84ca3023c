"""Graph walks."""

from longctx.families.graph_walks.grid import GraphWalksGrid
from longctx.families.graph_walks.protocol import GraphWalks
from longctx.vocabulary.family import Family

FAMILY = Family(
    GraphWalks, GraphWalksGrid, title="Graph walks", size=None, account=f"{__name__}.report:GraphWalksAccount"
)
FAMILIES = (FAMILY,)
ORDER = 6

__all__ = ["FAMILY", "GraphWalks"]
