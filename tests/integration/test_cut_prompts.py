"""A server that cuts prompts without an error: its trials are not measured, live and replayed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.given import served
from tests.integration.conftest import TOY, Checkout, Result
from tests.servers import Answer, Body, SimulatedServer, count_tokens, find_answer, message, prompt_of

CODE = """
import pytest


@pytest.mark.longctx(trials=4)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    text = draw.filler({tokens}).insert(f"The pass key is {{code}}.", depth=0.9)
    assert ask(f"{{text}}\\n\\nWhat is the pass key?", max_tokens=24).integer() == code
"""
LINES = """
[line_retrieval]
models = ["toy"]
lines = [60]
orders = ["ordered"]
trials = 4
"""
LIMIT = 300


def clipped(body: Body) -> Answer:
    """Count no more than a limit, as a server does that read only the end of a prompt."""
    prompt = prompt_of(body)
    usage = {"input_tokens": min(LIMIT, count_tokens(prompt)), "output_tokens": 4}
    return 200, {}, message(find_answer(prompt), body, usage=usage)


def facts(rows: list[dict[str, Any]]) -> set[tuple[str, str | None]]:
    return {(row["outcome"], row["error"]) for row in rows}


def told(result: Result) -> bool:
    return result.says(
        "4 of 4 trials are not measured, because the server of toy read only a part of their prompts",
        f"it counted {LIMIT} input tokens for prompts of up to about",
    )


server = served(clipped)


@pytest.mark.parametrize(("test", "profile"), [("code", TOY), ("line_retrieval", LINES)])
def test_they_are_not_measured(checkout: Checkout, server: SimulatedServer, test: str, profile: str) -> None:
    checkout.profile(profile)
    checkout.file("tests_longctx/test_code.py").write_text(CODE.format(tokens="1500"))
    live = checkout.record(server, f"tests_longctx/test_{test}.py")
    assert live.code == 1
    assert told(live)
    assert facts(checkout.rows()) == {("infra_error", "prompt_cut")}
    replayed = checkout.pytest(f"tests_longctx/test_{test}.py")
    assert replayed.code == 1
    assert told(replayed)
    assert facts(checkout.rows()) == {("infra_error", "prompt_cut")}
    summary = checkout.read("reports/latest/summary.json")
    assert [each["rate"] for each in summary["cells"] if each.get("n")] == []


def test_by_the_limit_that_prompts_share(checkout: Checkout, server: SimulatedServer) -> None:
    """None of these prompts has twice the tokens of the limit."""
    checkout.profile(TOY)
    checkout.file("tests_longctx/test_code.py").write_text(CODE.format(tokens="draw.in_turn([350, 400, 450, 500])"))
    assert told(checkout.record(server, "tests_longctx/test_code.py"))


def test_a_look_does_not_rest_on_prompts_that_were_cut(checkout: Checkout, server: SimulatedServer) -> None:
    """All answers are right, though the server read a part alone: no look settles on them."""
    checkout.profile('looks = "few"\nmodels = ["toy"]\n')
    file = checkout.file("tests_longctx/test_code.py")
    file.write_text(CODE.format(tokens="1500").replace("trials=4", "trials=40"))
    checkout.options(margin=0.3)
    gated = "--ctx-baseline=first", "tests_longctx/test_code.py"
    with SimulatedServer() as whole:
        assert checkout.record(whole, "--ctx-report=first", "tests_longctx/test_code.py").code == 0
    live = checkout.record(server, *gated, mode="all")
    assert live.code == 12
    assert "topped early" not in live.out
    assert len(server.asked) == 40
    assert checkout.pytest(*gated).code == 12
