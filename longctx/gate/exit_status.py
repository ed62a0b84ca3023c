"""The exit status of a gated run."""

from __future__ import annotations

EXIT = {"invalid": 12, "regression": 10, "inconclusive": 11}
"""Verdict -> exit status; a pass leaves that of the tests."""


def exit_status(verdict: str, failed: bool, on_inconclusive: str) -> int:
    """12 invalid, 10 regression, 1 failed tests, 11 inconclusive, 0. on_inconclusive: `pass` or `fail`."""
    if verdict in ("invalid", "regression"):
        return EXIT[verdict]
    if failed:
        return 1
    return EXIT[verdict] if verdict == "inconclusive" and on_inconclusive == "fail" else 0
