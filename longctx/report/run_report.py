"""What a report is written from."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.report.document import Document
from longctx.results.manifest import Manifest
from longctx.results.store import FinishedRun
from longctx.summary.summary import Summary


@dataclass(frozen=True, slots=True)
class RunReport:
    """A finished run with its summary and, if it was gated, its verdict."""

    record: FinishedRun
    summary: Summary
    manifest: Manifest
    verdict: Document | None = None
    """Shown first."""
    failed: int = 0
    """How many failed test cases the verdict adds: pytest counts each band that fails."""
