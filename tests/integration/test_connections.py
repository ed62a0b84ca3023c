"""A product's own client in a marked test: what it sends is neither recorded nor replayed, so it sends nothing."""

from __future__ import annotations

import pytest

from tests.integration.conftest import TOY, Checkout, profiled
from tests.integration.functions import echo
from tests.servers import SimulatedServer, prompt_of

OWN = """
import asyncio
import socket
import urllib.request

import anthropic
import pytest

URL = "{url}"
BODY = {{"model": "toy", "max_tokens": 9, "messages": [{{"role": "user", "content": "And who are you?"}}]}}


def own():
    return anthropic.Anthropic(api_key="k", base_url=URL).messages.create(**BODY)


async def own_async():
    return await anthropic.AsyncAnthropic(api_key="k", base_url=URL).messages.create(**BODY)


@pytest.fixture
def from_fixture():
    own()


@pytest.mark.longctx(trials=2{marker})
def test_it(ask, draw{fixture}):
    answer = ask(f"The code is {{draw.integer(1000, 9999)}}")
    {code}
    assert answer.integer()


def test_unmarked():
    urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open(URL + "/v1/models/toy")
"""
CAUGHT = """try:
        own()
    except BaseException:
        pass"""


project = profiled(TOY)


def write(project: Checkout, url: str, code: str = "", marker: str = "", fixture: str = "") -> None:
    text = OWN.format(url=url, code=code, marker=marker, fixture=fixture)
    project.file("tests_longctx/test_own.py").write_text(text)


def sent(server: SimulatedServer) -> int:
    return sum("who are you" in prompt_of(received.body) for received in server.received if received.body)


@pytest.mark.parametrize(
    ("code", "fixture", "mode"),
    [
        ("own()", "", "none"),
        ("asyncio.run(own_async())", "", "none"),
        (CAUGHT, "", "none"),
        ("", ", from_fixture", "none"),
        (CAUGHT, "", "new_episodes"),
    ],
    ids=["sync", "async", "caught", "fixture", "recording"],
)
def test_its_own_client_is_refused(project: Checkout, code: str, fixture: str, mode: str) -> None:
    with SimulatedServer(echo) as server:
        server.telling = lambda body: (200, {}, b"{}")
        write(project, server.url)
        assert project.record(server, "tests_longctx/test_own.py").code == 0
        write(project, server.url, code, fixture=fixture)
        result = project.record(server, "tests_longctx/test_own.py", mode=mode)
        assert result.code == 1
        cures = "Pass it the client ask.client()", "or add longctx_endpoint = true to the settings of pytest"
        assert result.says(*cures, f"allowed_hosts=['127.0.0.1:{server.url.rpartition(':')[2]}']")
        assert "1 passed" in result.out  # the test without a marker
        assert sent(server) == 0


def test_another_machine_is_refused_by_name(project: Checkout) -> None:
    with SimulatedServer(echo) as server:
        write(project, server.url)
        assert project.record(server, "tests_longctx/test_own.py", "-ktest_it").code == 0
    write(project, "https://api.example.invalid", "own()")
    result = project.pytest("tests_longctx/test_own.py", "-ktest_it")
    assert result.code == 1
    assert result.says("opens a connection to api.example.invalid", "[connection-refused]")


def test_other_ports_of_this_machine_are_open(project: Checkout) -> None:
    with SimulatedServer(echo) as server, SimulatedServer(echo) as database:
        write(project, database.url, "urllib.request.urlopen(URL + '/v1/models/toy')")
        database.telling = lambda body: (200, {}, b"{}")
        result = project.record(server, "tests_longctx/test_own.py", env={"NO_PROXY": "*"})
        assert result.code == 0, result.out
        result = project.pytest("tests_longctx/test_own.py", env={"NO_PROXY": "*"})
        assert result.code == 0, result.out
        local = {"NO_PROXY": "*", "ANTHROPIC_BASE_URL": database.url}
        assert project.pytest("tests_longctx/test_own.py", env=local).code == 1


def test_the_server_of_any_model_profile_is_closed(project: Checkout) -> None:
    """That of another model than the one under test, too: a replay sends nothing."""
    with SimulatedServer(echo) as server, SimulatedServer(echo) as of_other:
        write(project, of_other.url)
        assert project.record(server, "tests_longctx/test_own.py", "-ktest_it").code == 0
        write(project, of_other.url, "own()")
        profile = f'api = "openai-chat"\nbase_url = "{of_other.url}/v1"\n'
        project.file("fixtures/models/of_other.toml").write_text(profile)
        result = project.pytest("tests_longctx/test_own.py", "-ktest_it")
        assert (result.code, sent(of_other)) == (1, 0)
        assert result.says("opens a connection to 127.0.0.1:", "[connection-refused]")


@pytest.mark.parametrize("by", ["marker", "ini"])
def test_hosts_that_a_test_allows(project: Checkout, by: str) -> None:
    with SimulatedServer(echo) as server:
        marker = ", allowed_hosts=['localhost', '127.0.0.1']" if by == "marker" else ""
        write(project, server.url, "own()", marker)
        given = ("-olongctx_allowed_hosts=127.0.0.1",) if by == "ini" else ()
        assert project.record(server, "tests_longctx/test_own.py", "-ktest_it", *given).code == 0
        assert sent(server) > 0
        local = {"ANTHROPIC_BASE_URL": server.url}
        assert project.pytest("tests_longctx/test_own.py", "-ktest_it", *given, env=local).code == 0
