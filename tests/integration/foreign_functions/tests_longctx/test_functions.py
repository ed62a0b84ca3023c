"""Test functions of a project: drawn items, given cases, a loop over tools, and code of a product."""

import product
import pytest

TOOLS = [
    {
        "name": "read_line",
        "description": "Return a line of the file.",
        "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
    }
]


@pytest.fixture
def instructions():
    return "Answer with the number alone."


@pytest.mark.longctx(trials=4, bands={"short": 500, "long": 5_000})
@pytest.mark.parametrize("tokens", [300, 1_200])
def test_refund_code(ask, draw, tokens, instructions):
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The refund code is {code}.", depth=draw.uniform())
    assert ask(f"{text}\n\nWhat is the refund code?", system=instructions).integer() == code


@pytest.mark.longctx(cases="contracts.jsonl", cluster="contract")
def test_review(ask, check, judge, case):
    text, stop_reason = product.review(ask.client(), case.text, case.question)
    check("ends", stop_reason == "end_turn")
    check("tone", judge(f"Is this a number: {text}? Answer Y or N.").choice("YN") == "Y")
    assert int(text) == case["answer"]


@pytest.mark.longctx(trials=3)
def test_tools(ask, draw):
    lines = [str(value) for value in draw.sample(range(1_000), 5)]
    asked = draw.integer(0, 4)
    history = [{"role": "user", "content": f"Read line {asked} of the file, and say what it holds."}]
    for _ in range(4):
        answer = ask(messages=history, tools=TOOLS)
        if not answer.tool_uses:
            break
        history += [answer.turn, answer.tool_results({"read_line": lambda number: lines[number]})]
    assert answer.integer() == int(lines[asked])


class TestProduct:
    @pytest.mark.longctx(trials=2)
    async def test_sum(self, ask, draw):
        values = [draw.integer(1, 50) for _ in range(3)]
        assert await product.summed(ask.async_client(), values) == 3 * sum(values)
