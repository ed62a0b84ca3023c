"""The Little Retrieval Test."""

from longctx.families.line_retrieval.grid import LineRetrievalGrid
from longctx.families.line_retrieval.protocol import LineRetrieval
from longctx.vocabulary.family import Family

FAMILY = Family(LineRetrieval, LineRetrievalGrid, "Line retrieval", unit="lines")

__all__ = ["FAMILY", "LineRetrieval"]
