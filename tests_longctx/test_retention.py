"""What an agent still knows of its own history after a strategy of context management: docs/compaction.md.

It is a plain test function: a strategy may ask for a summary first, and a protocol asks once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from longctx.functions.operation import KINDS

if TYPE_CHECKING:
    from longctx import Ask, Draw


@pytest.mark.longctx(trials=80, share=4, strategies=["none", "truncate", "summary", "tests_longctx/ledger.py"])
@pytest.mark.parametrize("tokens", [800])
def test_retention(ask: Ask, draw: Draw, tokens: int) -> None:
    """Four probes of each history, of the eight kinds in turn."""
    operation = draw.shared().operation(tokens)
    ask.probe(operation.transcript, operation.probes[draw.in_turn(KINDS)])
