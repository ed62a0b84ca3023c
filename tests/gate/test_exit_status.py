"""The exit status of a verdict, with failed tests and without."""

import pytest

from longctx.gate.rules import exit_status


@pytest.mark.parametrize(
    ("verdict", "failed", "status"),
    [
        ("pass", False, 0),
        ("pass", True, 1),
        ("inconclusive", False, 11),
        ("inconclusive", True, 1),
        ("regression", False, 10),
        ("regression", True, 10),
        ("invalid", False, 12),
        ("invalid", True, 12),
    ],
)
def test_precedence(verdict: str, failed: bool, status: int) -> None:
    assert exit_status(verdict, failed, "fail") == status
    assert exit_status(verdict, failed, "pass") == (0 if status == 11 else status)
