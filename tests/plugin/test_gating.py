"""The exit status of a gated run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from longctx.plugin.gating import VERDICT, exit_status
from longctx.plugin.run import RUN


def status(verdict: str | None, own: int, on_inconclusive: str = "fail") -> int:
    stash = pytest.Stash()
    stash[RUN] = SimpleNamespace(settings=SimpleNamespace(on_inconclusive=on_inconclusive))  # type: ignore[assignment]
    if verdict is not None:
        stash[VERDICT] = verdict
    return exit_status(SimpleNamespace(stash=stash), own)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "own", "expected"),
    [
        (None, 0, 0),
        (None, 1, 1),
        ("pass", 0, 0),
        ("pass", 1, 1),
        ("inconclusive", 0, 11),
        ("inconclusive", 1, 1),
        ("regression", 0, 10),
        ("regression", 1, 10),
        ("invalid", 0, 12),
        ("invalid", 1, 12),
        *((verdict, own, own) for verdict in ("pass", "inconclusive", "regression", "invalid") for own in (2, 3, 4, 5)),
    ],
)
def test_precedence(verdict: str | None, own: int, expected: int) -> None:
    assert status(verdict, own) == expected


def test_inconclusive_may_pass_but_not_failed_tests() -> None:
    assert status("inconclusive", 0, "pass") == 0
    assert status("inconclusive", 1, "pass") == 1
    assert status("regression", 0, "pass") == 10
