"""The exit status of a gated run."""

from __future__ import annotations

EXIT = {"invalid": 12, "regression": 10, "inconclusive": 11}
"""The exit status of each verdict; after a pass the tests' own counts."""


def exit_status(verdict: str, failed: bool, on_inconclusive: str) -> int:
    """Return the exit status of a gated run. on_inconclusive: `pass` or `fail`.

    The first that applies counts: 12 invalid, 10 regression, 1 failed tests, 11 inconclusive, 0.
    """
    if verdict in ("invalid", "regression"):
        return EXIT[verdict]
    if failed:
        return 1
    return EXIT[verdict] if verdict == "inconclusive" and on_inconclusive == "fail" else 0
