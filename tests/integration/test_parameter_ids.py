"""Values of parameters that have no name take pytest's id in the names of cells; those that have one keep it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying

TESTS = """
import dataclasses

import pytest


@dataclasses.dataclass(frozen=True)
class Config:
    name: str
    k: int


@pytest.fixture(params=[{"a": 1}, "text"], ids=["first", "second"])
def settings(request):
    return request.param


@pytest.mark.longctx(trials=1)
@pytest.mark.parametrize("size", ["short one", pytest.param("long", id="not-used")])
@pytest.mark.parametrize("config", [Config("a", 1), Config("b/c", 2)], ids=lambda config: config.name)
def test_ids(ask, size, config):
    assert ask(f"say {size} {config.name}").text


@pytest.mark.longctx(trials=1)
@pytest.mark.parametrize("config", [Config("a", 1), {"k": 2}, pytest.param([3], id="three")])
def test_objects(ask, config):
    assert ask(f"say {config}").text


@pytest.mark.longctx(trials=1)
@pytest.mark.parametrize(("config", "k"), [pytest.param(Config("a", 1), 5, id="both")])
def test_two(ask, config, k):
    assert ask(f"say {config} {k}").text


@pytest.mark.longctx(trials=1)
def test_fixture(ask, settings):
    assert ask(f"say {settings}").text
"""
CELLS = {
    "test_ids": [
        *("config-a-size-long", "config-a-size-short_one-83f46c8f"),
        *("config-b_c-b9e2beb9-size-long", "config-b_c-b9e2beb9-size-short_one-83f46c8f"),
    ],
    "test_objects": ["config-config0", "config-config1", "config-three"],
    "test_two": ["config-both-k-5"],
    "test_fixture": ["settings-first", "settings-text"],
}


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_values_without_a_name_take_the_id_of_pytest(project: Checkout, workers: str) -> None:
    project.file("test_it.py").write_text(TESTS)
    with SimulatedServer(saying("yes")) as server:
        recorded = project.record(server, workers)
    assert recorded.code == 0, recorded.out
    assert project.pytest(workers).says("10 trials: 10 replayed", "10 passed")
    found = Counter((row["test"], row["cell"]) for row in project.rows())
    assert found == Counter((test, cell) for test, cells in CELLS.items() for cell in cells)
