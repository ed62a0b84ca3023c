"""How a trial of a test function ends, and what each record mode does when the function has changed."""

from __future__ import annotations

import json

import pytest

from tests.given import json_lines, served
from tests.integration.conftest import RECORD_ONLY, Checkout, Result
from tests.servers import Answer, Body, SimulatedServer, failing, message, prompt_of

PROFILE = 'about = "Outcomes."\nmodels = ["toy"]\njudge = "referee"\n'
OUTCOMES = """
import sys

import pytest


@pytest.mark.longctx(cases="outcomes.jsonl")
def test_outcome(ask, check, judge, case):
    answer = ask(f"{case.id}: say {case.say}")
    match case.then:
        case "assert":
            assert answer.integer() == 7
        case "fail":
            pytest.fail("the answer is too long")
        case "skip":
            pytest.skip("left out")
        case "raise":
            raise ZeroDivisionError("a fault of the test")
        case "exit":
            sys.exit(3)
        case "judge":
            assert judge(f"{case.id}: judge {case.verdict}").choice("YN") == "Y"
        case "check":
            check("short", len(answer.text) < 3)
            check("seven", answer.integer() == 7)
"""
CASES = {
    "right": {"say": "7", "then": "assert"},
    "wrong": {"say": "5", "then": "assert"},
    "failed": {"say": "7", "then": "fail"},
    "unreadable": {"say": "nothing", "then": "assert"},
    "refused": {"say": "REFUSE", "then": "assert"},
    "cut": {"say": "CUT 5", "then": "assert"},
    "cut-but-right": {"say": "CUT 7", "then": "assert"},
    "skipped": {"say": "7", "then": "skip"},
    "checked": {"say": "7", "then": "check"},
    "half": {"say": "5", "then": "check"},
    "judged": {"say": "7", "then": "judge", "verdict": "Y"},
    "judged-badly": {"say": "7", "then": "judge", "verdict": "N"},
    "judge-unreadable": {"say": "7", "then": "judge", "verdict": "maybe"},
}


def echo(body: Body) -> Answer:
    """Answer what the prompt tells it to say."""
    text = prompt_of(body).rpartition(" ")[2]
    stop = "refusal" if "REFUSE" in prompt_of(body) else "max_tokens" if "CUT" in prompt_of(body) else "end_turn"
    return 200, {}, message("" if stop == "refusal" else text, body, stop_reason=stop)


server = served(echo)


@pytest.fixture
def project(project: Checkout) -> Checkout:
    project.profile(PROFILE)
    return project


def with_cases(project: Checkout, **more: dict[str, str]) -> Checkout:
    cases = [{"id": name, **fields} for name, fields in {**CASES, **more}.items()]
    json_lines(project.file("outcomes.jsonl"), *cases)
    project.file("test_outcome.py").write_text(OUTCOMES)
    return project


def outcomes(project: Checkout) -> dict[str, str]:
    return {row["item"]: row["outcome"] for row in project.rows() if row["test"] == "test_outcome"}


def test_each_end_of_a_trial_has_its_outcome(project: Checkout, server: SimulatedServer) -> None:
    result = with_cases(project).record(server)
    assert outcomes(project) == {
        "right": "correct",
        "wrong": "wrong",
        "failed": "wrong",
        "unreadable": "unparseable",
        "refused": "refusal",
        "cut": "truncated",
        "cut-but-right": "correct",
        "checked": "correct",
        "half": "wrong",
        "judged": "correct",
        "judged-badly": "wrong",
        "judge-unreadable": "infra_error",
    }
    why = {row["item"]: row["why"] for row in project.rows() if row["test"] == "test_outcome"}
    assert "assert 5 == 7" in why["wrong"]
    assert why["failed"] == "the answer is too long"
    assert why["unreadable"].startswith("no number in the reply")
    assert why["refused"].startswith("the model refused")
    assert why["cut"].startswith("the last reply was cut off after")
    assert why["half"] == "failed: seven"
    checks = [(row["test"], row["item"], row["outcome"]) for row in project.rows() if row["test"] != "test_outcome"]
    assert sorted(checks) == [
        ("test_outcome.seven", "checked", "correct"),
        ("test_outcome.seven", "half", "wrong"),
        ("test_outcome.short", "checked", "correct"),
        ("test_outcome.short", "half", "correct"),
    ]
    assert "judge_error" in {row["error"] for row in project.rows()}
    assert "Traceback" not in result.out


@pytest.mark.parametrize(
    ("then", "shows"), [("raise", "ZeroDivisionError: a fault of the test"), ("exit", "SystemExit: 3")]
)
def test_another_exception_is_the_test_s_error_and_the_other_rows_are_kept(
    project: Checkout, server: SimulatedServer, then: str, shows: str
) -> None:
    with_cases(project, broken={"say": "7", "then": then})
    result = project.record(server)
    assert result.code == 1
    assert shows in result.out
    assert "match case.then" in result.out  # the traceback
    assert outcomes(project)["right"] == "correct"
    assert outcomes(project)["broken"] == "infra_error"
    assert len(outcomes(project)) == len(CASES)  # one is skipped, one is added


def test_asking_alone_names_errors_of_tests_and_of_fixtures(project: Checkout, server: SimulatedServer) -> None:
    with_cases(project, broken={"say": "7", "then": "raise"})
    project.file("test_fixture.py").write_text(
        "import pytest\n\n\n@pytest.fixture\ndef broken():\n    raise OSError('no database')\n\n\n"
        "@pytest.mark.longctx(trials=2)\ndef test_fixture(ask, broken):\n    ask('a')\n"
    )
    result = project.record(server, env=RECORD_ONLY)
    assert result.code == 1, result.out
    assert "1 ended with an error of the test: ZeroDivisionError: a fault of the test" in result.out
    assert "2 ended with an error of the test: OSError: no database" in result.out


def test_what_a_server_refuses_is_named_and_not_measured(project: Checkout, server: SimulatedServer) -> None:
    project.file("test_refused.py").write_text(
        "import pytest\n\n\n@pytest.mark.longctx(trials=2)\ndef test_refused(ask, draw):\n"
        "    ask(f'{draw.uuid()} say a', tools=[{'name': 'no schema'}])\n"
    )
    server.script = failing(400, "tools.0.custom.input_schema: Field required")
    result = project.record(server)
    assert result.code == 1
    assert result.says("2 were not answered:", "answered 400: tools.0.custom.input_schema: Field required")
    assert result.says("The same command sends only the rest.")
    assert {row["outcome"] for row in project.rows()} == {"infra_error"}
    server.script = echo
    assert project.record(server).code == 0


CHAT = """
import pytest

FIRST = "say 5"
SECOND = "and say 7"


@pytest.mark.longctx(trials=2)
def test_chat(ask, draw):
    history = [{"role": "user", "content": f"{draw.uuid()} {FIRST}"}]
    answer = ask(messages=history)
    history += [answer.turn, {"role": "user", "content": SECOND}]
    assert ask(messages=history).integer() == 7
"""


@pytest.fixture
def chat(project: Checkout, server: SimulatedServer) -> Checkout:
    project.file("test_chat.py").write_text(CHAT)
    assert project.record(server).code == 0
    assert len(server.asked) == 4
    server.received.clear()
    return project


def changed(project: Checkout, before: str, after: str) -> None:
    file = project.file("test_chat.py")
    file.write_text(file.read_text().replace(before, after))


def test_a_changed_request_after_the_same_reply_is_stale_and_new_episodes_asks_it(
    chat: Checkout, server: SimulatedServer
) -> None:
    changed(chat, "and say 7", "and now say 7")
    result = chat.pytest()
    assert result.code == 1
    assert result.says(
        "2 of 2 trials are stale: request 2 after the same reply differs from the recorded one: the test changed",
        "What differs: messages; model and parameters are the same.",
        "Record them: run this again with --ctx-record new_episodes",
    )
    assert {row["error"] for row in chat.rows()} == {"stale"}
    once = chat.record(server)
    assert once.says("2 trials are stale, recorded for another request: --ctx-record new_episodes sends them again.")
    assert server.asked == []
    assert chat.record(server, mode="new_episodes").code == 0
    assert len(server.asked) == 2


def test_a_request_after_another_reply_is_missing_and_once_asks_it(chat: Checkout, server: SimulatedServer) -> None:
    changed(chat, "say 5", "say 6")
    result = chat.pytest()
    assert result.says("2 of 2 trials are stale: request 1 differs from the recorded one")
    assert chat.record(server, mode="new_episodes").code == 0
    assert len(server.asked) == 4  # the second request follows another reply
    cassette = next(iter(chat.cassettes()))
    lines = chat.file(f"cassettes/{cassette}").read_text().splitlines(keepends=True)
    assert len(lines) == 8
    # Without what follows the new replies, it is missing, although another request of its number is recorded.
    kept = [line for line in lines if line in lines[:4] or "request" not in json.loads(line)["metadata"]]
    chat.file(f"cassettes/{cassette}").write_text("".join(kept))
    assert chat.pytest().says("2 of 2 trials have no recording in cassettes/toy/test_chat/all.jsonl.")
    server.received.clear()
    assert chat.record(server).code == 0
    assert len(server.asked) == 2


def test_all_asks_every_request_once_a_run(chat: Checkout, server: SimulatedServer) -> None:
    assert chat.record(server, mode="all").code == 0
    assert len(server.asked) == 4
    assert chat.record(server, mode="none").code == 0
    assert len(server.asked) == 4


def test_an_answer_of_a_clock_that_is_ahead_is_not_paid_for_again_and_again(
    chat: Checkout, server: SimulatedServer
) -> None:
    for name, content in chat.cassettes().items():
        text = content.decode()
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            line["metadata"]["recorded_at"] = "2999-01-01T00:00:00+00:00"
        json_lines(chat.file(f"cassettes/{name}"), *lines)
    assert chat.record(server, mode="all").code == 0
    assert len(server.asked) == 4


def test_a_test_that_asks_something_else_when_run_again_is_named(project: Checkout, server: SimulatedServer) -> None:
    project.file("test_chat.py").write_text(CHAT.replace("draw.uuid()", "id(object()) + next(COUNT)"))
    changed(project, "import pytest\n", "import itertools\n\nimport pytest\n\nCOUNT = itertools.count(1000, 1000)\n")
    result = project.record(server)
    assert result.code == 1
    assert result.says(
        "the test sends a different request when it runs again, so its recorded answers cannot be used.",
        "The difference:",
        "say 5",
    )


def test_two_equal_requests_have_two_answers(project: Checkout, server: SimulatedServer) -> None:
    project.file("test_twice.py").write_text(
        "import pytest\n\n\n@pytest.mark.longctx(trials=1)\ndef test_twice(ask):\n"
        "    assert [ask('say a').integer() for _ in range(3)] == [1, 2, 3]\n"
    )
    server.script = lambda body: (200, {}, message(str(len(server.asked)), body))
    assert project.record(server).code == 0, project.rows()
    assert project.pytest("-n1").code == 0
    assert [row["outcome"] for row in project.rows()] == ["correct"]


def test_files_of_a_hostile_server_or_stranger_are_refused(chat: Checkout) -> None:
    [(name, content)] = chat.cassettes().items()
    line = json.loads(content.splitlines()[0])

    def replayed(**metadata: object) -> Result:
        strange = {**line, "metadata": {**line["metadata"], **metadata}}
        json_lines(chat.file(f"cassettes/{name}"), strange)
        return chat.pytest()

    assert replayed(request="1").says("its request is not a number")
    assert replayed(same=True).says("its same is not a number")
    assert replayed(after=["x"]).says("its after is not text")
    assert replayed(request=-5, same=10**30).says("2 of 2 trials have no recording")
