"""A live run and its replay rest on the same answers, so they come to the same verdict, whatever the kind of run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.batch_server import BatchServer, errored
from tests.integration.conftest import Checkout
from tests.integration.functions import ask, codes, judged, run
from tests.servers import Answer, Body, Script, SimulatedServer, failing, message, prompt_of, right

FUNCTION = """
import pytest


@pytest.mark.longctx(trials=52)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The refund code is {code}. What is the refund code?").integer() == code
"""


CHECKED = """
import pytest


@pytest.mark.longctx(trials=40)
@pytest.mark.parametrize("times", [1, 2])
def test_code(ask, draw, check, times):
    code = draw.integer(10_000, 99_999)
    reply = ask(f"The refund code is {code}. " * times + "What is the refund code?")
    check("short", "13" not in reply.text)
    assert reply.integer() == code
"""
LINES = """
[line_retrieval]
models = ["toy"]
lines = [3, 5]
orders = ["ordered"]
trials = 40
"""
TESTS = "tests_longctx/test_functions.py", "tests_longctx/test_line_retrieval.py"
GATE = ("--ctx-baseline=first",)


def place(seed: str, body: Body) -> float:
    """Return a number between 0 and 1 that depends on a prompt."""
    return int.from_bytes(hashlib.sha256((seed + prompt_of(body)).encode()).digest()[:4]) / 2**32


def answering(seed: str, wrong: float, failed: float = 0) -> Script:
    """Return a script that answers this share of the prompts wrongly, and does not answer another share."""

    def answer(body: Body) -> Answer:
        if place(seed, body) < failed:
            return failing(400)(body)
        if place(seed, body) < failed + wrong:
            return 200, {}, message("13", body)
        return (codes if "refund" in prompt_of(body) else right)(body)

    return answer


def stopping(numbers: Iterable[int], script: Script) -> Script:
    """Return a script that answers so many requests, and refuses the key of all others."""
    return lambda body: script(body) if next(iter(numbers), None) is not None else failing(401)(body)


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Checkout]) -> Checkout:
    """Return a project with a protocol and a test function, and the baseline `first` of both."""
    project = fresh()
    project.file(TESTS[0]).write_text(CHECKED)
    project.profile('looks = "equal"\nmodels = ["toy"]\n', LINES)
    project.options(margin=0.2)
    with SimulatedServer(answering("first", 0.02)) as server:
        assert project.record(server, "--ctx-report=first", *TESTS).code == 0
    return project


def directly(project: Checkout, server: BatchServer) -> int:
    return project.record(server, *GATE, *TESTS, mode="all").code


def in_batches(project: Checkout, server: BatchServer) -> int:
    project.settings(trial_run=False)
    return project.record(server, *GATE, *TESTS, "--ctx-batch", mode="all").code


def in_parts(project: Checkout, server: BatchServer) -> int:
    """Ask all again, stop in the second look of the protocol, and ask the rest."""
    script, server.script = server.script, stopping(iter(range(30)), server.script)
    assert project.record(server, *GATE, *TESTS, "--ctx-concurrency=1", mode="all").code == 12
    server.script = script
    return project.record(server, *GATE, *TESTS).code


def in_shards(project: Checkout, server: BatchServer) -> int:
    for number in (1, 2):
        part = f"--ctx-shard={number}/2", f"--ctx-report=shard-{number}"
        assert project.record(server, *GATE, *TESTS, *part, mode="all").code == 0
    merged = project.longctx("merge", "shard-1", "shard-2", "--out=merged", "--baseline=first", "--margin=0.2")
    project.file("reports").mkdir(exist_ok=True)
    project.file("reports/latest").symlink_to("../merged")
    return merged.code


@pytest.mark.parametrize(
    ("asking", "wrong", "failed"),
    [
        (directly, 0.05, 0.005),
        (directly, 0.3, 0),
        (in_batches, 0.05, 0.005),
        (in_parts, 0.02, 0),
        (in_shards, 0.02, 0),
    ],
)
def test_a_live_run_and_its_replay_are_judged_the_same(
    original: Checkout, tmp_path: Path, asking: Callable[[Checkout, BatchServer], int], wrong: float, failed: float
) -> None:
    project = original.copied(tmp_path / "checkout")
    script = answering("second", wrong, failed)
    with BatchServer(script=script) as server:
        server.result = lambda params: (
            errored("invalid_request_error")(params)
            if place("second", params) < failed
            else {"type": "succeeded", "message": json.loads(script(params)[2])}
        )
        code = asking(project, server)
    verdict = judged(project)
    if project.file("merged").exists():
        project.file("reports/latest").unlink()
    assert (project.pytest(*GATE, *TESTS).code, judged(project)) == (code, verdict)


@pytest.mark.parametrize(("looks", "code"), [("equal", 11), ("few", 0)])
def test_a_function_that_was_asked_in_looks_to_its_end_is_judged_so_live_and_replayed(
    checkout: Checkout, looks: str, code: int
) -> None:
    """52 equal pairs have a bound of 0.049 at once, as `few` judges them, and of 0.055 in two looks."""
    file = checkout.file("tests_longctx/test_functions.py")
    file.write_text(FUNCTION)
    checkout.profile(f'looks = "{looks}"\nmodels = ["toy"]\n', name="looks.toml")
    gated = "--ctx-baseline=first", "--ctx-profile=looks.toml"
    with SimulatedServer(codes) as server:
        assert ask(checkout, server, "--ctx-report=first").code == 0
        file.write_text(FUNCTION.replace("What is", "Say:"))
        live = ask(checkout, server, *gated, mode="new_episodes")
    judged = checkout.gate()
    replayed = run(checkout, *gated)
    assert (checkout.gate()["tests"], replayed.code) == (judged["tests"], live.code)
    assert live.code == code


def test_what_a_batch_answered_in_looks_is_judged_in_looks_whoever_collects_it(checkout: Checkout) -> None:
    """52 equal pairs have a bound of 0.055 in the two looks of `equal`."""
    file = checkout.file("tests_longctx/test_functions.py")
    file.write_text(FUNCTION)
    checkout.profile('looks = "equal"\nmodels = ["toy"]\n', name="looks.toml")
    checkout.settings(trial_run=False, batch_wait=0)
    gated = "--ctx-baseline=first", "--ctx-profile=looks.toml", "--ctx-batch"
    with BatchServer(script=codes) as server:
        assert ask(checkout, server, "--ctx-report=first").code == 0
        file.write_text(FUNCTION.replace("What is", "Say:"))
        for look in (1, 2):
            server.looks = 100
            assert ask(checkout, server, *gated, mode="new_episodes").code == 12
            assert len(server.created) == look, "no look follows while a batch is pending"
            server.looks = 0
            assert checkout.longctx("models", "batches", "collect").code == 0
        assert [len(batch.requests) for batch in server.created] == [26, 26]
    replayed = run(checkout, *gated[:2])
    [test] = checkout.gate()["tests"]
    assert (replayed.code, [band["looks"] for band in test["bands"]]) == (11, [2])


def test_an_answer_that_was_asked_at_once_is_judged_so_whatever_was_asked_in_looks_before(checkout: Checkout) -> None:
    file = checkout.file("tests_longctx/test_functions.py")
    file.write_text(FUNCTION)
    checkout.profile('looks = "equal"\nmodels = ["toy"]\n', name="looks.toml")
    gated = "--ctx-baseline=first", "--ctx-profile=looks.toml"
    with SimulatedServer(codes) as server:
        assert ask(checkout, server, "--ctx-report=first").code == 0
        for cassette in checkout.file("cassettes").rglob(
            "*.jsonl"
        ):  # a time has seconds, and here both runs fit in one
            cassette.write_text(re.sub(r'("recorded_at":"[^"]*):\d\d\+', r"\1:00+", cassette.read_text()))
        file.write_text(FUNCTION.replace("What is", "Say:"))
        assert ask(checkout, server, *gated, mode="new_episodes").code == 11
    file.write_text(FUNCTION)
    assert run(checkout, *gated).code == 0
    assert [band["looks"] for band in checkout.gate()["tests"][0]["bands"]] == [1]
