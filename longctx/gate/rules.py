"""The default terms of a gate, and the default cap.

This module imports nothing heavy, so that the options can use it at no cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MARGIN = 0.05
"""The non-inferiority margin: a drop smaller than this share of trials does not matter."""
ALPHA = 0.05
"""The probability of a false alarm in a whole run."""
MAX_AGE_DAYS = 7.0
"""The age in days from which a recording is not accepted for a changed model."""
DEFAULT_CAP = 5.0
"""USD that a run may spend on models with prices if neither the command line nor the profile states a cap."""
GATE_DEFAULTS = {"margin": None, "alpha": ALPHA, "on_inconclusive": "fail", "max_age": MAX_AGE_DAYS}
"""The defaults of the options that set the terms."""


def ignored_options(options: Any, prefix: str = "--", names: Iterable[str] = GATE_DEFAULTS) -> str:
    """Return a sentence on options of a gate that a run without a baseline ignores; empty if there are none.

    options: has the values of the options as attributes. prefix: the beginning of the options' names. names: those that
    may be given.
    """
    given = [name for name in names if getattr(options, name) != GATE_DEFAULTS[name]]
    if options.baseline is not None or not given:
        return ""
    names = " and ".join(f"{prefix}{name.replace('_', '-')}" for name in given)
    verb = "is" if len(given) == 1 else "are"
    return f"{names} {verb} ignored: there is no verdict without {prefix}baseline NAME."


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
