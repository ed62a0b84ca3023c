"""The hooks that rewrite: what is compared of a request, and what is recorded of an answer."""

from __future__ import annotations

import json

import pytest

from tests.integration.conftest import TOY, Checkout, profiled
from tests.integration.hooks import implement
from tests.servers import SimulatedServer, saying
from tools.site.reference.hooks import example

TODAY = """
import datetime

import pytest


@pytest.mark.longctx(trials=3)
def test_today(ask):
    now = datetime.datetime.now().isoformat()
    assert "NAME" in ask(f"Now it is {now}. Who knows the refund code?", max_tokens=50).text
"""
THROUGH_THE_SDK = TODAY.replace(
    'ask(f"Now it is {now}. Who knows the refund code?", max_tokens=50).text',
    "str(ask.client().messages.create(model='m', max_tokens=50, messages=[{'role': 'user', 'content': now}]).content)",
)
RUN = ("tests_longctx/test_functions.py", "--ctx-model=toy")


project = profiled(TOY)


@pytest.mark.parametrize("test", [TODAY, THROUGH_THE_SDK], ids=["ask", "client"])
def test_a_date_in_the_prompt_and_a_name_in_the_answer(project: Checkout, test: str) -> None:
    project.functions(test)
    implement(project, example("pytest_longctx_request"), example("pytest_longctx_answer"))
    with SimulatedServer(saying("Jane Doe knows it.")) as server:
        asked = project.record(server, *RUN, "-n1")
        assert asked.code == 0, asked
        assert len(server.asked) == 3
        assert "(now)" not in json.dumps(server.asked), "what is sent is unchanged"
    assert "Jane Doe" not in str(project.cassettes())
    replayed = project.pytest(*RUN, "-n1", page=True)
    assert replayed.says("3 trials: 3 replayed"), replayed
    assert project.read("reports/latest/run.json")["hooks"] == HOOKS
    assert "pytest_longctx_request, pytest_longctx_answer" in project.file("reports/latest/index.html").read_text()
    [line, *_] = project.file("cassettes/toy/test_today/all.jsonl").read_text().splitlines()
    assert json.loads(line)["metadata"]["hooks"] == ", ".join(HOOKS)


HOOKS = ["pytest_longctx_request", "pytest_longctx_answer"]


def test_without_the_hook_the_test_is_found_not_to_repeat_itself(project: Checkout) -> None:
    project.functions(TODAY)
    with SimulatedServer(saying("NAME")) as server:
        result = project.record(server, *RUN)
    assert result.says("the test sends a different request when it runs again", "pytest_longctx_request"), result


@pytest.mark.parametrize(
    ("hook", "sentence"),
    [
        (
            "pytest_longctx_request(body):\n    return 1",
            "The hook pytest_longctx_request failed: TypeError: it returns int",
        ),
        ("pytest_longctx_request(body):\n    body['x']", "The hook pytest_longctx_request failed: KeyError: 'x'"),
        (
            "pytest_longctx_answer(answer):\n    return {}",
            "The hook pytest_longctx_answer does not return an answer of the API",
        ),
    ],
)
def test_a_hook_that_fails_is_named(project: Checkout, hook: str, sentence: str) -> None:
    project.functions(TODAY)
    implement(project, f"def {hook}\n")
    with SimulatedServer(saying("NAME")) as server:
        result = project.record(server, *RUN, "--ctx-concurrency=1")
        assert len(server.asked) < 2, "it is found out before all is paid for"
    assert result.code != 0
    assert result.says(sentence), result
    assert not project.cassettes()
