"""The parts of a document in a terminal and as Markdown."""

from __future__ import annotations

from longctx.report.blocks import Diff, Fold, Name, TableRows, TextLine, terminal_blocks
from longctx.report.markdown_document import markdown_blocks
from longctx.views.chart import Table
from tests.report.markdown import without_code

HOSTILE = "\x1b[2J<img src=x> @everyone [a](http://b) ``` | c"
BANDS = TableRows(
    Table("", ("", "before", "change", ""), (("lines", "0.61", "-19.5 [-26.9, -12.2]", "pass"),)), ("before",), "change"
)


def test_each_block_in_both_media() -> None:
    blocks = (
        TextLine.of("prompts ", Name("a_b"), " → ", Name("c")),
        BANDS,
        Fold(TextLine.of("What changed: it"), (Diff(("-old", "+new")),), is_open=True),
        Fold(TextLine.of("2 of 3"), (TextLine.of("more"),)),
        Fold(TextLine.of("listed"), (TextLine.of("below"),), in_tables=True),
    )
    assert terminal_blocks(blocks).splitlines() == [
        "prompts a_b → c",
        "       before  change",
        "lines    0.61  -19.5 [-26.9, -12.2]  pass",
        "",
        "What changed: it",
        "  -old",
        "  +new",
        "",
        "2 of 3",
        "more",
    ]
    assert terminal_blocks(blocks, in_full=False).splitlines()[3:] == ["What changed: it (-v shows it)"]
    assert markdown_blocks(blocks).split("\n\n") == [
        "prompts `a_b` → `c`",
        "|  | before | change |  |\n| --- | --- | --- | --- |\n| lines | 0.61 | **-19.5** [-26.9, -12.2] | pass |",
        "<details open><summary>What changed: it</summary>",
        "```diff\n-old\n+new\n```",
        "</details>",
        "<details><summary>2 of 3</summary>",
        "more",
        "</details>",
        "<details><summary>listed</summary>",
        "below",
        "</details>",
    ]


def test_nothing_that_others_wrote_is_markup() -> None:
    text = markdown_blocks([TextLine.of("about ", Name(HOSTILE)), TextLine.of(HOSTILE)])
    assert not {"<", "@", "\x1b", "["} & set(without_code(text))
    [fence, *_, end] = markdown_blocks([Diff((HOSTILE,))]).splitlines()
    assert (fence, end) == ("````diff", "````")
    [title, *_] = markdown_blocks([Fold(TextLine.of(Name(HOSTILE)), ())]).splitlines()
    assert "<summary><code>\\x1b[2J&lt;img src=x&gt; @everyone" in title
    table = TableRows(Table.from_columns("", {"now": [HOSTILE]}, said=("now",)))
    assert not {"<", "@", "\x1b", "["} & set(without_code(markdown_blocks([table])))
