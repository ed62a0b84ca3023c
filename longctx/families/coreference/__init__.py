"""Multi-round coreference: which of several alike texts is asked for."""

from longctx import Family
from longctx.families.coreference.grid import CoreferenceGrid
from longctx.families.coreference.protocol import Coreference

FAMILY = Family(
    Coreference,
    CoreferenceGrid,
    title="Multi-round coreference",
    size="window",
    account=f"{__name__}.report:CoreferenceAccount",
)
FAMILIES = (FAMILY,)
ORDER = 4

__all__ = ["FAMILY", "Coreference"]
