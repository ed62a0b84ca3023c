"""The pages of the reference, made from the code."""

from __future__ import annotations


def pages() -> dict[str, str]:
    """Where a page stands in the site -> its Markdown, or the text of a file to download."""
    return {}
