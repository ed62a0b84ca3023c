"""Passkey retrieval."""

from longctx.families.passkey.grid import PasskeyGrid
from longctx.families.passkey.protocol import Passkey
from longctx.vocabulary.family import Family

FAMILY = Family(Passkey, PasskeyGrid, "Passkey")

__all__ = ["FAMILY", "Passkey"]
