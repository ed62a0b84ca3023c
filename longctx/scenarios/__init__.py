"""The protocols: each family is one file that builds trials and judges replies. Pure."""

from longctx.scenarios.base import Scenario
from longctx.scenarios.collage import Collage
from longctx.scenarios.control import Control
from longctx.scenarios.line_retrieval import LineRetrieval
from longctx.scenarios.passkey import Passkey

FAMILIES: dict[str, type[Scenario]] = {family.family: family for family in (LineRetrieval, Passkey, Collage, Control)}

__all__ = ["FAMILIES", "Collage", "Control", "LineRetrieval", "Passkey"]
