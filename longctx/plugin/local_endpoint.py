"""The hooks of the local endpoint, registered only where `longctx_endpoint` is set.

While a trial runs, the SDKs' variables lead to its address. While modules are imported, and wider fixtures of marked
tests are set up and torn down, they lead to that of whichever trial runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from longctx.config.models import key_variables
from longctx.connections import Guard
from longctx.endpoint.endpoint import Product, endpoint
from longctx.functions.ask import Ask
from longctx.functions.cell_runner import TrialServer
from longctx.functions.fixtures import FunctionState
from longctx.functions.trial import FunctionTrial
from longctx.own_environment import replaced
from longctx.plugin.selection import MARKER
from longctx.plugin.session import run_of

UNKNOWN_HEADER = (
    "{test}: the code under test sends the header {name}, which is part of what is compared, since answers may depend "
    "on it: name it in headers of the model's profile."
)


def server_of_trials(
    config: pytest.Config, state: FunctionState, guard: Guard
) -> Callable[[FunctionTrial], AbstractContextManager[TrialServer]]:
    """Return what serves a trial while its context is entered. guard: that of its test."""
    run = run_of(config)
    product = Product(key_variables(run.workspace), run.plan.product_models)

    def serve(trial: FunctionTrial) -> AbstractContextManager[TrialServer]:
        return endpoint().serving(Ask(lambda: trial, state.model), guard, product)

    return serve


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, object, object]:
    with _leading_here(collector.config):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    if fixturedef.scope == "function" or not request._pyfuncitem.get_closest_marker(MARKER):
        return (yield)
    with _leading_here(request.config):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        for name in endpoint().taken_headers():
            item.warn(pytest.PytestWarning(UNKNOWN_HEADER.format(test=item.name, name=name)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    if not item.get_closest_marker(MARKER):
        return (yield)
    with _leading_here(item.config):
        return (yield)


def _leading_here(config: pytest.Config) -> AbstractContextManager[None]:
    return replaced(endpoint().variables(key_variables(run_of(config).workspace)))
