"""--ctx-batch with test functions: rounds of Message Batches over all tests, which survive a kill."""

from __future__ import annotations

import pytest

from tests.batch_server import BatchServer
from tests.given import served
from tests.integration.conftest import TOY, Checkout, Result
from tests.integration.functions import code
from tests.servers import Answer, Body, failing, prompt_of

TESTS = """
import pytest


@pytest.mark.longctx(trials={trials})
@pytest.mark.parametrize("tokens", [100, 400])
def test_code(ask, draw, tokens):
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The code is {{code}}.", depth=draw.uniform())
    assert ask(f"{{text}}\\n\\nWhat is the code?", max_tokens=50).integer() == code


@pytest.mark.longctx(trials={trials})
def test_chat(ask, draw):
    code = draw.integer(10_000, 99_999)
    first = {{"role": "user", "content": f"The code is {{code}}. Remember it."}}
    history = [first, ask(messages=[first], max_tokens=50).turn, {{"role": "user", "content": "Say it."}}]
    assert str(code) in ask(messages=history, max_tokens=70).text


@pytest.mark.longctx(trials={trials})
def test_twice(ask, draw):
    question = f"The code is {{draw.integer(10_000, 99_999)}}. Say it."
    assert ask(question).text == ask(question).text
"""


batch_server = served(code, BatchServer)


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    checkout.profile(TOY)
    checkout.functions(TESTS.format(trials=5))
    return checkout


def arguments(server: BatchServer, *more: str) -> list[str]:
    return [
        *("tests_longctx/test_functions.py", f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-batch"),
        *more,
    ]


def replayed(project: Checkout) -> Result:
    return project.pytest("tests_longctx/test_functions.py", "-n1")


def test_each_round_is_a_batch_over_all_tests(project: Checkout, batch_server: BatchServer) -> None:
    project.settings(trial_run=False)
    result = project.pytest(*arguments(batch_server))
    assert result.code == 0, result
    assert [len(batch.requests) for batch in batch_server.created] == [2 * 5 + 5 + 5, 5 + 5]
    assert not batch_server.asked
    assert max(batch_server.paid.values()) == 2  # the question that is asked twice
    assert result.says("Asked 30 requests of 20 trials of test functions.")
    assert replayed(project).code == 0
    again = project.pytest(*arguments(batch_server))
    assert again.code == 0
    assert len(batch_server.created) == 2


def test_a_killed_run_goes_on_with_its_batch(project: Checkout, batch_server: BatchServer) -> None:
    """The first batch is collected by the next run, and nothing is asked twice."""
    project.settings(trial_run=False)
    batch_server.looks = 10**6
    pid = project.start(*arguments(batch_server))
    batch_server.wait_for(1, "/v1/messages/batches/msgbatch_0000")
    project.kill(pid)
    batch_server.looks = 0
    result = project.pytest(*arguments(batch_server))
    assert result.code == 0, result
    assert result.says("Batch msgbatch_0000 has ended: 20 answers are recorded.")
    assert [len(batch.requests) for batch in batch_server.created] == [20, 10]


def test_a_batch_that_is_waited_for_no_longer_is_collected_later(project: Checkout, batch_server: BatchServer) -> None:
    batch_server.looks = 10**6
    project.settings(trial_run=False, batch_wait=0)
    result = project.pytest(*arguments(batch_server))
    assert result.code == 1, result
    assert result.says("20 were not answered: pending in batch msgbatch_0000")
    estimate = project.pytest("tests_longctx/test_functions.py", "--ctx-estimate", "--ctx-batch")
    assert estimate.says("20 more are in batches that are not collected"), estimate
    batch_server.looks = 0
    project.settings(trial_run=False)
    assert project.pytest(*arguments(batch_server)).code == 0
    assert [len(batch.requests) for batch in batch_server.created] == [20, 10]


def test_the_cap_stops_the_rounds(project: Checkout, batch_server: BatchServer) -> None:
    project.settings(trial_run=False)
    project.prices(2, 10)
    result = project.pytest(*arguments(batch_server, "--ctx-max-cost=0.006"))
    assert result.code == 1, result
    assert result.says("the cap of $0.006 leaves no room for it")
    assert 0 < sum(batch_server.paid.values()) < 20


def test_a_canary_comes_before_the_batches(project: Checkout, batch_server: BatchServer) -> None:
    file = project.file("tests_longctx/test_functions.py")
    file.write_text(TESTS.format(trials=12))
    result = project.pytest(*arguments(batch_server, "-k", "code"))
    assert result.code == 0, result
    assert 1 <= len(batch_server.asked) <= 3
    assert [len(batch.requests) for batch in batch_server.created] == [24 - len(batch_server.asked)]


def test_what_the_trial_run_was_refused_is_in_no_batch(project: Checkout) -> None:
    project.functions(TESTS.format(trials=12))
    refused = list[str]()

    def first_refused(body: Body) -> Answer:
        if not refused:
            refused.append(prompt_of(body))
        return failing(400)(body) if prompt_of(body) in refused else code(body)

    with BatchServer(script=first_refused) as server:
        result = project.pytest(*arguments(server, "-k", "code"))
        [batch] = server.created
    assert result.code == 1, result
    assert refused[0] not in {prompt_of(request["params"]) for request in batch.requests}
    assert len(batch.requests) == 24 - len(server.asked)


def poll(project: Checkout, server: BatchServer, *more: str) -> Result:
    project.settings(batch_wait=0)
    return project.pytest(*arguments(server, "-k", "code", *more))


def test_looking_at_a_batch_again_sends_nothing(project: Checkout, batch_server: BatchServer) -> None:
    """The trial run of the first command counts, and what the batch holds is not sent directly."""
    project.functions(TESTS.format(trials=12))
    batch_server.looks = 10**6
    assert poll(project, batch_server).code == 1
    sent, held = len(batch_server.asked), [len(batch.requests) for batch in batch_server.created]
    assert (1 <= sent <= 3, sent + sum(held)) == (True, 24)
    for _ in range(3):
        result = poll(project, batch_server)
        assert result.says(f"{24 - sent} were not answered: pending in batch msgbatch_0000"), result
    assert (len(batch_server.asked), len(batch_server.created)) == (sent, 1)
    batch_server.looks = 0
    assert poll(project, batch_server).code == 0
    assert (len(batch_server.asked), len(batch_server.created)) == (sent, 1)
    assert set(batch_server.paid.values()) == {1}


def test_a_direct_run_sends_nothing_that_a_batch_holds(project: Checkout, batch_server: BatchServer) -> None:
    project.functions(TESTS.format(trials=12))
    batch_server.looks = 10**6
    assert poll(project, batch_server).code == 1
    sent = len(batch_server.asked)
    directly = [argument for argument in arguments(batch_server, "-k", "code") if argument != "--ctx-batch"]
    assert project.pytest(*directly).says(f"{24 - sent} were not answered: pending in batch msgbatch_0000")
    assert len(batch_server.asked) == sent
    batch_server.looks = 0
    assert project.pytest(*directly).code == 0
    assert len(batch_server.asked) == sent
