"""Abstention."""

from longctx import Family
from longctx.families.abstention.grid import AbstentionGrid
from longctx.families.abstention.protocol import Abstention

FAMILY = Family(
    Abstention,
    AbstentionGrid,
    title="Abstention",
    documents=True,
    filtered=True,
    size="budget",
    guessing=0.2,
    account=f"{__name__}.report:AbstentionAccount",
)
FAMILIES = (FAMILY,)
ORDER = 7.5

__all__ = ["FAMILY", "Abstention"]
