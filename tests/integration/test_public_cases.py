"""Rows of public benchmarks as cases, and frameworks on the recordings' client: what people bring from elsewhere."""

from __future__ import annotations

import gzip
import importlib.util

import pytest

from tests.given import json_lines
from tests.integration.conftest import TOY, Checkout
from tests.servers import Answer, Body, SimulatedServer, message

LONGBENCH = {
    "input": "What is the fee?",
    "context": "The fee of the northern berth is 120 crowns.",
    "answers": ["120", "120 crowns"],
    "length": 40,
    "dataset": "narrativeqa",
    "all_classes": None,
}
TEST_LONGBENCH = """
import pytest


@pytest.mark.longctx(cases="rows.jsonl"{more})
def test_rows(ask, case):
    answer = ask(f"{{case.context}}\\n\\n{{case.input}}", max_tokens=50)
    assert any(right in answer.text for right in case.answers)
"""
RULER = {"input": "What are the special magic numbers?", "outputs": ["1234567", "7654321"], "length": 4021}
TEST_RULER = """
import pytest


@pytest.mark.longctx(cases="rows.jsonl", id_field="index")
def test_rows(ask, case, check):
    answer = ask(case.input, max_tokens=50)
    found = sum(output in answer.text for output in case.outputs)
    assert check("recall", found / len(case.outputs)) == 1
"""
RUN = ("tests_longctx/test_functions.py", "--ctx-model=toy")


def write(project: Checkout, test: str, *rows: object) -> None:
    project.profile(TOY)
    project.functions(test)
    json_lines(project.file("tests_longctx/rows.jsonl"), *rows)


def saying(text: str) -> SimulatedServer:
    def answer(body: Body) -> Answer:
        return 200, {}, message(text, body)

    return SimulatedServer(answer)


def record(project: Checkout, server: SimulatedServer) -> None:
    assert project.record(server, *RUN).code == 0


def test_rows_of_longbench(checkout: Checkout) -> None:
    """LongBench calls its id `_id`."""
    rows = [{**LONGBENCH, "_id": f"{number:048x}"} for number in range(3)]
    write(checkout, TEST_LONGBENCH.format(more=""), *rows)
    refused = checkout.pytest(*RUN)
    assert refused.says('line 1 has no valid id: write an object with "id"', "id_field"), refused
    write(checkout, TEST_LONGBENCH.format(more=', id_field="_id"'), *rows)
    with saying("It is 120 crowns.") as server:
        record(checkout, server)
    assert checkout.pytest(*RUN).says("3 trials: 3 replayed")
    assert [row["item"] for row in checkout.rows()] == [row["_id"] for row in rows]


def test_rows_of_ruler_are_scored_by_the_share_that_was_found(checkout: Checkout) -> None:
    """RULER numbers its rows by `index`, and scores the share of outputs that a reply holds."""
    write(checkout, TEST_RULER, *({"index": number, **RULER} for number in range(2)))
    with saying("One of them is 1234567.") as server:
        record(checkout, server)
    rows = checkout.rows()
    assert [row["item"] for row in rows if row["test"] == "test_rows"] == ["0", "1"]
    assert [row["trace"] for row in rows if row["test"] == "test_rows.recall"] == [{"credit": 500}] * 2


TEST_TABLE = """
import pytest


@pytest.mark.longctx(cases="rows.csv.gz", id_field="name")
def test_rows(ask, case):
    assert case.answer in ask(case.question, max_tokens=50).text
"""


def test_a_table_of_cases_whose_ids_have_spaces(checkout: Checkout) -> None:
    write(checkout, TEST_TABLE)
    table = b"name,question,answer\nNorthern berth,What is the fee?,120\nSouthern berth,What is the fee?,75\n"
    checkout.file("tests_longctx/rows.csv.gz").write_bytes(gzip.compress(table, mtime=0))
    with saying("It is 120 crowns.") as server:
        checkout.record(server, *RUN)
    assert checkout.pytest(*RUN).says("2 trials: 2 replayed")
    assert [(row["item"], row["outcome"]) for row in checkout.rows()] == [
        ("Northern berth", "correct"),
        ("Southern berth", "wrong"),
    ]
    assert checkout.pytest(*RUN, "--ctx-only=Northern berth").says("1 trial: 1 replayed")


FRAMEWORKS = {
    "pydantic_ai": """
    from pydantic_ai import Agent
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    model = AnthropicModel("claude-sonnet-4-6", provider=AnthropicProvider(anthropic_client=ask.async_client()))
    assert "12345" in Agent(model).run_sync("The refund code is 12345.").output
""",
    "instructor": """
    import instructor
    import pydantic

    class Found(pydantic.BaseModel):
        code: int

    client = instructor.from_anthropic(ask.client(), mode=instructor.Mode.ANTHROPIC_JSON)
    messages = [{"role": "user", "content": "The refund code is 12345."}]
    found = client.messages.create(model="m", max_tokens=99, messages=messages, response_model=Found)
    assert found.code == 12345
""",
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_runs_on_the_client(checkout: Checkout, framework: str) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    head = "import pytest\n\n\n@pytest.mark.longctx(trials=1)\ndef test_it(ask):"
    write(checkout, f"{head}{FRAMEWORKS[framework]}")
    with saying('{"code": 12345}') as server:
        record(checkout, server)
    assert checkout.pytest(*RUN).says("1 trial: 1 replayed")
