"""What is computed from the rows of test functions besides their accuracies, in one list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longctx.results.row import Row
from longctx.summary.retention import retention
from longctx.summary.retrievals import retrievals
from longctx.summary.windows import windows

ANALYSES: Mapping[str, Callable[[Sequence[Row]], Sequence[object]]] = {
    "windows": windows,
    "chunks": retrievals,
    "retention": retention,
}
"""What is found in the measured rows of a test function, by the names of the lists in summary.json."""
