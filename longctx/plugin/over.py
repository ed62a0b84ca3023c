"""A run that is over before its tests, as one that was only to estimate, or that Ctrl-C has stopped while it asked."""

from __future__ import annotations

import pytest

STATUS = pytest.StashKey[int]()


def over(config: pytest.Config, status: int) -> pytest.UsageError:
    """To be raised once all was said. It is no mistake, but what pytest lets through without a word, to status_of."""
    config.stash[STATUS] = status
    return pytest.UsageError(f"the run is over, with status {status}")


def status_of(config: pytest.Config, error: pytest.UsageError) -> int:
    """The exit status of a run that is over. Raises the error where it is a mistake, which pytest shows."""
    if STATUS not in config.stash:
        raise error
    return config.stash[STATUS]
