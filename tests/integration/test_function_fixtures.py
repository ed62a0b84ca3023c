"""Fixtures of function scope: each run of each trial has its own, live, replayed and in workers."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.integration.conftest import Checkout, Result
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

CONFTEST = '''

import pytest


class Agent:
    """A product that keeps its conversation."""

    def __init__(self, ask):
        self.ask, self.history = ask, []

    def say(self, text):
        self.history.append({"role": "user", "content": text})
        answer = self.ask(messages=list(self.history))
        self.history.append(answer.turn)
        return answer


@pytest.fixture(scope="module")
def once():
    return []


@pytest.fixture
def agent(ask):
    made = Agent(ask)
    yield made
    assert len(made.history) in (2, 4), "torn down in the middle"


@pytest.fixture
def greeting(ask, draw):
    """A fixture that asks twice in its set-up."""
    return ask(f"say {draw.integer(100, 999)}").integer() + ask("say 1000").integer()


@pytest.fixture(params=[3, 4])
def times(request):
    return request.param
'''
TESTS = """
import logging
import pytest


@pytest.mark.longctx(trials=3)
def test_agent(agent, draw, once):
    once.append(1)
    code = draw.integer(100, 999)
    assert agent.say(f"say {code}").integer() == code
    assert agent.say("say 7").integer() == 7
    assert len(agent.history) == 4, agent.history


@pytest.mark.longctx(trials=3)
def test_files(ask, draw, tmp_path, monkeypatch, capsys, caplog, request):
    code = draw.integer(100, 999)
    assert not list(tmp_path.iterdir())
    assert not caplog.messages
    (tmp_path / "code").write_text(str(code))
    monkeypatch.setenv("CODE", str(code))
    print(code)
    logging.getLogger().warning("code")
    assert ask(f"say {code}").integer() == code
    assert capsys.readouterr().out == f"{code}\\n"
    assert request.getfixturevalue("agent").say("say 5").integer() == 5


@pytest.mark.longctx(trials=2)
def test_fixture_that_asks(greeting):
    assert greeting > 1000


@pytest.mark.longctx(trials=2)
def test_parametrized_fixture(ask, draw, times):
    assert ask(f"say {draw.integer(10 ** times, 10 ** times * 9)}").integer()


@pytest.mark.longctx(trials=2)
@pytest.mark.parametrize("word", ["a", "b"])
async def test_async(agent, draw, word):
    assert agent.say(f"say {draw.integer(10, 99)} {word}").integer()


class TestClass:
    seen = 0

    def setup_method(self):
        self.mine = []

    @pytest.mark.longctx(trials=2)
    def test_method(self, ask, draw):
        self.mine.append(1)
        self.seen += 1
        assert ask(f"say {draw.integer(10, 99)}").integer()
        assert (self.mine, self.seen) == ([1], 1)


def test_other(once, tmp_path):
    assert not list(tmp_path.iterdir())
"""
TRIALS = {
    "test_agent": 3,
    "test_files": 3,
    "test_fixture_that_asks": 2,
    "test_parametrized_fixture": 4,
    "test_async": 4,
    "test_method": 2,
}


def echo(body: Body) -> Answer:
    """Answer with the number that the last turn names."""
    turn = body["messages"][-1]["content"]
    found = re.search(r"say (\d+)", turn if isinstance(turn, str) else prompt_of(body))
    return 200, {}, message(found[1] if found else "none", body)


@pytest.fixture
def project(project: Checkout) -> Checkout:
    with project.file("conftest.py").open("a") as file:
        file.write(CONFTEST)
    project.file("test_it.py").write_text(TESTS)
    return project


def record(project: Checkout, tests: str, server: SimulatedServer | None = None) -> Result:
    project.file("test_it.py").write_text("import pytest\n\n" + tests)
    with SimulatedServer(echo) as made:
        return project.record(server or made)


def test_each_trial_has_fixtures_of_its_own(project: Checkout) -> None:
    with SimulatedServer(echo) as server:
        live = project.record(server)
        asked = len(server.asked)
    assert live.code == 0, live.out
    for run in ([], ["-n2"]):
        if run:
            assert project.pytest(*run).code == 0
        assert Counter(row["test"] for row in project.rows()) == TRIALS
        assert {row["outcome"] for row in project.rows()} == {"correct"}
    again = project.pytest("-n0", "--durations=0")
    assert again.says("0 requests"), again.out
    assert asked == project.episodes() == 3 * 2 + 3 * 2 + 2 * 2 + 4 + 4 + 2


@pytest.mark.parametrize("fault", ["assert False, 'no room'", "pytest.fail('no room')", "raise OSError('no room')"])
@pytest.mark.parametrize("place", ["set-up", "teardown"])
def test_an_error_of_a_fixture_is_that_of_its_test(project: Checkout, fault: str, place: str) -> None:
    lines = ["yield", fault] if place == "teardown" else [fault, "yield"]
    tests = f"""
@pytest.fixture
def broken(ask):
    {lines[0]}
    {lines[1]}

@pytest.mark.longctx(trials=2)
def test_it(ask, broken):
    assert ask("say 1").integer() == 1
"""
    result = record(project, tests)
    assert result.code == 1, result.out
    assert "no room" in result.out
    assert "1 failed" in result.out
    assert {row["outcome"] for row in project.rows()} == {"infra_error"}


def test_a_fixture_may_skip_its_trial(project: Checkout) -> None:
    tests = """
@pytest.fixture
def absent():
    pytest.skip("no database")

@pytest.mark.longctx(trials=2)
def test_it(ask, absent):
    assert ask("say 1").text
"""
    result = record(project, tests)
    assert (result.code, result.says("1 skipped")) == (0, True), result.out


def test_nothing_is_asked_while_fixtures_are_torn_down(project: Checkout) -> None:
    tests = """
@pytest.fixture
def late(ask):
    yield
    ask("say 2")

@pytest.mark.longctx(trials=1)
def test_it(ask, late):
    assert ask("say 1").text

def test_plain(late):
    pass
"""
    result = record(project, tests)
    assert result.code == 1
    assert result.out.count("before they yield. [not-in-a-trial]") > 1, result.out
    assert project.episodes() == 1


def test_functions_that_set_up_a_module_run_for_each_trial(project: Checkout) -> None:
    tests = """
SEEN = []

def setup_function():
    SEEN.clear()

@pytest.mark.longctx(trials=2)
def test_it(ask, draw):
    SEEN.append(1)
    assert ask(f"say {draw.integer(10, 99)}").text
    assert SEEN == [1]
"""
    assert record(project, tests).code == 0
    assert {row["outcome"] for row in project.rows()} == {"correct"}


def test_fixtures_of_a_module_are_set_up_once(project: Checkout) -> None:
    tests = """
@pytest.mark.longctx(trials=3)
def test_it(ask, draw, once):
    once.append(1)
    assert ask(f"say {draw.integer(10, 99)}").text

def test_last(once):
    assert once == [1, 1, 1]
"""
    assert record(project, tests).code == 0
    assert project.pytest("-n1").code == 0
