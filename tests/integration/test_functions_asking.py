"""What asking test functions costs and when it stops: estimate, cap, canary, minimum rates and shards."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration import functions
from tests.integration.conftest import TOY, Checkout, Result
from tests.integration.functions import code
from tests.servers import Answer, Body, SimulatedServer, count_tokens, message, prompt_of

ONE = """
import pytest


@pytest.mark.longctx(trials={trials})
@pytest.mark.parametrize("tokens", [100, 400])
def test_code(ask, draw, tokens):
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The code is {{code}}.", depth=draw.uniform())
    assert ask(f"{{text}}\\n\\nWhat is the code?", max_tokens=50).integer() == code
"""
CHAT = """
import pytest


@pytest.mark.longctx(trials={trials})
def test_chat(ask, draw):
    code = draw.integer(10_000, 99_999)
    first = {{"role": "user", "content": f"The code is {{code}}. Remember it."}}
    history = [first, ask(messages=[first], max_tokens=50).turn, {{"role": "user", "content": "Say it."}}]
    reply = ask(messages=history, max_tokens=70)
    assert str(code) in reply.text
"""
NEVER = """

@pytest.mark.longctx(trials=2)
def test_never(draw):
    assert draw.integer(1, 9)
"""


def unreadable(body: Body) -> Answer:
    return 200, {}, message("I do not know.", body)


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    checkout.profile(TOY)
    checkout.prices(2, 10)
    return checkout


def write(project: Checkout, *texts: str, **named: object) -> None:
    project.functions(*(text.format(**named) for text in texts))


run = functools.partial(functions.run, profile="tiny.toml")
ask = functools.partial(functions.ask, profile="tiny.toml")


def estimated(result: Result) -> dict[str, str]:
    lines = [line for line in result.out.splitlines() if " trials need a request" in line]
    return {line.partition(" on ")[0]: line for line in lines}


def test_first_requests_are_estimated_and_later_ones_are_reported_as_unknown(project: Checkout) -> None:
    write(project, ONE, CHAT, NEVER, trials=5)
    result = run(project, "--ctx-estimate")
    assert result.code == 0, result
    assert result.says("test_never on toy: 2 trials cannot be estimated: test_never sends no request: its trials must")
    assert result.says(
        "test_code on toy: 10 of 10 trials need a request, about ", " input and at most 500 output tokens"
    )
    assert result.says("test_chat on toy: 5 of 5 trials need a request, about ", " input and at most 250 output tokens")
    assert result.says(
        "test_chat on toy: this counts only the first request of each trial; later ones can be estimated"
    )
    assert result.says("In all about $")


def test_later_requests_are_estimated_from_recorded_trials(project: Checkout) -> None:
    write(project, CHAT, trials=4)
    with SimulatedServer(code) as server:
        assert ask(project, server).code == 0
        assert len(server.asked) == 8
        second = [count_tokens(prompt_of(body)) for body in server.asked if len(body["messages"]) == 3]
    write(project, CHAT, trials=10)
    result = run(project, "--ctx-estimate")
    assert result.says("6 requests are counted exactly, and about 6 later ones are estimated from 4 recorded trials.")
    assert result.says("6 of 10 trials need a request", f"at most {6 * (50 + 70)} output tokens")
    tokens = int(re.search(r"about ([\d,]+) input", estimated(result)["test_chat"])[1].replace(",", ""))  # type: ignore[index]
    project.profile('seed = 7\nmodels = ["toy"]\n')
    first = run(project, "--ctx-estimate")
    alone = int(re.search(r"about ([\d,]+) input", estimated(first)["test_chat"])[1].replace(",", ""))  # type: ignore[index]
    assert tokens == pytest.approx(alone * 6 / 10 + 6 * sum(second) / len(second), rel=0.1)


def test_a_trial_with_part_of_its_answers_lacks_the_others_alone(project: Checkout) -> None:
    write(project, CHAT, trials=4)
    with SimulatedServer(code) as server:
        assert ask(project, server).code == 0
    file = project.file("cassettes/toy/test_chat/all.jsonl")
    lines = file.read_text().splitlines()
    file.write_text("\n".join(line for line in lines if '"request":1' not in line or "trial-0" not in line) + "\n")
    result = run(project, "--ctx-estimate")
    assert result.says("test_chat on toy: 1 of 4 trials need a request", "at most 70 output tokens"), result


@pytest.mark.parametrize("batch", [[], ["--ctx-batch"]], ids=["directly", "in batches"])
def test_a_server_that_cannot_be_reached_ends_the_run_before_it_begins(project: Checkout, batch: list[str]) -> None:
    write(project, ONE, trials=5)
    result = run(project, "--ctx-base-url=http://127.0.0.1:9", "--ctx-record=once", *batch)
    assert result.code == 4, result
    assert result.says("No connection to http://127.0.0.1:9", "is the server running?")
    assert not project.file("reports/latest").exists()


def test_the_estimate_says_where_a_gate_cannot_pass(project: Checkout) -> None:
    write(project, ONE, trials=20)
    result = run(project, "--ctx-estimate")
    assert result.says(
        "test_code of toy, prompts protocol: 40 trials cannot pass at a margin of 5%: use 52 or more if nothing "
        "changes, about 403 if 10% of pairs do, or a margin of 19%."
    ), result
    project.profile('looks = "equal"\nmodels = ["toy"]\n', name="equal.toml")
    equal = run(project, "--ctx-estimate", "--ctx-profile=equal.toml")
    assert equal.says("40 trials cannot pass at a margin of 5%: use 59 or more if nothing changes"), equal
    write(project, ONE, trials=30)
    assert "cannot pass" not in run(project, "--ctx-estimate").out


def test_the_cap_covers_tests_and_functions_together(project: Checkout) -> None:
    write(project, ONE, trials=20)
    project.profile(
        'models = ["toy"]\n[line_retrieval]\nmodels = ["toy"]\nlines = [3]\norders = ["ordered"]\ntrials = 20\n'
    )
    with SimulatedServer(
        lambda body: code(body) if "code" in prompt_of(body) else (200, {}, message("1", body))
    ) as server:
        project.settings(trial_run=False)
        arguments = ("tests_longctx", "--ctx-concurrency=1", "--ctx-max-cost=0.02")
        result = project.record(server, *arguments)
        spent = sum(count_tokens(prompt_of(body)) * 2e-6 + count_tokens("12345") * 10e-6 for body in server.asked)
        tests = [body for body in server.asked if "code is" not in prompt_of(body)]
    assert result.says("the cap of $0.02 leaves no room for it"), result
    assert len(tests) == 20
    assert 20 < len(server.asked) < 60
    assert spent <= 0.02


def test_a_function_whose_replies_cannot_be_read_is_asked_ten_times(project: Checkout) -> None:
    write(project, ONE, CHAT, trials=30)
    with SimulatedServer(lambda body: code(body) if "Remember" in prompt_of(body) else unreadable(body)) as server:
        result = ask(project, server)
        asked = [body for body in server.asked if "Remember" not in prompt_of(body)]
    assert result.code == 1, result
    assert len(asked) == 10, result.out
    assert result.says("The first trial of test_code on toy is unparseable: 'I do not know.'")
    assert result.says("Stopped test_code on toy: none of the first 10 trials of test_code on toy could be parsed")
    assert len(server.asked) == 10 + 2 * 30


def test_one_readable_reply_lets_all_be_asked(project: Checkout) -> None:
    write(project, ONE, trials=10)
    with SimulatedServer() as server:
        server.script = lambda body: code(body) if len(server.asked) == 2 else unreadable(body)
        assert "Stopped" not in ask(project, server, "--ctx-concurrency=1").out
        assert len(server.asked) == 20


def test_without_a_canary_all_are_asked(project: Checkout) -> None:
    write(project, ONE, trials=10)
    with SimulatedServer(unreadable) as server:
        project.settings(trial_run=False)
        ask(project, server)
        assert len(server.asked) == 20


@pytest.fixture(scope="module")
def half_right(fresh: Callable[[], Checkout]) -> Checkout:
    """Return a project whose functions are right in the short cell alone, with a minimum rate."""
    project = fresh()
    project.profile('models = ["toy"]\n[test_code]\nmin_rate = 0.8\n')
    write(project, ONE, trials=20)
    with SimulatedServer(
        lambda body: code(body) if len(prompt_of(body)) < 1000 else (200, {}, message("0", body))
    ) as server:
        ask(project, server)
    return project


def test_a_minimum_rate_fails_a_cell(half_right: Checkout) -> None:
    result = run(half_right, "-n2")
    assert result.code == 1
    assert result.says("1 failed, 1 passed")
    assert re.search(r"FAILED .*test_code\[.*400", result.out)


def test_shards_are_merged_with_minimum_rates_and_what_was_left_out(half_right: Checkout, tmp_path: Path) -> None:
    project = half_right.copied(tmp_path / "checkout")
    folders = [str(project.file(f"shard-{number}")) for number in (1, 2)]
    for number, folder in enumerate(folders, start=1):
        result = run(project, f"--ctx-shard={number}/2", f"--ctx-report={folder}", "-n1")
        assert result.code in (0, 5), result
    merged = project.longctx("merge", *folders, "--out", project.file("merged"))
    assert merged.code == 1, merged
    assert merged.says("test_code/tokens-400 of toy, prompts protocol: ", "is significantly below min_rate")
    assert len(project.file("merged/results.jsonl").read_text().splitlines()) == 40

    for number in (1, 2):
        run(
            project, f"--ctx-shard={number}/2", f"--ctx-report={project.file(f'part-{number}')}", "-k", "not 100", "-n1"
        )
    merged = project.longctx(
        "merge", *(project.file(f"part-{number}") for number in (1, 2)), "--out", project.file("less")
    )
    manifest = project.read("less/run.json")
    assert manifest["left_out"] == ["test_code/tokens-100 of toy, prompts protocol"], merged
