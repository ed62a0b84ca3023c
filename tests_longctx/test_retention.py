"""What an agent still knows of its own history after a strategy of context management: docs/compaction.md.

It is a test function and not a family of scenarios, since a strategy may ask for a summary first: two requests a trial.
"""

import pytest

from longctx.functions.operation import KINDS


@pytest.mark.longctx(trials=5, strategies=["none", "truncate", "summary", "tests_longctx/ledger.py"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tokens", [1_000])
def test_retention(ask, draw, tokens, kind):
    operation = draw.operation(tokens)
    ask.probe(operation.transcript, operation.probes[kind])
