"""How pytest shows a user's mistake: as its own, in a sentence, with the exit status of a wrong command line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from longctx.errors import UserError


@contextlib.contextmanager
def as_usage_errors() -> Iterator[None]:
    try:
        yield
    except UserError as error:
        raise pytest.UsageError(str(error)) from None
