"""Readable names of the orders of a file's lines."""

from __future__ import annotations


def order(block_size: object) -> str:
    """Name the order of a file's lines: ordered, shuffled, or blocks of so many lines."""
    if block_size is None:
        return "ordered"
    return "shuffled" if block_size == 1 else f"blocks of {block_size}"


def order_and_name(block_size: object) -> str:
    """Name the order of a file's lines, with the scenario's own name of it if that differs."""
    return f"shuffled (block_size-{block_size})" if block_size == 1 else order(block_size)
