"""The server of a review: for who holds its token, on this machine, until it is ended."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from threading import Thread

import pytest

from longctx.corpus.questions import load_questions
from longctx.review.http import LARGEST, PROOF, ReviewServer
from tests.refusals import refused
from tests.review.examples import BEN, service, serving


def ask(
    server: ReviewServer, path: str, body: object = None, token: str | None = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    """Send a request, and return the status, the body and the headers of the answer.

    path: below the token, unless it begins with a slash. body: makes the request a POST. token: in the header of a
    POST, the server's by default.
    """
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    where = path if path.startswith("/") else f"/{server.token}/{path}"
    proof = {} if body is None else {PROOF: server.token if token is None else token}
    sent = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", where, sent, proof | headers)
    reply = connection.getresponse()
    answer = reply.status, reply.read().decode(), {name.lower(): value for name, value in reply.getheaders()}
    connection.close()
    return answer


def test_it_is_bound_to_this_machine(server: ReviewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) > 40


def test_the_page_and_what_it_loads(server: ReviewServer) -> None:
    for name in ("", "page.js", "style.css"):
        status, body, headers = ask(server, name)
        assert (status, bool(body)) == (200, True)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
    assert "<script>" not in ask(server, "")[1]
    assert "onclick" not in ask(server, "")[1]


def test_without_the_token_nothing_is_served(server: ReviewServer) -> None:
    for path in ("/", "/questions", "/x/questions", f"/{server.token[:-1]}/", "//", "/ü", f"/{server.token}x/"):
        status, body, _ = ask(server, http_path(path))
        assert status == 403, path
        assert "its token is missing" in body


def http_path(path: str) -> str:
    return path.encode().decode("latin-1").replace("Ã¼", "%C3%BC")


@pytest.mark.parametrize("token", ["", "x", "ü"])
def test_a_decision_needs_the_token_in_its_header(server: ReviewServer, path: Path, token: str) -> None:
    before = path.read_bytes()
    status, _, _ = ask(server, "decide", {"id": "q1", "decision": "drop"}, token=token)
    assert status == 403
    assert path.read_bytes() == before


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", ""])
def test_a_request_that_names_another_host_is_refused(server: ReviewServer, host: str) -> None:
    status, body, _ = ask(server, "questions", Host=host)
    assert status == 403
    assert "alone" in body


def test_localhost_is_this_machine_too(server: ReviewServer) -> None:
    assert ask(server, "questions", Host=f"localhost:{server.server_port}")[0] == 200


def test_what_the_page_is_told(server: ReviewServer) -> None:
    listed = json.loads(ask(server, "questions")[1])
    assert [(question["id"], question["state"]) for question in listed["questions"]] == [
        ("q1", "undecided"),
        ("q2", "undecided"),
        ("q3", "undecided"),
    ]
    assert listed["questions"][1]["findings"] == ["wrong answer: 'The northern quay' is in harbor too"]
    question = json.loads(ask(server, "question?id=q2")[1])
    assert [answer["place"] for answer in question["answers"]] == [
        "in the section",
        "in the section",
        "not in the section",
        "not in the section",
    ]
    assert {"text": "Ellery Dredging", "answer": "right"} in question["parts"]


def test_a_decision_is_on_disk_when_it_is_answered(server: ReviewServer, path: Path) -> None:
    status, body, _ = ask(server, "decide", {"id": "q1", "decision": "keep"})
    assert (status, json.loads(body)["by"]) == (200, "Ann")
    reviewed = load_questions(path).questions[0].reviewed
    assert reviewed is not None
    assert (reviewed.decision, reviewed.by) == ("kept", "Ann")


def test_an_edit_is_checked_again(server: ReviewServer) -> None:
    words = {"question": "Who dredges at Tavmouth?", "right": "Ellery Dredging", "wrong": ["a b", "c d", "e f"]}
    decided = json.loads(ask(server, "decide", {"id": "q2", "decision": "edit", **words})[1])
    assert decided["state"] == "edited"
    assert not any("is in harbor too" in finding for finding in decided["findings"])


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"id": "q9", "decision": "keep"}, 409, "[question-gone]"),
        ({"id": "q1", "decision": "sell"}, 409, "[unknown-decision]"),
        ({"id": "q1"}, 409, "[unknown-decision]"),
        ({"id": "q1", "decision": "edit"}, 409, "[bad-question]"),
        ([], 400, "This is no decision"),
    ],
)
def test_an_invalid_decision_is_refused(server: ReviewServer, body: object, status: int, sentence: str) -> None:
    answer = ask(server, "decide", body)
    assert answer[0] == status
    assert sentence in json.loads(answer[1])["error"]


def test_what_is_not_there_is_not_there(server: ReviewServer) -> None:
    assert ask(server, "other")[0] == ask(server, "a/b/c")[0] == ask(server, "other", {})[0] == 404
    assert ask(server, "../page.py")[0] == 404


def test_too_much_is_refused(server: ReviewServer) -> None:
    for length in (str(LARGEST + 1), "-1", "x"):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        connection.putrequest("POST", f"/{server.token}/decide")
        connection.putheader("Content-Length", length)
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_two_reviewers_do_not_write_over_each_other(server: ReviewServer, path: Path) -> None:
    with serving(service(path, BEN)) as other:
        assert ask(other, "decide", {"id": "q1", "decision": "drop"})[0] == 200
        status, body, _ = ask(server, "decide", {"id": "q1", "decision": "keep"})
        assert status == 409
        assert "[questions-changed-meanwhile]" in json.loads(body)["error"]
        assert json.loads(ask(server, "questions")[1])["questions"][0]["by"] == "Ben"
        assert ask(server, "decide", {"id": "q1", "decision": "keep"})[0] == 200
        assert load_questions(path).questions[0].id == "q1"


def test_the_page_ends_it(path: Path) -> None:
    with ReviewServer(service(path)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        assert ask(server, "end", {})[0] == 200
        thread.join(30)
        assert not thread.is_alive()


@pytest.mark.parametrize("port", [None, 70_000, -1])
def test_a_port_that_cannot_be_used_is_a_sentence(server: ReviewServer, path: Path, port: int | None) -> None:
    taken = server.server_port if port is None else port
    with refused("port-not-usable", taken):
        ReviewServer(service(path), taken)
