"""What an agent still knows of its own history after a strategy of context management: docs/compaction.md.

It is a plain test function: a strategy may ask for a summary first, and a protocol asks once.
"""

import pytest

from longctx.functions.operation import KINDS


@pytest.mark.longctx(trials=80, share=4, strategies=["none", "truncate", "summary", "tests_longctx/ledger.py"])
@pytest.mark.parametrize("tokens", [800])
def test_retention(ask, draw, tokens):
    """Four probes of each history, of the eight kinds in turn."""
    operation = draw.shared().operation(tokens)
    ask.probe(operation.transcript, operation.probes[draw.in_turn(KINDS)])
