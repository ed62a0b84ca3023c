"""Readable names of the variants, positions and controls of long-context QA."""

from __future__ import annotations

POSITIONS = {0: "beginning", 50: "middle", 100: "end"}
EXAMPLES = {"none": "no examples", "unrelated": "2 unrelated examples", "two": "2 examples", "five": "5 examples"}
SECTIONS = {"right": "the right section", "wrong": "a wrong section", "none": "no section"}


def variant(name: str) -> str:
    """Name a variant by its examples and its scratchpad."""
    examples, pad, _ = name.partition("_scratchpad")
    return EXAMPLES.get(examples, examples) + (" + scratchpad" if pad else "")


def section(record: str) -> str:
    """Name a control by the section that the model is given to read."""
    return SECTIONS.get(record, record)


def position(depth: object) -> str:
    """Name a depth: beginning, middle, end, or a percentage."""
    return POSITIONS.get(depth, f"{depth}%") if isinstance(depth, int) else str(depth)
