"""What parameters are called where people read them."""

from __future__ import annotations

FAMILIES = {
    "line_retrieval": "Line retrieval",
    "passkey": "Passkey",
    "collage": "Long-context QA",
    "control": "Controls of the questions",
}
POSITIONS = {0: "beginning", 50: "middle", 100: "end"}


def family(name: str) -> str:
    """A family's name; a user's own family keeps the name it has."""
    return FAMILIES.get(name, name)


def order(block_size: object) -> str:
    """Of the lines of a file: ordered, shuffled, or blocks of so many lines."""
    if block_size is None:
        return "ordered"
    return "shuffled" if block_size == 1 else f"blocks of {block_size}"


def position(depth: object) -> str:
    """beginning, middle, end, or a percentage."""
    return POSITIONS.get(depth, f"{depth}%") if isinstance(depth, int) else str(depth)
