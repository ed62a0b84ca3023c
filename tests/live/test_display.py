"""A progress line that overwrites itself: where, and how often."""

import io

import pytest

from longctx.live.display import Tally, open_display
from longctx.stats.rates import Rate


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("name", ["", "FORCE_COLOR"])
def test_a_file_is_no_terminal(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name:
        monkeypatch.setenv(name, "1")
    file = io.StringIO()
    assert open_display(file, "asking", Tally(1), keep=True) is None
    assert file.getvalue() == ""


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("TTY_COMPATIBLE", "0")])
def test_a_terminal_may_be_unable_to_draw_over(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert open_display(Terminal(), "asking", Tally(1), keep=True) is None


def test_what_was_told_last_is_drawn_at_the_end() -> None:
    """The last line is drawn however soon it follows the one before."""
    terminal, tally = Terminal(), Tally(3)
    shown = open_display(terminal, "asking", tally, keep=True, pause=1e9)
    assert shown is not None
    for detail in ("first", "second", "third"):
        tally.done += 1
        shown.show(detail, None)
    assert "first, about" in terminal.getvalue()
    shown.close()
    assert "second" not in terminal.getvalue()
    assert "third" in terminal.getvalue()


def test_a_name_is_no_markup() -> None:
    terminal, tally = Terminal(), Tally(2)
    shown = open_display(terminal, "asking", tally, keep=True)
    assert shown is not None
    tally.add("passkey", "[bold]toy[/bold]", Rate(1, 1))
    shown.show("1 of 2")
    assert "passkey on [bold]toy[/bold]" in terminal.getvalue()
    shown.close()
