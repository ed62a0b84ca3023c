"""The readable name of the order of a file's lines."""

from __future__ import annotations


def order(block_size: object) -> str:
    """Name the order of a file's lines: ordered, shuffled, or blocks of so many lines."""
    if block_size is None:
        return "ordered"
    return "shuffled" if block_size == 1 else f"blocks of {block_size}"
