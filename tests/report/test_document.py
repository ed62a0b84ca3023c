"""A document as text, Markdown and HTML has the same tables and nothing executable."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.report.document import Document, as_html, as_terminal
from longctx.report.markdown_document import as_markdown
from longctx.text import visible
from longctx.views.chart import Table

HOSTILE = "</td></table><script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7 * 7 }}\x1b]0;x\x07\u202e"
ANY = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)


def document(text: str) -> Document:
    table = Table.from_columns(text, {"trial": [text], text or "column": ["1"], "said": [text]}, said=("said",))
    return Document(text, (text,), (table,))


class Tags(HTMLParser):
    """The tags and the text of a page, as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_same_cells_in_every_format() -> None:
    table = Table("Rates", ("cell", "A"), (("lines-5", "0.50"), ("all", "0.75")))
    page = Document("B against A", ("one", "two"), (table,))
    assert as_terminal(page) == (
        "B against A\none\ntwo\n\nRates\n\ncell     A\n-------  ----\nlines-5  0.50\nall      0.75\n"
    )
    assert as_markdown(page).startswith("# B against A\n\n- one\n- two\n\n## Rates\n\n| cell | A |\n")
    text = Tags(as_html(page)).text
    assert [cell for cell in text if cell.strip()][-6:] == ["cell", "A", "lines-5", "0.50", "all", "0.75"]


@pytest.mark.parametrize("written", [as_terminal, as_markdown, as_html])
def test_nothing_unseen_is_left(written: Callable[[Document], str]) -> None:
    shown = written(document(HOSTILE))
    assert visible(shown, keep="\n") == shown
    assert "\\x1b]0;x\\x07\\u202e" in shown


def test_a_page_holds_no_tag_but_its_own() -> None:
    plain, hostile = Tags(as_html(document("text"))), Tags(as_html(document(HOSTILE)))
    assert hostile.tags == plain.tags
    assert hostile.attributes.keys() == plain.attributes.keys()
    assert not {"script", "img", "link", "iframe", "form", "a"} & set(plain.tags)
    assert "49" not in as_html(document(HOSTILE))


@given(ANY)
def test_any_text_is_text(text: str) -> None:
    assert Tags(as_html(document(text))).tags == Tags(as_html(document("text"))).tags


def test_the_policy_allows_the_page_s_own_style_alone() -> None:
    html = as_html(document("text"))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert policy is not None
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "style=" not in html
    assert "http://" not in html
    assert "https://" not in html
