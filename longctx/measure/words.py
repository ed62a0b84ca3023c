"""What parameters are called where people read them, and the order in which families stand there."""

from __future__ import annotations

from collections.abc import Sequence

FAMILIES = {
    "line_retrieval": "Line retrieval",
    "passkey": "Passkey",
    "collage": "Long-context QA",
    "control": "Controls of the questions",
}
POSITIONS = {0: "beginning", 50: "middle", 100: "end"}
EXAMPLES = {"none": "no examples", "unrelated": "2 unrelated examples", "two": "2 examples", "five": "5 examples"}
SECTIONS = {"right": "the right section", "wrong": "a wrong section", "none": "no section"}


def family(name: str) -> str:
    """A family's name; a user's own family keeps the name it has."""
    return FAMILIES.get(name, name)


def by_protocol(families: Sequence[str]) -> list[int]:
    """The places of families in the order in which the protocols come, then a user's own; equals as they stand."""
    ranks = {name: rank for rank, name in enumerate([*FAMILIES, *(one for one in families if one not in FAMILIES)])}
    return sorted(range(len(families)), key=lambda place: ranks[families[place]])


def order(block_size: object) -> str:
    """Of the lines of a file: ordered, shuffled, or blocks of so many lines."""
    if block_size is None:
        return "ordered"
    return "shuffled" if block_size == 1 else f"blocks of {block_size}"


def order_and_name(block_size: object) -> str:
    """The same, with what scenarios are named by where that is another word."""
    return f"shuffled (block_size-{block_size})" if block_size == 1 else order(block_size)


def variant(name: str) -> str:
    """Of long-context QA: the examples, and whether there is a scratchpad."""
    examples, pad, _ = name.partition("_scratchpad")
    return EXAMPLES.get(examples, examples) + (" + scratchpad" if pad else "")


def section(record: str) -> str:
    """Of the controls: what the model is given to read."""
    return SECTIONS.get(record, record)


def position(depth: object) -> str:
    """beginning, middle, end, or a percentage."""
    return POSITIONS.get(depth, f"{depth}%") if isinstance(depth, int) else str(depth)
