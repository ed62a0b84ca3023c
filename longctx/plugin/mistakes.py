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


class Mistake(pytest.Item):
    """A test that fails with a user's mistake: a worker of xdist has no other way to tell of one in collection."""

    @classmethod
    def of(cls, session: pytest.Session, error: UserError) -> Mistake:
        mistake: Mistake = cls.from_parent(session, name="longctx")
        mistake.error = error
        return mistake

    error: UserError

    def runtest(self) -> None:
        raise self.error

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        return str(excinfo.value)
