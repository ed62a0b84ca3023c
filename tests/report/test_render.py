"""Tables as text: hostile content stays in its cell and is harmless."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from longctx.report.document import terminal_table
from longctx.report.markdown import code, plain
from longctx.report.markdown_document import markdown_table
from longctx.text import visible
from longctx.views.chart import Table

HOSTILE = "<b>|\x1b[31m`x` @someone\n| a | \u202e"


def table(text: str) -> Table:
    return Table(text, ("trial", "said"), ((text, text),), said=("said",))


def test_a_terminal_shows_escapes() -> None:
    shown = terminal_table(table(HOSTILE))
    assert shown.count("<b>|\\x1b[31m`x` @someone\\n| a | \\u202e") == 3
    assert len(shown.splitlines()) == 5


def test_markdown_quotes_what_a_model_said_and_lets_no_markup_through() -> None:
    title, _, _, _, row = markdown_table(table(HOSTILE)).splitlines()
    assert title == "## `` <b>|\\x1b[31m`x` `` `@someone\\n|` a | \\u202e"
    cells = re.split(r"(?<!\\)\|", row)
    assert len(cells) == 4
    assert cells[1].strip() == "`` <b>\\|\\x1b[31m`x` `` `@someone\\n\\|` a \\| \\u202e"
    assert cells[2].strip() == "``<b>\\|\\x1b[31m`x` @someone\\n\\| a \\| \\u202e``"


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BLOCKS = {"## {}": "heading_open", "- {}": "bullet_list_open", "{}": "paragraph_open", "| {} |\n| --- |": "table_open"}
"""The places of a text in Markdown, and what it is in there."""


def parts(markdown: str, block: str) -> list[tuple[str, str]]:
    """Return the kind and the content of each part of the first line of a Markdown text, which must be one block."""
    tokens = MARKDOWN.parse(markdown)
    assert tokens[0].type == block
    [inline] = [token for token in tokens if token.type == "inline"]
    assert not {token.type for token in tokens} & {"html_block", "fence", "code_block", "blockquote_open", "hr"}
    return [(token.type, token.content) for token in inline.children or []]


@pytest.mark.parametrize("place", BLOCKS)
@pytest.mark.parametrize(
    "name",
    [
        *("[a](javascript:1)", "[a link](javascript:1)", "![a](http://h.test/p.png)", "<javascript:alert(1)>"),
        *("@everyone", "(@everyone)", "x@h.test", "owner/repository#12", "#12", "http://h.test", "www.h.test", "a://b"),
        *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- hidden", "&lt;b&gt;", "&#64;everyone"),
        *("**bold**", "_a b_", "~~gone~~", "`code`", "``", "a | b", "\\[a](b)", "[a]: http://h.test", "[^1]: note"),
        *("# a heading", "> quoted", "- listed", "+ listed", "* listed", "1. listed", "---", "===", "```", "~~~"),
    ],
)
def test_a_name_is_neither_a_link_nor_a_mention_nor_markup(name: str, place: str) -> None:
    """docs/security.md, markdown"""
    found = parts(place.format(plain(name).replace("|", "\\|") if "|" in place else plain(name)), BLOCKS[place])
    assert {kind for kind, _ in found} <= {"text", "code_inline"}
    assert "".join(content for _, content in found) == name
    said = " ".join(content for kind, content in found if kind == "text")
    assert not re.search(r"@\w|://|www\.|#\d", said), "GitHub makes links of these, though Markdown does not"


@given(st.text("ab1 []()<>`*_~@#&;:!|\\/.-+=\"'", min_size=1).filter(str.strip))
def test_any_text_reads_in_markdown_as_it_is(text: str) -> None:
    found = parts(f"- {plain(text)}", "bullet_list_open")
    assert {kind for kind, _ in found} <= {"text", "code_inline"}
    assert "".join(content for _, content in found).split() == text.split()


@pytest.mark.parametrize(
    "text", ["claude-haiku-4-5", "k_max, accuracy [95% interval]", "p < 0.05 & n > 3", "a_b/c:d (e)."]
)
def test_an_ordinary_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@given(st.text(st.characters(codec=None, exclude_categories=()), min_size=1))
def test_a_code_span_ends_where_it_should(text: str) -> None:
    shown = code(text)
    fence = re.match("`+", shown)
    assert fence is not None
    inner = shown[len(fence[0]) : -len(fence[0])]
    assert shown.endswith(fence[0])
    assert fence[0] not in re.findall("`+", inner)
    assert visible(text).replace("|", "\\|") in inner


def test_no_text_is_no_code() -> None:
    assert code("") == ""


def test_a_dash_in_a_cell_is_no_code() -> None:
    costs = Table("Costs", ("model", "cost"), (("a", "-"), ("b", "- listed")))
    assert [line.split("|")[2].strip() for line in markdown_table(costs).splitlines()[4:]] == [
        "-",
        "`-` listed",
    ]
