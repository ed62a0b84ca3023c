"""Documents of a user, questions about them, and a simulated model that answers from the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.given import json_lines
from tests.integration.conftest import Checkout
from tests.servers import Body, prompt_of, saying


def notice(number: int) -> str:
    return f"Notice {number}. The harbor of district {number} collects {number + 3} crowns a barge at its gates."


def question(number: int) -> dict[str, object]:
    wrong = [f"{number + step} crowns" for step in (13, 23, 33)]
    asked = f"What does the harbor of district {number} collect a barge?"
    return {
        "id": f"q{number}",
        "section": f"n{number}",
        "question": asked,
        "right": f"{number + 3} crowns",
        "wrong": wrong,
    }


def harbors(checkout: Checkout, numbers: Iterable[int]) -> None:
    """Write a notice for each number to documents/, and a question about each to questions.jsonl."""
    checkout.file("documents").mkdir()
    checkout.file("documents/corpus.toml").write_text("min_tokens = 0\n")
    for number in numbers:
        checkout.file(f"documents/n{number}.txt").write_text(notice(number))
    json_lines(checkout.file("questions.jsonl"), *map(question, numbers))


def reader(body: Body):
    """Answer from the record alone, or with A if the district's notice is not in it."""
    prompt = prompt_of(body)
    district = re.findall(r"<Question>\nWhat does the harbor of district (\d+)", prompt)[-1]
    fee = re.search(rf"harbor of district {district} collects (\d+) crowns", prompt)
    answers = prompt.rpartition("<Answers>")[2]
    letter = re.search(rf"(\w)\. {fee[1]} crowns", answers)[1] if fee and district != "0" else "A"
    return saying(f"<scratchpad>{fee[0] if fee else ''}</scratchpad><Answer>{letter}</Answer>")(body)
