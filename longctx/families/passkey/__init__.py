"""Passkey retrieval."""

from longctx.families.passkey.grid import PasskeyGrid
from longctx.families.passkey.protocol import Passkey
from longctx.vocabulary.family import Family

FAMILY = Family(Passkey, PasskeyGrid, title="Passkey", size="window", account=f"{__name__}.report:PasskeyAccount")
FAMILIES = (FAMILY,)
ORDER = 2

__all__ = ["FAMILY", "Passkey"]
