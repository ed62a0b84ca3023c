"""Why a trial was not measured, or cannot be asked."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.cases.case import Case


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial was not measured. fatal: other trials would fail in the same way, so the asking stops."""

    cause: str
    message: str
    fatal: bool = False


Unasked = tuple[Case, Failure]
"""A case of which no question can be asked, and the reason."""
