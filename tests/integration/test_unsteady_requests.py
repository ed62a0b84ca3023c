"""Code under test that sends other requests when it runs again: its cause is named before anything is paid twice."""

from __future__ import annotations

import pytest

from tests.given import served
from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying

ORDERED = """
import pytest

NAMES = {{"north", "south", "east", "west", "up", "down", "left", "right", "over", "under", "near", "far"}}


@pytest.mark.longctx(trials=2)
def test_depots(ask, draw):
    names = {order}(NAMES)
    assert ask(f"Depots of {{draw.uuid()}}: {{', '.join(names)}}").text
"""
CACHED = """
import functools
import pytest


class Product:
    def __init__(self):
        self.known = {}

    def answer(self, ask, text):
        if text not in self.known:
            self.known[text] = ask(text).text
        return self.known[text]


PRODUCT = Product()

"""
TWICE = """
@pytest.mark.longctx(trials=2)
def test_twice(ask, draw):
    code = draw.uuid()
    assert PRODUCT.answer(ask, f"first {code}")
    assert PRODUCT.answer(ask, f"second {code}")
"""
ONCE = """
@pytest.mark.longctx(trials=2)
def test_once(ask):
    assert PRODUCT.answer(ask, "the same in all trials")
"""
CLEARED = """
@pytest.fixture(autouse=True)
def cleared():
    PRODUCT.known.clear()
"""
KEPT = """
import pytest

HISTORY = []


@pytest.mark.longctx(trials=1)
def test_history(ask):
    HISTORY.append({"role": "user", "content": "say yes"})
    assert ask(messages=list(HISTORY)).text
"""


server = served(saying("yes"))


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_the_order_of_a_set_is_named_with_the_difference(
    project: Checkout, server: SimulatedServer, workers: str
) -> None:
    project.file("test_it.py").write_text(ORDERED.format(order="sorted"))
    assert project.record(server).code == 0
    server.received.clear()
    project.file("test_it.py").write_text(ORDERED.format(order="list"))
    replayed = project.pytest(workers)
    again = project.record(server, workers, mode="new_episodes")
    for result in (replayed, again):
        assert result.code == 1
        assert result.says(
            "another process sends another request for it",
            "the same words in another order, as from a set, whose order differs between processes (PYTHONHASHSEED)",
            "sort them. The difference:",
            "Depots of ",
        ), result.out
    assert replayed.says("2 of 2 trials are stale")
    assert not server.asked


def test_a_request_that_is_the_same_everywhere_is_sent_again(project: Checkout, server: SimulatedServer) -> None:
    project.file("test_it.py").write_text(ORDERED.format(order="sorted"))
    assert project.record(server).code == 0
    project.file("test_it.py").write_text(ORDERED.format(order="sorted").replace("Depots of", "All depots of"))
    assert "another process" not in project.pytest().out
    assert project.record(server, mode="new_episodes").code == 0
    assert len(server.asked) == 4


@pytest.mark.parametrize(("test", "asked"), [(TWICE, 4), (ONCE, 2)])
def test_a_cache_by_prompt_is_named(project: Checkout, server: SimulatedServer, test: str, asked: int) -> None:
    project.file("test_it.py").write_text(CACHED + test)
    result = project.record(server)
    assert result.code == 1
    assert result.says("the code under test caches answers: turn the cache off, or clear it"), result
    assert len(server.asked) == asked
    project.file("test_it.py").write_text(CACHED + CLEARED + test)
    assert project.record(server).code == 0
    assert project.pytest().code == 0


def test_what_a_module_keeps_is_named(project: Checkout, server: SimulatedServer) -> None:
    project.file("test_it.py").write_text(KEPT)
    assert project.record(server).says(
        "keep a trial's state, such as the history of an agent, in function-scoped fixtures", "The difference:"
    )
    assert len(server.asked) == 1
