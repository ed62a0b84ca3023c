"""The option --small: benchmarks of a size that only shows whether they still run, as .ci/run has it."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--small", action="store_true", help="run small benchmarks, whose numbers mean nothing")


@pytest.fixture(scope="session")
def small(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--small"))
