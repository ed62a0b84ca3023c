"""A notice to write questions about, and a server that writes them."""

from __future__ import annotations

import re

from tests.servers import Body, message, prompt_of


def notice(district: int) -> str:
    return (
        f"The Harbor Office of District {district} dredges basin {district}00 in May. "
        f"Barges pay {district + 3} crowns. Ships moor at quay Alder{district}."
    )


def tagged(number: int, question: str, *answers: str) -> str:
    lines = "\n".join(f"{place}. {answer}" for place, answer in enumerate(answers, 1))
    return f"<Question {number}>\n{question}\n</Question {number}>\n<Answers {number}>\n{lines}\n</Answers {number}>\n"


def district_of(body: Body) -> int:
    return int(re.findall(r"Harbor Office of District (\d+)", prompt_of(body))[-1])


def writer(body: Body) -> tuple[int, dict[str, str], bytes]:
    """Writes two questions about the last passage, as the notebook's model did."""
    n = district_of(body)
    office = f"the Harbor Office of District {n}"
    text = tagged(
        1,
        f"Where do ships moor by order of {office}?",
        f"At quay Alder{n}",
        "At the pier of Birch",
        "At the Cedar lock",
        "At the Elm bridge",
    )
    text += tagged(2, f"What do barges pay to {office}?", f"{n + 3} crowns", "41 crowns", "52 crowns", "63 crowns")
    return 200, {}, message(text, body)  # fmt: skip
