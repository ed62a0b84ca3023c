"""Messages about what the run waits for."""

from __future__ import annotations

import threading

import pytest

from longctx.live.watch import DELAY_S, waiting


def test_within_three_seconds() -> None:
    """A terminal that shows nothing for longer looks dead."""
    assert DELAY_S < 3


def test_what_takes_long_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 0)
    messages: list[str] = []
    heard = threading.Event()

    def say(sentence: str) -> None:
        messages.append(sentence)
        heard.set()

    with waiting(say, "the server to speak"):
        assert heard.wait(60)
    assert messages == ["Waiting for the server to speak …"]


def test_what_is_soon_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 3600)
    messages: list[str] = []
    with waiting(messages.append, "the server to speak"):
        pass
    assert messages == []
    assert not [
        thread
        for thread in threading.enumerate()
        if isinstance(thread, threading.Timer) and not thread.finished.is_set()
    ]
