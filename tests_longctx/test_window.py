"""How full may the window get? Made-up sessions with 24 and 25 probes, as `longctx window` writes such a test."""

import pytest

import longctx

PROBES, LONG_PROBES = "window/probes.jsonl", "long_window/probes.jsonl"
SESSION = longctx.transcript("window/session.json", probes=PROBES)
LONG_SESSION = longctx.transcript("long_window/session.json", probes=LONG_PROBES)


@pytest.mark.longctx(cases=PROBES, same_context=True)
@pytest.mark.parametrize("fill", [2000, 4000, 8000])
def test_window(ask, case, fill):
    """The same fact is asked for when the context holds more and more of the session; the evidence is always inside."""
    ask.probe(SESSION.filled(fill, case), case)


@pytest.mark.longctx(cases=LONG_PROBES, same_context=True)
@pytest.mark.parametrize("fill", [4000, 8000, 16000, 28000])
def test_long_window(ask, case, fill):
    """The same with a session of 31,500 tokens at the operations desk of a ferry line."""
    ask.probe(LONG_SESSION.filled(fill, case), case)
