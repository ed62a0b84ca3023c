"""Tables as text: hostile content stays in its cell and is harmless."""

from __future__ import annotations

import re

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from longctx.report.render import code, markdown_table, terminal_table
from longctx.report.table import Table
from longctx.visible import visible

HOSTILE = "<b>|\x1b[31m`x` @someone\n| a | \u202e"


def table(text: str) -> Table:
    frame = pd.DataFrame({"trial": [text], "said": [text]}, dtype=object).set_index("trial")
    return Table(text, frame, said=("said",))


def test_a_terminal_shows_escapes() -> None:
    shown = terminal_table(table(HOSTILE))
    assert shown.count("<b>|\\x1b[31m`x` @someone\\n| a | \\u202e") == 3
    assert len(shown.splitlines()) == 5


def test_markdown_quotes_what_a_model_said_and_lets_no_html_through() -> None:
    title, _, _, _, row = markdown_table(table(HOSTILE)).splitlines()
    assert title.startswith("## &lt;b>")
    cells = re.split(r"(?<!\\)\|", row)
    assert len(cells) == 4
    assert cells[1].strip().startswith("&lt;b>\\|\\x1b[31m")
    assert cells[2].strip() == "``<b>\\|\\x1b[31m`x` @someone\\n\\| a \\| \\u202e``"


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
