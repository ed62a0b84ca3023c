"""A run that ends before its tests: it was only to estimate or to ask, or Ctrl-C stopped it while it asked."""

from __future__ import annotations

import pytest

from longctx.plugin.session import session_of


def over(config: pytest.Config, status: int) -> pytest.UsageError:
    """Return an exception to raise once everything was printed; status_of turns it into the exit status.

    It is a UsageError because pytest passes that on without printing anything.
    """
    session_of(config).over = status
    return pytest.UsageError(f"the run is over, with status {status}")


def status_of(config: pytest.Config, error: pytest.UsageError) -> int:
    """Return the exit status of a run that is over; raise the error again if it is a real usage error."""
    status = session_of(config).over
    if status is None:
        raise error
    return status
