"""What is lost when a session is shortened? A made-up session of 8,300 tokens with 127 probes."""

import pytest

import longctx

PROBES = "compaction/probes.jsonl"
SESSION = longctx.transcript("compaction/session.json")


@pytest.mark.longctx(cases=PROBES, same_context=True)
def test_compaction(ask, case):
    """All probes share the session, so that a prompt cache serves all but the first; a strategy shortens it."""
    ask.probe(SESSION, case)
