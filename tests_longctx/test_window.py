"""How full may the window get? A made-up session with 24 probes, as `longctx window` writes such a test."""

import pytest

import longctx

PROBES = "window/probes.jsonl"
SESSIONS = {name: longctx.transcript(f"window/{name}.json", probes=PROBES) for name in ["session"]}


@pytest.mark.longctx(cases=PROBES, same_context=True)
@pytest.mark.parametrize("fill", [2000, 4000, 8000])
def test_window(ask, case, fill):
    """The same fact is asked for when the context holds more and more of the session; the evidence is always inside."""
    ask.probe(SESSIONS[case.session].filled(fill, case), case)
