"""A made-up session of an agent, its logs in two formats, and a simulated model that drafts and answers questions.

It is no model, and is never used for recordings in cassettes/.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.context_server import knowing
from tests.servers import Answer, Body, message, prompt_of

FORGETS = 3000
"""The tokens, by characters, from which on the simulated model no longer knows the codes of its odd depots."""
REST = "The road is open and the crew is on time, so nothing else needs to be done there today. " * 2


def place(number: int) -> str:
    return f"Depot{number}"


def claude_code(number: int) -> str:
    """Return a session of Claude Code with so many depots, each with its code in a tool result; one was compacted."""
    lines: list[dict[str, Any]] = [{"type": "summary", "summary": "Depot work", "leafUuid": "x"}]
    for each in range(number):
        use = {"type": "tool_use", "id": f"t{each}", "name": "look_up", "input": {"place": place(each)}}
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{each}",
            "content": f"The code of {place(each)} is K{each}Q7. {REST}",
        }
        lines += [
            _line("user", f"Please look at {place(each)} now. {REST}"),
            _line("assistant", [use]),
            _line("user", [result]),
            _line("assistant", [{"type": "text", "text": f"{place(each)} is looked at. {REST}"}]),
        ]
        if each == number // 2:
            lines += [{"type": "system", "subtype": "compact_boundary"}]
            lines += [_line("user", "So far: depots.") | {"isCompactSummary": True}]
    lines += [_line("user", "of a subagent") | {"isSidechain": True}]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def _line(role: str, content: Any) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": content}, "isSidechain": False}


def openai_log(number: int) -> str:
    """Return a log of OpenAI's chat completions: each request has all turns before it."""
    turns: list[dict[str, Any]] = [{"role": "system", "content": "You look after depots."}]
    lines = []
    for each in range(number):
        turns = [*turns, {"role": "user", "content": f"The code of {place(each)} is K{each}Q7. {REST}"}]
        reply = {"role": "assistant", "content": f"I have noted {place(each)}. {REST}"}
        lines.append({"request": {"messages": turns}, "response": {"choices": [{"message": reply}]}})
        turns = [*turns, reply]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def drafted(text: str) -> str:
    """Return questions about a text: on each code in it, one that can be guessed, and one that it does not answer."""
    questions = [(f"What is the code of {name}?", code) for name, code in re.findall(r"code of (\w+) is (\w+)", text)]
    questions = [("What is the capital of France?", "Paris"), ("What is the mayor of Nowhere?", "Jones"), *questions][
        :5
    ]
    return "\n".join(
        f"<Question {number}>\n{question}\n</Question {number}>\n<Answers {number}>\n1. {answer}\n2. A\n3. B\n4. C\n"
        f"</Answers {number}>"
        for number, (question, answer) in enumerate(questions, 1)
    )


def answering(body: Body) -> Answer:
    """Draft, or answer what the text knows; of a long text, forget every other depot."""
    text = prompt_of(body)
    if "<Passage>" in text:
        return 200, {}, message(drafted(text.rpartition("<Passage>")[2].partition("</Passage>")[0]), body)
    if "capital of France?" in text:
        return 200, {}, message("Paris", body)
    if "Do not continue it" in text:
        return 200, {}, message(" ".join(re.findall(r"The code of \w+ is \w+\.", text)), body)
    known = knowing(text)
    if len(text) / 4 > FORGETS and re.search(r"K\d*[13579]Q7", known):
        known = "Not known."
    return 200, {}, message(known, body)
