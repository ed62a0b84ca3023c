"""The translation of a UserError into pytest's own usage error: one sentence, and the exit status of a bad command."""

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
