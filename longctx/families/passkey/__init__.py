"""Passkey retrieval."""

from longctx import Family
from longctx.families.passkey.grid import PasskeyGrid
from longctx.families.passkey.protocol import Passkey

FAMILY = Family(Passkey, PasskeyGrid, title="Passkey", size="window", account=f"{__name__}.report:PasskeyAccount")
FAMILIES = (FAMILY,)
ORDER = 2

__all__ = ["FAMILY", "Passkey"]
