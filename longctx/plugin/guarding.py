"""The hooks that guard marked tests: what their code sends goes through longctx, or to hosts that they allow."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from longctx.connections import INI, Guard, guarded
from longctx.plugin.declared_options import ENDPOINT
from longctx.plugin.selection import MARKER
from longctx.plugin.session import run_of, state_of
from longctx.text import count


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _phase(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _phase(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _phase(item))


def _phase(item: pytest.Item) -> Generator[None, object, object]:
    """Guard a phase of a test, if it is marked: its fixtures, its call, or what ends its fixtures."""
    if not item.get_closest_marker(MARKER):
        return (yield)
    from longctx.functions.trial import TestMistake

    state = state_of(item)
    with guarded(_guard(item)) as guard:
        state.guard = guard
        try:
            result = yield
        except TestMistake as mistake:  # of a fixture, since trials have ended with theirs
            pytest.fail(str(mistake.error), pytrace=False)
        finally:
            state.guard = None
    for host, times in guard.refused_in_threads.items():
        item.warn(pytest.PytestWarning(_refused_in_threads(item.name, host, times)))
    if caught := guard.taken():  # by the code under test, which went on without an answer
        pytest.fail(str(caught), pytrace=False)
    return result


def _refused_in_threads(test: str, host: str, times: int) -> str:
    return (
        f"{test}: a thread of the code under test tried to connect to {host}, {count(times, 'time')}. Nothing was "
        f"sent. Turn that off, or allow the host: allowed_hosts=[{host!r}] in the test's marker, or {INI} in the "
        "settings of pytest."
    )


def _guard(item: pytest.Item) -> Guard:
    from longctx.functions.guard import guard_of

    cell = state_of(item).function_cell
    allowed = [*(cell.function.table.allowed_hosts if cell else ()), *item.config.getini(INI)]
    run = run_of(item.config)
    endpoint = bool(item.config.getini(ENDPOINT))
    return guard_of(item.name, allowed, run.workspace, run.settings.base_url, endpoint)
