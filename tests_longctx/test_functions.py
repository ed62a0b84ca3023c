"""Plain test functions: chats, a loop over tools, given cases and product code. Profiles name them by [test_NAME].

docs/functions.md explains them. They are examples, with recordings of a small model.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from desk import answer_from

if TYPE_CHECKING:
    from longctx import Ask, Case, Check, Draw

HANDBOOK = Path(__file__).resolve().parents[1] / "fixtures/handbook"


@pytest.mark.longctx(trials=20)
@pytest.mark.parametrize("tokens", [200, 500])
def test_refund_code(ask: Ask, draw: Draw, tokens: int) -> None:
    """One fact in prose about other things, the same fact at every length."""
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The refund code is {code}.", depth=draw.uniform())
    answer = ask(f"{text}\n\nWhat is the refund code? Answer with the number alone.", max_tokens=24)
    assert answer.integer() == code


@pytest.mark.longctx(trials=12)
def test_two_turns(ask: Ask, draw: Draw, check: Check) -> None:
    """A chat in which the second question says "it": the model must take it from the turns before."""
    berth, fee = draw.integer(10, 99), draw.integer(200, 899)
    history = [
        {"role": "user", "content": f"Berth {berth} is free. It costs {fee} crowns a year. Which berth is free?"}
    ]
    first = ask(messages=history, max_tokens=24)
    history += [first.turn, {"role": "user", "content": "And how many crowns does it cost a year?"}]
    second = ask(messages=history, max_tokens=24)
    check("berth", str(berth) in first.text)
    check("fee", str(fee) in second.text)


@pytest.mark.longctx(cases="desk_cases.jsonl", cluster="document")
def test_desk(ask: Ask, check: Check, case: Case) -> None:
    """The product's own code answers questions about the handbook."""
    pytest.importorskip("anthropic", reason="the product's code calls its SDK, which is not installed")
    text = (HANDBOOK / f"{case.document}.md").read_text(encoding="utf-8")
    answer = answer_from(ask.client(), text, case.question)
    ask.lexical(text, case.question, case.answer)
    check("answer", case.answer in answer)
    check("short", len(answer.split()) <= 12)


ORDER_STATUS = {
    "name": "order_status",
    "description": "Look an order up.",
    "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
}


@pytest.mark.longctx(trials=12)
def test_tool_loop(ask: Ask, draw: Draw, check: Check) -> None:
    """The model looks an order up before it answers.

    A model as small as the recorded one calls a tool only if its reply begins as a call does, so this test begins
    each reply. Larger models need none of that, and some refuse it.
    """
    number, day = draw.integer(10_000, 99_999), draw.integer(1, 28)
    looked_up: list[int] = []

    def order_status(number: int) -> str:
        looked_up.append(number)
        return f"sent, arrives on day {day}"

    history = [{"role": "user", "content": f"When does order {number} arrive?"}]
    for beginning in ("<tool_call>\n", "It arrives on day"):
        answer = ask(
            messages=[*history, {"role": "assistant", "content": beginning}],
            system="You answer customers of a shop in one sentence.",
            tools=[ORDER_STATUS],
            max_tokens=40,
        )
        if answer.tool_uses:
            history += [answer.turn, answer.tool_results({"order_status": order_status})]
    check("looked-up", looked_up == [number])
    check("day", answer.integer() == day)
