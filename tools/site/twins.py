"""The Markdown twin of each page of the site, and the list of them for language models: llms.txt."""

from __future__ import annotations

from collections.abc import Mapping

ABOUT = (
    "A pytest plugin that measures how well language models use long contexts, records every answer, and gates changes "
    "of models, prompts and contexts on paired evidence."
)


def twin(page: str) -> str:
    """Return the place of a page's Markdown. page: its place in the site, such as gate.html."""
    return f"{page.removesuffix('.html')}.md"


def llms(pages: Mapping[str, tuple[str, str]]) -> str:
    """Return llms.txt: the pages by section, each with its title. pages: title and Markdown by place.

    Format: https://llmstxt.org.
    """
    sections: dict[str, list[str]] = {}
    for page, (title, _) in sorted(pages.items(), key=lambda item: (item[0] != "index.html", "/" in item[0], item[0])):
        folder = page.rpartition("/")[0]
        sections.setdefault(folder or "guides", []).append(f"- [{title}]({twin(page)})")
    listed = (f"## {name.capitalize()}\n\n" + "\n".join(lines) for name, lines in sections.items())
    return f"# longctx\n\n> {ABOUT}\n\n" + "\n\n".join(listed) + "\n"
