"""A server that accepts and never answers: what is waited for is said at once, also where the output is a file."""

from __future__ import annotations

import itertools
import os
import socket

import pytest

from tests.integration.conftest import LINES, PASSKEY, RECORD_ONLY, TOY, Checkout
from tests.integration.terminal import on_terminal
from tests.servers import Answer, Body, SimulatedServer, failing, right

AT_ONCE = 'import longctx.live.watch\n\npytest_plugins = ["longctx.plugin"]\nlongctx.live.watch.DELAY_S = 0\n'

ONE_ATTEMPT = """
import pathlib

from longctx.live.server.network import Network

pytest_plugins = ["longctx.plugin"]
sent = Network.handle_async_request
attempts = 0


async def counted(self, request):
    global attempts
    attempts += 1
    pathlib.Path(__file__).with_name("attempts").write_text(str(attempts))
    return await sent(self, request)


Network.handle_async_request = counted
"""
"""A conftest.py that counts the requests that a run tries to send."""


@pytest.fixture(autouse=True)
def _without_delay(checkout: Checkout) -> None:
    conftest = checkout.file("conftest.py")
    conftest.unlink()  # a link, to what other tests have too
    conftest.write_text(AT_ONCE)


def until(checkout: Checkout, server: SimulatedServer, sentence: str) -> str:
    """Return the output of a run whose server answers nothing until the run has printed the sentence."""
    pipe = checkout.folder / "pipe"
    os.mkfifo(pipe)
    checkout.start(f"--ctx-base-url={server.url}", "--ctx-record=once", terminal=str(pipe))
    written = ""
    with pipe.open(encoding="utf-8") as lines:
        for line in lines:
            written += line
            if sentence in line:
                server.release.set()
    code = checkout.launcher.wait()
    assert sentence in written
    assert code == 0
    return written


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        ("/v1/models", "to describe toy (up to 30 s) …"),
        ("/v1/messages/count_tokens", "to count tokens for passkey …"),
    ],
)
def test_what_is_asked_first(checkout: Checkout, server: SimulatedServer, held: str, sentence: str) -> None:
    checkout.profile(LINES, PASSKEY)
    server.held = (held,)
    until(checkout, server, f"Waiting for {server.url} {sentence}")
    assert checkout.episodes() == 8


def test_the_first_answer(checkout: Checkout, server: SimulatedServer) -> None:
    server.hold_after = 0
    until(checkout, server, f"for the first answer of {server.url}: 4 in flight, for up to 600 s each …")
    assert checkout.episodes() == 4


def test_on_a_terminal_it_is_part_of_the_progress(checkout: Checkout, server: SimulatedServer) -> None:
    server.hold_after = 0

    def heard(written: str) -> None:
        if "waiting for the first answer" in written:
            server.release.set()

    arguments = (f"--ctx-base-url={server.url}", "--ctx-record=once")
    shown = on_terminal(checkout, *arguments, env=RECORD_ONLY, heard=heard)
    assert shown.code == 0
    assert f"4 in flight, waiting for the first answer of {server.url}" in shown.text
    assert not any("first answer" in line for line in shown.screen)


def test_an_estimate_waits_for_prompts_to_be_built(checkout: Checkout) -> None:
    assert checkout.pytest("--ctx-estimate", "--ctx-trials=200").says("Waiting for the prompts to be built, to find")


@pytest.mark.parametrize(
    ("profile", "tests"),
    [
        (LINES, ("tests_longctx/test_line_retrieval.py",)),
        (PASSKEY, ("tests_longctx/test_passkey.py",)),
        (TOY, ("tests_longctx/test_functions.py", "--ctx-concurrency=1")),
    ],
    ids=["told the window", "counted", "functions"],
)
@pytest.mark.parametrize("batch", [(), ("--ctx-batch",)], ids=["directly", "in batches"])
def test_a_server_that_is_not_there_ends_the_run_at_the_first_attempt(
    checkout: Checkout, profile: str, tests: tuple[str, ...], batch: tuple[str, ...]
) -> None:
    checkout.profile(profile)
    checkout.functions(
        "import pytest\n\n\n@pytest.mark.longctx(trials=9)\ndef test_one(ask):\n    assert ask('Say one.').text\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        checkout.file("conftest.py").write_text(ONE_ATTEMPT)
        result = checkout.pytest(f"--ctx-base-url={url}", "--ctx-record=once", *tests, *batch)
    assert result.code == 4, result
    assert result.says(f"No connection to {url}", "is the server running?")
    assert checkout.file("attempts").read_text() == "1"


def test_a_server_that_went_away_is_waited_for_as_long_as_the_project_states(
    checkout: Checkout, server: SimulatedServer
) -> None:
    number = itertools.count()

    def restarting(body: Body) -> Answer:
        return (right if next(number) < 2 else failing(503, "restarting"))(body)

    server.script = restarting
    checkout.settings(patience=0)
    stopped = checkout.record(server, "-n2", "--ctx-concurrency=2")
    assert (stopped.code, checkout.episodes()) == (1, 2)
    assert stopped.says(f"{server.url} was away for 0 minutes, so the run stopped", "answered 503: restarting")
    assert 4 < len(server.asked) <= 7
    server.script = right
    assert checkout.record(server, "-n2").code == 0
    assert checkout.episodes() == 4
