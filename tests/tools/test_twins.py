"""The list of pages for language models."""

from __future__ import annotations

from tools.site.twins import llms, twin

PAGES = {
    "gate.html": ("The gate", "# The gate"),
    "index.html": ("longctx", "# longctx"),
    "reference/errors.html": ("Errors", "# Errors"),
}


def test_each_page_has_a_twin() -> None:
    assert [twin(page) for page in PAGES] == ["gate.md", "index.md", "reference/errors.md"]


def test_the_list_begins_with_the_first_page_and_has_sections() -> None:
    lines = [line for line in llms(PAGES).splitlines() if line]
    assert lines[0] == "# longctx"
    assert lines[2:] == [
        "## Guides",
        "- [longctx](index.md)",
        "- [The gate](gate.md)",
        "## Reference",
        "- [Errors](reference/errors.md)",
    ]
