"""Mistakes of a user: errors that end a session, and tests that only say what is wrong."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from longctx.errors import UserError
from longctx.plugin.session import session_of


@contextlib.contextmanager
def as_usage_errors() -> Iterator[None]:
    try:
        yield
    except UserError as error:
        raise pytest.UsageError(str(error)) from None


class Mistake(pytest.Item):
    """A test that fails with a user's mistake: a worker of xdist has no other way to report one in collection."""

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


def end_of_run(config: pytest.Config, status: int) -> pytest.UsageError:
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
