"""Which requests the endpoint answers, for which trial, and with what."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from longctx.config.models import ModelProfile
from longctx.connections import Guard, guarded
from longctx.endpoint import endpoint as module
from longctx.endpoint.endpoint import Endpoint, Product, endpoint
from longctx.endpoint.leftovers import running_children
from longctx.functions.ask import Ask
from longctx.functions.trial import TestMistake, mistake
from longctx.own_environment import variable
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import MODEL
from tests.functions.rounds import Rounds
from tests.recording.apis.examples import completion, generated, response

NO_KEYS: frozenset[str] = frozenset()
CHAT = ModelProfile(model="toy", api="openai-chat")
MESSAGES = "/v1/messages"
TURN = {"role": "user", "content": "a"}


@pytest.fixture
def served() -> Endpoint:
    return endpoint()


class Trials:
    """Runs code of a trial that is served, until it has all its answers."""

    def __init__(self, tape: Tape, model: ModelProfile = MODEL) -> None:
        self.rounds = Rounds(tape, model)
        self.product = Product()
        self.guard = Guard((), set(), lambda host: mistake("connection-refused", f"refuses {host}"))

    def run(self, code: Any, *answers: dict[str, Any]) -> Any:
        def run_served(ask: Ask) -> Any:
            with endpoint().serving(ask, self.guard, self.product) as running:
                try:
                    return running.running(code)
                finally:
                    running.end()

        return self.rounds.run(run_served, *answers)

    def refused(self) -> list[str]:
        return [str(error) for error in self.guard.refused]


@pytest.fixture
def trials(tape: Tape) -> Trials:
    return Trials(tape)


def raw(sent: bytes) -> bytes:
    """Send bytes to the endpoint, in which PATH and HOST stand for those of the trial, and return what it replies."""
    url = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
    assert url.hostname
    assert url.port
    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall(sent.replace(b"PATH", url.path.encode()).replace(b"HOST", url.netloc.encode()))
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def post(path: str, body: object, head: str = "Host: HOST", method: str = "POST", prefix: str = "PATH") -> bytes:
    content = json.dumps(body).encode()
    lines = f"{method} {prefix}{path} HTTP/1.1\r\n{head}\r\nContent-Length: {len(content)}\r\n\r\n"
    return raw(lines.encode() + content)


def message(text: str = "a", **more: Any) -> dict[str, Any]:
    return {"model": "product", "max_tokens": 9, "messages": [{**TURN, "content": text}], **more}


def status(reply: bytes) -> int:
    return int(reply.split(b" ", 2)[1])


def content(reply: bytes) -> Any:
    return json.loads(reply.partition(b"\r\n\r\n")[2])


def test_a_request_is_answered_once_its_answer_is_recorded(trials: Trials) -> None:
    reply = trials.run(lambda: post(MESSAGES, message()))
    assert status(reply) == 200
    assert content(reply)["content"][0]["text"] == "reply 0"
    assert (trials.rounds.asked, trials.rounds.rounds) == (1, 2)
    [exchange] = trials.rounds.trial.exchanges
    assert exchange.body == {**message(), "model": "toy"}


GEMINI = ModelProfile(model="toy", api="gemini")
RESPONSES = ModelProfile(model="toy", api="openai-responses")
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "a"}]}]}


@pytest.mark.parametrize(
    ("model", "path", "body", "answer"),
    [
        (CHAT, "/v1/chat/completions", {"model": "p", "messages": [TURN]}, completion("yes")),
        (RESPONSES, "/v1/responses", {"model": "p", "input": "a"}, response()),
        (GEMINI, "/v1beta/models/p:generateContent", CONTENTS, generated({"text": "yes"})),
    ],
)
def test_the_other_apis(tape: Tape, model: ModelProfile, path: str, body: Any, answer: dict[str, Any]) -> None:
    assert content(Trials(tape, model).run(lambda: post(path, body), answer)) == answer


def test_names_of_models_mean_those_of_the_table_or_the_model_under_test(trials: Trials) -> None:
    trials.product = Product(models={"router": "other"})
    trials.run(lambda: [post(MESSAGES, message()), post(MESSAGES, {**message(), "model": "router"})])
    assert [exchange.body["model"] for exchange in trials.rounds.trial.exchanges] == ["toy", "other"]


def test_a_stream_is_sent_as_events(trials: Trials) -> None:
    reply = trials.run(lambda: post(MESSAGES, message(stream=True)))
    assert b"content-type: text/event-stream" in reply
    assert b"event: message_stop" in reply


def test_headers_of_the_transport_are_not_part_of_the_request(trials: Trials) -> None:
    browser = "Host: HOST\r\nAccept-Language: *\r\nSec-Fetch-Mode: cors\r\nUser-Agent: node\r\nX-Api-Key: secret"
    trials.run(lambda: [post(MESSAGES, message()), post(MESSAGES, message("b"), head=browser + "\r\nX-Own: 1")])
    assert [exchange.place.headers for exchange in trials.rounds.trial.exchanges] == ["", "x-own: 1"]
    assert endpoint().taken_headers() == ["x-own"]
    assert endpoint().taken_headers() == []


def test_what_is_sent_at_the_same_time_is_taken_together(trials: Trials) -> None:
    """Each is paid once, whatever the order, and each thread goes on by itself."""

    def one(number: int) -> str:
        text = ""
        for turn in range(2):
            reply = post(MESSAGES, message(f"{number} {turn} {text}"))
            if status(reply) != 200:
                raise ValueError(reply)
            text = content(reply)["content"][0]["text"]
        return text

    def code() -> list[str]:
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(one, range(4)))

    assert len(trials.run(code)) == 4
    assert trials.rounds.asked == len(trials.rounds.trial.exchanges) == 8


def test_a_fallback_of_a_suspended_trial_is_no_request(trials: Trials) -> None:
    """What the code sends after the error follows from it, even if it catches all there is."""

    def code() -> bytes:
        try:
            reply = post(MESSAGES, message("first"))
            if status(reply) == 200:
                return reply
        except BaseException:
            pass
        return post(MESSAGES, message("fallback"))

    assert content(trials.run(code))["content"][0]["text"] == "reply 0"
    assert trials.rounds.asked == 1
    assert [exchange.body["messages"][0]["content"] for exchange in trials.rounds.trial.exchanges] == ["first"]


def test_a_trial_that_waits_before_it_tries_again_is_left(trials: Trials) -> None:
    """By the signal: else it would wait for ever."""

    def code() -> bytes:
        while True:
            reply = post(MESSAGES, message())
            if status(reply) == 200:
                return reply
            threading.Event().wait()

    assert status(trials.run(code)) == 200
    assert trials.rounds.asked == 1


def test_an_endless_loop_of_a_suspended_trial_ends(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REQUESTS", 30)

    def code() -> None:
        while not trials.refused():
            try:
                post(MESSAGES, message())
            except BaseException:
                continue

    trials.rounds.trial_again()
    with endpoint().serving(trials.rounds.ask, trials.guard, Product()) as running:
        running.running(code)
        running.end()
    assert "more than 30 requests" in trials.refused()[0]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (lambda: post("/v1/models", {}, method="GET"), "request-not-recordable"),
        (lambda: post("/v1/embeddings", {}), "request-not-recordable"),
        (lambda: post("/v1/chat/completions", {"model": "p", "messages": [TURN]}), "other-api"),
        (lambda: post(MESSAGES, [1]), "request-without-json"),
        (lambda: raw(b"POST PATH/v1/messages HTTP/1.1\r\nHost: HOST\r\nContent-Length: x\r\n\r\n"), "not-readable"),
        (lambda: raw(b"POST PATH/v1/messages HTTP/1.1\r\nHost: HOST\r\nContent-Length: 40000000\r\n\r\n"), "32 MB"),
    ],
)
def test_a_mistake_is_the_trial_s_own_whatever_its_code_makes_of_it(trials: Trials, sent: Any, code: str) -> None:
    def caught() -> list[int]:
        try:
            return [status(sent())]
        finally:
            post(MESSAGES, message())

    with contextlib.suppress(Suspended):  # by the signal, if the code takes long
        trials.run(caught)
    assert code in trials.refused()[0]


def test_a_body_of_40_mb_ends_in_a_sentence(trials: Trials) -> None:
    def code() -> bytes:
        return raw(
            b"POST PATH/v1/messages HTTP/1.1\r\nHost: HOST\r\nContent-Length: 40000000\r\n\r\n" + b"x" * 40_000_000
        )

    reply = trials.run(code)
    assert status(reply) == 413
    assert "is larger than 32 MB" in content(reply)["error"]["message"]
    [refused] = trials.refused()
    assert "larger than 32 MB" in refused


def test_http_1_0_and_chunks(trials: Trials) -> None:
    body = json.dumps(message()).encode()
    old = b"POST PATH/v1/messages HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    chunked = b"POST PATH/v1/messages HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
    replies = trials.run(lambda: [raw(old), raw(chunked % (len(body), body))])
    assert [content(reply)["content"][0]["text"] for reply in replies] == ["reply 0", "reply 1"]


def test_a_client_that_waits_for_permission_gets_it(trials: Trials) -> None:
    reply = trials.run(lambda: post(MESSAGES, message(), head="Host: HOST\r\nExpect: 100-continue"))
    assert reply.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")


@pytest.mark.parametrize("sent", [b"", b"\x00\xff nonsense\r\n\r\n", b"POST PATH/v1/messages HTTP/1.1\r\nHost"])
def test_nonsense_leaves_the_trial_alone(trials: Trials, sent: bytes) -> None:
    def code() -> bytes:
        url = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
        with socket.create_connection((url.hostname, url.port)) as connection:
            connection.sendall(sent.replace(b"PATH", url.path.encode()))
        return post(MESSAGES, message())

    assert status(trials.run(code)) == 200
    assert not trials.refused()


def test_a_client_that_closes_in_the_middle_of_a_stream_leaves_the_trial_alone(trials: Trials) -> None:
    body = json.dumps(message("x" * 100_000, stream=True)).encode()
    sent = b"POST PATH/v1/messages HTTP/1.1\r\nHost: HOST\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    def code() -> bytes:
        url = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
        with socket.create_connection((url.hostname, url.port)) as connection:
            connection.sendall(sent.replace(b"PATH", url.path.encode()).replace(b"HOST", url.netloc.encode()))
            connection.recv(20)
        return post(MESSAGES, message())

    assert status(trials.run(code)) == 200
    assert not trials.refused()
    assert trials.rounds.asked == 2


@pytest.mark.parametrize(
    "head", ["Host: evil.example", "Host: 127.0.0.1", "Host: 127.0.0.1:1", "Host: HOST\r\nHost: evil", "X: no host"]
)
def test_another_host_is_refused(trials: Trials, head: str) -> None:
    """A page in a browser reaches this machine by a name of its own: docs/security.md, endpoint-host."""
    assert status(trials.run(lambda: post(MESSAGES, message(), head=head))) == 403


@pytest.mark.parametrize("prefix", ["", "/wrong/any", "/wrong/1", "//", "/é/any"])
def test_without_the_secret_a_request_is_refused(trials: Trials, prefix: str) -> None:
    """docs/security.md, endpoint-secret."""
    reply = trials.run(lambda: post(MESSAGES, message(), prefix=prefix))
    assert status(reply) in (400, 403)
    assert not trials.rounds.trial.bodies


def test_clients_that_are_made_before_belong_to_the_trial_that_runs(trials: Trials, served: Endpoint) -> None:
    made_before = served.variables(NO_KEYS)["ANTHROPIC_BASE_URL"]
    assert made_before
    prefix = urlsplit(made_before).path
    assert status(trials.run(lambda: post(MESSAGES, message(), prefix=prefix))) == 200


def test_a_client_of_an_ended_trial_belongs_to_the_one_that_runs(trials: Trials) -> None:
    earlier = trials.run(lambda: urlsplit(os.environ["ANTHROPIC_BASE_URL"]).path)
    assert status(trials.run(lambda: post(MESSAGES, message(), prefix=earlier))) == 200


def test_an_idle_pool_is_nothing_that_a_trial_has_left_running(trials: Trials) -> None:
    with ThreadPoolExecutor(1) as pool:

        def code() -> str:
            pool.submit(int).result()
            return urlsplit(os.environ["ANTHROPIC_BASE_URL"]).path

        before = trials.run(code)
        reply = trials.run(lambda: pool.submit(post, MESSAGES, message(), prefix=before).result())
        assert status(reply) == 200


def test_what_an_ended_trial_has_left_running_is_refused(trials: Trials) -> None:
    goes_on = threading.Event()

    def code() -> str:
        threading.Thread(target=lambda: goes_on.wait()).start()
        return urlsplit(os.environ["ANTHROPIC_BASE_URL"]).path

    left = trials.run(code)
    try:
        assert status(trials.run(lambda: post(MESSAGES, message(), prefix=left))) == 403
    finally:
        goes_on.set()


def test_a_process_that_has_ended_is_nothing_that_a_trial_has_left_running(trials: Trials) -> None:
    def code() -> str:
        subprocess.run([sys.executable, "-c", ""], check=True)
        return urlsplit(os.environ["ANTHROPIC_BASE_URL"]).path

    before = trials.run(code)
    assert status(trials.run(lambda: post(MESSAGES, message(), prefix=before))) == (
        200 if running_children() is not None else 403
    )


def test_a_process_that_goes_on_is_refused(trials: Trials) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def code() -> str:
        started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return urlsplit(os.environ["ANTHROPIC_BASE_URL"]).path

    left = trials.run(code)
    try:
        assert status(trials.run(lambda: post(MESSAGES, message(), prefix=left))) == 403
    finally:
        for process in started:
            process.communicate(b"\n")


def test_between_trials_everything_is_refused(trials: Trials, served: Endpoint, monkeypatch: Any) -> None:
    trials.run(lambda: None)
    address = served.variables(NO_KEYS)["ANTHROPIC_BASE_URL"]
    assert address
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    reply = post(MESSAGES, message())
    assert status(reply) == 403
    told = content(reply)["error"]["message"]
    assert "belongs to no trial that runs, so nothing is sent" in told
    assert "make its client in the test that sends it" in told


def proxied(line: str, *headers: str) -> int:
    return status(raw("\r\n".join([line, *headers, "", ""]).encode()))


def test_other_hosts_are_refused_by_name_through_the_proxy(trials: Trials) -> None:
    def code() -> list[int]:
        proxy = urlsplit(os.environ["HTTPS_PROXY"])
        assert os.environ["https_proxy"] == os.environ["HTTPS_PROXY"]
        basic = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
        return [
            proxied("CONNECT api.example.com:443 HTTP/1.1", f"Proxy-Authorization: Basic {basic}"),
            proxied("GET http://other.example/a HTTP/1.1", f"Proxy-Authorization: Basic {basic}"),
            proxied("CONNECT api.example.com:443 HTTP/1.1"),
            proxied("CONNECT api.example.com:443 HTTP/1.1", "Proxy-Authorization: Basic b3RoZXI="),
        ]

    assert trials.run(code) == [403, 403, 407, 407]
    assert [each.split()[1] for each in trials.refused()] == ["api.example.com", "other.example"]


def test_a_library_s_own_thread_that_uses_the_proxy_is_counted(trials: Trials) -> None:
    """Telemetry, whose failure the library swallows."""

    def code() -> list[int]:
        proxy = urlsplit(os.environ["HTTPS_PROXY"])
        basic = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
        got: list[int] = []

        def report() -> None:
            got.append(proxied("CONNECT telemetry.example:443 HTTP/1.1", f"Proxy-Authorization: Basic {basic}"))

        for _ in range(2):
            thread = threading.Thread(target=report)
            thread.start()
            thread.join()
        return got

    with guarded(trials.guard):
        assert trials.run(code) == [403, 403]
    assert trials.guard.refused_in_threads == {"telemetry.example": 2}
    assert trials.refused() == []


def test_hosts_that_a_test_allows_need_no_proxy(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    trials.guard.allowed = ("db.example:5432", "*.example.org")
    trials.run(lambda: None)
    found = trials.run(lambda: os.environ["NO_PROXY"])
    assert found == "127.0.0.1,localhost,::1,db.example,.example.org"
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.own.example:3128")
    assert trials.run(lambda: os.environ["HTTPS_PROXY"]) == "http://proxy.own.example:3128"


def test_keys_are_hidden_and_restored(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, endpoint-keys."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "real-token")

    def code() -> str:
        assert (variable("OPENAI_API_KEY"), variable("ANTHROPIC_AUTH_TOKEN")) == ("sk-real-key", "real-token")
        assert "ANTHROPIC_AUTH_TOKEN" not in os.environ
        return os.environ["OPENAI_API_KEY"]

    assert trials.run(code) == "not-needed"
    assert (os.environ["OPENAI_API_KEY"], os.environ["ANTHROPIC_AUTH_TOKEN"]) == ("sk-real-key", "real-token")


def test_the_address_for_code_with_its_own_configuration(trials: Trials) -> None:
    def code() -> list[str]:
        ask = trials.rounds.ask
        assert ask.endpoint() == os.environ["ANTHROPIC_BASE_URL"]
        return [ask.endpoint("openai").removeprefix(ask.endpoint("google")), os.environ["OPENAI_BASE_URL"]]

    root, openai = trials.run(code)
    assert (root, openai[-3:]) == ("/v1", "/v1")
    with pytest.raises(TestMistake, match="unknown-sdk"):
        trials.run(lambda: trials.rounds.ask.endpoint("azure"))
    trials.rounds.trial_again()
    with pytest.raises(TestMistake, match="no-endpoint"):
        trials.rounds.ask.endpoint()
