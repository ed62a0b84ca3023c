"""LONGCTX_TEXT=0: neither replies nor answers are kept anywhere."""

from __future__ import annotations

from pathlib import Path

from tests.integration.conftest import NO_TEXT, Checkout
from tests.servers import SimulatedServer, saying


def kept(checkout: Checkout, text: str) -> list[Path]:
    """Return the files of the checkout that hold the text."""
    return [path for path in checkout.folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_nothing_of_the_replies_is_kept(checkout: Checkout, server: SimulatedServer, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    server.script = saying("987654321 is private")
    result = checkout.record(server, "-n1", env=NO_TEXT | {"TMPDIR": str(temporary)})
    assert result.code == 0
    assert result.says("4 live", "Kept without text (LONGCTX_TEXT=0)", "cannot be replayed")
    assert not kept(checkout, "987654321")
    assert not checkout.cassettes()
    rows = checkout.rows()
    assert {row["outcome"] for row in rows} == {"wrong"}
    assert all(row[name] is None for row in rows for name in ("expected", "returned", "why"))
    assert all(row["trace"] == {} for row in rows)
    assert not [path for path in temporary.rglob("*") if path.is_file()]


def test_such_a_run_cannot_be_replayed(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, env=NO_TEXT)
    result = checkout.pytest(env=NO_TEXT)
    assert result.code == 1
    assert result.says("2 of 2 trials have no recording")


def test_recordings_are_replayed_without_their_text(recorded: Checkout) -> None:
    before = recorded.cassettes()
    assert recorded.pytest(env=NO_TEXT).code == 0
    assert {(row["outcome"], row["returned"]) for row in recorded.rows()} == {("correct", None)}
    assert recorded.cassettes() == before
