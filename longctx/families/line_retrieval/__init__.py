"""The Little Retrieval Test."""

from longctx import Family
from longctx.families.line_retrieval.grid import LineRetrievalGrid
from longctx.families.line_retrieval.protocol import LineRetrieval

FAMILY = Family(
    LineRetrieval,
    LineRetrievalGrid,
    title="Line retrieval",
    unit="lines",
    size="lines",
    variant="block_size",
    account=f"{__name__}.report:LineRetrievalAccount",
)
FAMILIES = (FAMILY,)
ORDER = 1

__all__ = ["FAMILY", "LineRetrieval"]
