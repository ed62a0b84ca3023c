"""What the variants, positions and controls of long-context QA are called where people read them."""

from __future__ import annotations

POSITIONS = {0: "beginning", 50: "middle", 100: "end"}
EXAMPLES = {"none": "no examples", "unrelated": "2 unrelated examples", "two": "2 examples", "five": "5 examples"}
SECTIONS = {"right": "the right section", "wrong": "a wrong section", "none": "no section"}


def variant(name: str) -> str:
    """A variant's name: its examples, and whether there is a scratchpad."""
    examples, pad, _ = name.partition("_scratchpad")
    return EXAMPLES.get(examples, examples) + (" + scratchpad" if pad else "")


def section(record: str) -> str:
    """A control's name: what the model is given to read."""
    return SECTIONS.get(record, record)


def position(depth: object) -> str:
    """beginning, middle, end, or a percentage."""
    return POSITIONS.get(depth, f"{depth}%") if isinstance(depth, int) else str(depth)
