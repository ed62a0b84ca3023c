"""Products that take no client: what they send is recorded and replayed by the local endpoint, whatever sends it."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.integration.conftest import TOY, Checkout, Result, profiled
from tests.integration.functions import code
from tests.servers import SimulatedServer, prompt_of

SETTINGS = "[pytest]\ntestpaths = tests_longctx\npythonpath = .\nlongctx_endpoint = true\n"
PRODUCT = """
import os

import anthropic

CLIENT = anthropic.Anthropic()
KEYS = {name: os.environ.get(name) for name in ("ANTHROPIC_API_KEY", "THEIR_API_KEY")}


def turn(text):
    return {"model": "product", "max_tokens": 50, "messages": [{"role": "user", "content": text}]}


def said(reply):
    return reply.content[0].text
"""
CLAUDE = """
import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import anthropic
import product
import pytest
from product import said, turn


@pytest.fixture
def number(draw):
    return str(draw.integer(10_000, 99_999))


@pytest.fixture(scope="module")
def of_module():
    return anthropic.Anthropic()


@pytest.mark.longctx(trials=2)
def test_made_at_import(ask, number):
    assert said(product.CLIENT.messages.create(**turn(f"The code is {number}"))) == number
    assert product.KEYS == dict.fromkeys(product.KEYS, "not-needed")


@pytest.mark.longctx(trials=2)
def test_made_in_a_wider_fixture(ask, number, of_module):
    with of_module.messages.stream(**turn(f"The code is {number}")) as stream:
        assert stream.get_final_text() == number


@pytest.mark.longctx(trials=2)
def test_one_after_another_in_threads(ask, number):
    client = anthropic.Anthropic()

    def chain(index):
        first = said(client.messages.create(**turn(f"{index}: the code is {number}")))
        return said(client.messages.create(**turn(f"{index} again: the code is {first}")))

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(chain, range(3))) == [number] * 3


@pytest.mark.longctx(trials=2)
def test_at_the_same_time(ask, number):
    async def all_of_them():
        client = anthropic.AsyncAnthropic()
        calls = (client.messages.create(**turn(f"{index}: the code is {number}")) for index in range(4))
        return [said(reply) for reply in await asyncio.gather(*calls)]

    assert asyncio.run(all_of_them()) == [number] * 4


@pytest.mark.longctx(trials=2)
def test_catches_whatever_happens(ask, number):
    client = anthropic.Anthropic(max_retries=5)
    try:
        reply = client.messages.create(**turn(f"The code is {number}"))
    except BaseException:
        reply = client.messages.create(**turn(f"A fallback: the code is {number}"))
    assert said(reply) == number


def test_unmarked():
    assert "127.0.0.1" not in os.environ.get("ANTHROPIC_BASE_URL", "")
    assert os.environ["THEIR_API_KEY"] == "sk-real-1"
    with pytest.raises(anthropic.PermissionDeniedError, match="no trial"):
        product.CLIENT.messages.create(**turn("Between trials"))
"""
SENT = 2 * (1 + 1 + 6 + 4 + 1)
"""The requests of all trials of these tests."""
KEYS = {"ANTHROPIC_API_KEY": "sk-ant-real-0", "THEIR_API_KEY": "sk-real-1"}
THEIRS = 'api = "openai-chat"\nbase_url = "{url}/v1"\nkey = "THEIR_API_KEY"\n'

project = profiled(TOY)


def write(project: Checkout, test: str) -> None:
    project.file("pytest.ini").write_text(SETTINGS)
    project.file("product.py").write_text(PRODUCT)
    project.functions(test)


def run(project: Checkout, *arguments: str) -> Result:
    return project.pytest("tests_longctx/test_functions.py", *arguments, env=KEYS)


def record(project: Checkout, server: SimulatedServer, *arguments: str) -> Result:
    return run(project, f"--ctx-base-url={server.url}", "--ctx-record=once", *arguments)


def text_of(project: Checkout) -> str:
    """Return all that is recorded and reported, and printed at last."""
    folders = (project.file(name) for name in ("cassettes", "reports"))
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return "".join(path.read_text(errors="replace") for path in [*paths, project.file("stdout")])


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_product_is_recorded_and_replayed_unchanged(project: Checkout, workers: str) -> None:
    write(project, CLAUDE)
    project.file("fixtures/models/theirs.toml").write_text(THEIRS.format(url="http://127.0.0.1:9"))
    with SimulatedServer(code) as server:
        recorded = record(project, server, workers)
        assert recorded.code == 0, recorded
        asked = [prompt_of(body) for body in server.asked]
        assert len(asked) == len({*asked}) == SENT
        assert not [prompt for prompt in asked if "fallback" in prompt]
        keys = {request.headers["authorization"] for request in server.received}
        assert keys == {"Bearer sk-ant-real-0"}
    replayed = run(project, workers)
    assert replayed.code == 0, replayed
    assert replayed.says("10 trials: 10 replayed")
    for secret in ("sk-real-1", "sk-ant-real-0", "http://127.0.0.1:"):
        assert secret not in text_of(project).replace(server.url, "")


CURL = """
import json
import subprocess

import pytest

COMMAND = 'curl -s "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -d @-'


@pytest.mark.longctx(trials=2)
@pytest.mark.parametrize("size", [1, 60_000])
def test_curl(ask, draw, size):
    number = str(draw.integer(10_000, 99_999))
    turn = {"role": "user", "content": f"The code is {number}. " + "x " * size}
    sent = json.dumps({"model": "product", "messages": [turn]})
    said = subprocess.run(["sh", "-c", COMMAND], input=sent, capture_output=True, text=True, check=True).stdout
    assert json.loads(said)["choices"][0]["message"]["content"] == number


@pytest.mark.longctx(trials=2)
def test_openai(ask, draw):
    openai = pytest.importorskip("openai")
    number = str(draw.integer(10_000, 99_999))
    turn = {"role": "user", "content": f"The code is {number}"}
    stream = openai.OpenAI().chat.completions.create(model="product", messages=[turn], stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices) == number
"""


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.skipif(sys.platform == "win32", reason="needs sh")
def test_openai_and_a_subprocess_with_curl(project: Checkout) -> None:
    write(project, CURL)
    with SimulatedServer(code) as server:
        project.file("fixtures/models/toy.toml").write_text('api = "openai-chat"\n')
        recorded = record(project, server, "-n0")
        assert recorded.code == 0, recorded
        assert len(server.received) == 6
    replayed = run(project, "-n2")
    assert replayed.code == 0, replayed
    assert replayed.says("6 trials: 6 replayed")


CLOCK = """
import itertools

import product
import pytest

TIMES = itertools.count()


@pytest.mark.longctx(trials=1)
def test_clock(ask):
    assert product.CLIENT.messages.create(**product.turn(f"It is {next(TIMES)} o'clock."))
"""


def test_a_clock_in_the_prompt_is_paid_once_and_named(project: Checkout) -> None:
    write(project, CLOCK)
    with SimulatedServer(code) as server:
        result = record(project, server, "-n0")
        assert result.code == 1, result
        assert result.says("sends a different request when it runs again")
        assert len(server.asked) == 1


def test_a_changed_prompt_is_stale_and_nothing_is_sent(project: Checkout) -> None:
    write(project, CLAUDE)
    only = "-kat_import", "-n0"
    with SimulatedServer(code) as server:
        assert record(project, server, *only).code == 0
        write(project, CLAUDE.replace('turn(f"The code is', 'turn(f"Now the code is'))
        result = run(project, *only)
        assert result.code == 1
        assert result.says("2 of 2 trials are stale")
        assert len(server.asked) == 2


ELSEWHERE = """
import product
import pytest


@pytest.mark.longctx(trials=1)
def test_models(ask):
    try:
        product.CLIENT.models.list()
    except Exception:
        pass
    assert product.CLIENT.messages.create(**product.turn("The code is 1"))
"""


def test_what_cannot_be_recorded_is_named(project: Checkout) -> None:
    write(project, ELSEWHERE)
    with SimulatedServer(code) as server:
        result = record(project, server, "-n0")
        assert result.code == 1
        assert result.says("sends GET /v1/models", "[request-not-recordable]")
        assert not server.asked


TWO = """
import anthropic
import pytest
from product import said, turn


@pytest.mark.longctx(trials=2)
def test_two_sdks(ask, draw):
    openai = pytest.importorskip("openai")
    number = str(draw.integer(10_000, 99_999))
    claude = anthropic.Anthropic(default_headers={"x-team": "a"})
    first = said(claude.messages.create(**turn(f"The code is {number}")))
    chat = openai.OpenAI().chat.completions.create(
        model="gpt-5-mini", messages=[{"role": "user", "content": f"Again, the code is {first}"}]
    )
    assert chat.choices[0].message.content == number
"""


def test_two_sdks_in_one_product_have_their_own_models(project: Checkout) -> None:
    """`--ctx-model` replaces the one under test, and leaves the other."""
    write(project, TWO)
    project.profile(TOY, 'product_models = { "gpt-5-mini" = "theirs", "product" = "toy" }\n')
    with SimulatedServer(code) as ours, SimulatedServer(code) as theirs:
        project.file("fixtures/models/theirs.toml").write_text(THEIRS.format(url=theirs.url))
        env = {**KEYS, "ANTHROPIC_BASE_URL": ours.url, "LONGCTX_TRUSTED_HOSTS": "127.0.0.1"}
        options = "tests_longctx/test_functions.py", "-n0", "--ctx-record=once"
        recorded = project.pytest(*options, env=env)
        assert recorded.code == 0, recorded
        assert recorded.says("sends the header x-team")
        assert "was asked for" not in recorded.out
        assert {str(row["answered_by"]) for row in project.rows()} == {"{'toy': 'toy', 'theirs': 'theirs'}"}
        assert [len(server.received) for server in (ours, theirs)] == [2, 2]
        assert {request.headers["authorization"] for request in theirs.received} == {"Bearer sk-real-1"}
        recorded = project.pytest(*options, "--ctx-model=other", env=env)
        assert recorded.code == 0, recorded
        assert {body["model"] for body in ours.asked} == {"toy", "other"}
        assert {request.body["model"] for request in theirs.received} == {"theirs"}


ANOTHER = """
import socket
import subprocess
import sys

import pytest

FETCH = "import urllib.request; urllib.request.urlopen('https://api.openai.com/v1/models')"


@pytest.mark.longctx(trials=1)
def test_here(ask):
    socket.create_connection(("api.openai.com", 443))


@pytest.mark.longctx(trials=1)
def test_in_a_subprocess(ask):
    subprocess.run([sys.executable, "-c", FETCH], capture_output=True)
"""


def test_a_model_s_own_server_is_refused_with_both_cures(project: Checkout) -> None:
    write(project, ANOTHER)
    result = run(project, "-n0")
    assert result.code == 1, result
    for test in "test_here", "test_in_a_subprocess":
        assert result.says(f"{test}[toy-protocol]: the code under test opens a connection to api.openai.com")
    assert result.says(
        "Pass it the client ask.client('openai'), or let it take its address from the SDK's variable or from "
        "ask.endpoint('openai')."
    )


LIBRARY = """
import socket
import threading

import product
import pytest


def report_usage():
    for _ in range(3):
        try:
            socket.create_connection(("telemetry.example.invalid", 443))
        except OSError:
            pass


@pytest.mark.longctx(trials=1)
def test_library(ask):
    thread = threading.Thread(target=report_usage)
    thread.start()
    thread.join()
    assert product.said(product.CLIENT.messages.create(**product.turn("The code is 12345"))) == "12345"
"""


def test_a_connection_of_a_library_s_own_thread_is_a_warning(project: Checkout) -> None:
    write(project, LIBRARY)
    with SimulatedServer(code) as server:
        result = record(project, server, "-n0")
    assert result.code == 0, result
    assert result.says("a thread of the code under test tried to connect to telemetry.example.invalid, 3 times")
    assert "1 passed, 1 warning" in result.out


ENDS = """
import os
import signal

import product
import pytest


def answered(draw):
    number = str(draw.integer(10_000, 99_999))
    assert product.said(product.CLIENT.messages.create(**product.turn(f"The code is {number}"))) == number


@pytest.mark.longctx(trials=3)
def test_ends(ask, draw):
    answered(draw)
    if ask.trial.item == "1":
        try:
            END
        except BaseException:
            pass


@pytest.mark.longctx(trials=2)
def test_other(ask, draw):
    answered(draw)
"""


@pytest.mark.parametrize(
    ("end", "workers"),
    [("os._exit(0)", "-n0"), ("os._exit(0)", "-n2"), ("os.kill(os.getpid(), signal.SIGTERM)", "-n0")],
)
def test_a_product_that_ends_its_process_is_named_and_nothing_is_lost(
    project: Checkout, end: str, workers: str
) -> None:
    write(project, ENDS.replace("END", end))
    with SimulatedServer(code) as server:
        result = record(project, server, workers)
        assert result.code == 1, result
        assert result.says("test_ends, trial 1: the code under test calls", "[process-ended]", "1 failed, 1 passed")
        assert len(server.asked) == project.episodes() == 5
    assert len([row for row in project.rows() if row["outcome"] == "correct"]) == 4
    again = run(project, workers)
    assert again.code == 1, again
    assert again.says("5 trials: 4 replayed, 1 not measured")


LATE = """
import os
import signal
import threading

import product
import pytest


def time_is_up(number, frame):
    pytest.fail("Timeout (>4s) from pytest-timeout.")


@pytest.mark.longctx(trials=2)
def test_late(ask, draw):
    number = str(draw.integer(10_000, 99_999))
    said = product.said(product.CLIENT.messages.create(**product.turn(f"The code is {number}")))
    if os.environ.get("HANGS"):
        signal.signal(signal.SIGALRM, time_is_up)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        threading.Event().wait()
    assert said == number
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGALRM")
def test_a_product_that_answers_too_late_is_not_measured_and_keeps_its_answers(project: Checkout) -> None:
    write(project, LATE)
    with SimulatedServer(code) as server:
        assert record(project, server, "-n0").code == 0
        late = project.pytest("tests_longctx/test_functions.py", "-n0", env={**KEYS, "HANGS": "1"})
        assert late.code == 1, late
        assert late.says("the time limit of pytest-timeout ended a trial, which is not measured", "[test-timed-out]")
        assert {row["outcome"] for row in project.rows()} == {"infra_error"}
        again = record(project, server, "-n0")
        assert again.code == 0, again
        assert again.says("2 trials: 2 replayed")
        assert len(server.asked) == 2


TOO_MANY = """
from concurrent.futures import ThreadPoolExecutor

import product
import pytest


def many(thread):
    for number in range(200):
        product.CLIENT.messages.create(**product.turn(f"{thread}: {number}"))


@pytest.mark.longctx(trials=1)
def test_too_many(ask):
    with ThreadPoolExecutor(60) as pool:
        list(pool.map(many, range(60)))
"""


def test_ten_thousand_requests_end_at_a_bound(project: Checkout) -> None:
    """A trial may send 50."""
    write(project, TOO_MANY)
    with SimulatedServer(code) as server:
        result = record(project, server, "-n0")
        assert result.code == 1, result
        assert result.says("sends more than 50 requests", "[too-many-requests]")
        assert len(server.asked) <= 50
