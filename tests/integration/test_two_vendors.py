"""Models of two vendors, each at its own server and API: recorded in one run, replayed, upgraded and gated."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.conftest import Checkout, Result
from tests.integration.functions import code
from tests.servers import SimulatedServer

TEST = """
import pytest


@pytest.mark.longctx(trials=20)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The code is {code}. What is the code?", max_tokens=50).integer() == code
"""
PRICES = "[prices]\ninput = {}\noutput = 5\ndated = 2026-11-25\n"


@pytest.fixture
def servers() -> Iterator[tuple[SimulatedServer, SimulatedServer]]:
    with SimulatedServer(code) as ours, SimulatedServer(code) as theirs:
        yield ours, theirs


@pytest.fixture
def project(checkout: Checkout, servers: tuple[SimulatedServer, SimulatedServer]) -> Checkout:
    checkout.profile('models = ["ours", "theirs"]\n')
    checkout.functions(TEST)
    checkout.file("fixtures/models/ours.toml").write_text(PRICES.format(1))
    profile = f'api = "openai-chat"\nbase_url = "{servers[1].url}/v1"\nkey = "THEIR_API_KEY"\n'
    checkout.file("fixtures/models/theirs.toml").write_text(profile + PRICES.format(2))
    return checkout


def record(project: Checkout, servers: tuple[SimulatedServer, SimulatedServer], *arguments: str) -> Result:
    keys = {"ANTHROPIC_API_KEY": "of-ours", "THEIR_API_KEY": "of-theirs", "LONGCTX_TRUSTED_HOSTS": "127.0.0.1"}
    env = {**keys, "ANTHROPIC_BASE_URL": servers[0].url}
    return project.pytest("tests_longctx/test_functions.py", "--ctx-record=once", *arguments, env=env)


def test_both_are_asked_in_one_run(project: Checkout, servers: tuple[SimulatedServer, SimulatedServer]) -> None:
    result = record(project, servers)
    assert result.code == 0, result
    paths = [{request.path for request in server.received} for server in servers]
    assert paths == [{"/v1/messages"}, {"/v1/chat/completions"}]
    keys = [{request.headers["authorization"] for request in server.received} for server in servers]
    assert keys == [{"Bearer of-ours"}, {"Bearer of-theirs"}]
    assert [len(server.received) for server in servers] == [20, 20]
    replayed = project.pytest("tests_longctx/test_functions.py", "-n1")
    assert replayed.says("40 trials: 40 replayed"), replayed


def test_one_replaces_the_other(project: Checkout, servers: tuple[SimulatedServer, SimulatedServer]) -> None:
    assert record(project, servers).code == 0
    upgrade = project.longctx(
        "upgrade", "ours", "theirs", "--tests", "tests_longctx/test_functions.py", "--profile=tiny.toml", "--margin=0.2"
    )
    assert upgrade.code == 0, upgrade
    assert upgrade.says("theirs", "1.00"), upgrade
    runs = []
    for model in ("ours", "theirs"):
        runs.append(f"reports/{model}")
        options = (f"--ctx-model={model}", f"--ctx-report={runs[-1]}")
        assert project.pytest("tests_longctx/test_functions.py", *options).code == 0
    gate = project.longctx("gate", *runs, "--margin=0.2")
    assert gate.code == 0, gate
    assert gate.says("Gate: pass", "model: ours → theirs"), gate


def test_one_model_behind_two_apis_gives_the_same_recorded_answers(checkout: Checkout) -> None:
    """The recordings of docs/models.md: the same text is sent and judged, whatever the API."""
    names = "qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-chat"
    for name in names:
        checkout.take(f"cassettes/{name}/line_retrieval", f"fixtures/models/{name}.toml")
    checkout.take("fixtures/profiles/vendors.toml")
    result = checkout.longctx("upgrade", *names, "--profile", "vendors", "--out", "compared")
    assert result.code == 0, result
    assert result.says(f"May {names[1]} replace {names[0]}? PASS in 2 of 2 bands", "0 of 240 answers lost, 0 gained")
