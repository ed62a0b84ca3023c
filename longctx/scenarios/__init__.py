"""The protocols: each family is one file that builds trials and judges replies. Pure."""

from longctx.scenarios.line_retrieval import LineRetrieval
from longctx.scenarios.passkey import Passkey

FAMILIES = {family.family: family for family in (LineRetrieval, Passkey)}

__all__ = ["FAMILIES", "LineRetrieval", "Passkey"]
