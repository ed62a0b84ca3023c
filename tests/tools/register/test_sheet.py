"""The notation that genres are written in, and the markup it becomes."""

from tools.register.pen import Pen
from tools.register.sheet import amendment, items, table, write

NOTATION = """
# A <Heading|Heading>
First <&|&> *Verrany Register* paragraph
over two lines.
^ A note on {it}.

## Lower
- one;
- two.

@list

> An extract.

Either.
OR
Or.
"""


def test_notation_becomes_markup() -> None:
    lines = write(Pen("x"), NOTATION, {"it": "it"}, {"list": items(["c", "d"], letters=True)})
    assert lines[:-1] == [
        '<HD SOURCE="HD1">A Heading</HD>',
        '<P>First &amp; <E T="03">Verrany Register</E> paragraph over two lines.<SU>1</SU><FTREF/></P>',
        "<FTNT>\n<P><SU>1</SU> A note on it.</P>\n</FTNT>",
        '<HD SOURCE="HD2">Lower</HD>',
        '<FP SOURCE="FP-1">one;</FP>',
        '<FP SOURCE="FP-1">two.</FP>',
        '<FP SOURCE="FP-1">(a) c;</FP>',
        '<FP SOURCE="FP-1">(b) d.</FP>',
        "<EXTRACT>\n<P>An extract.</P>\n</EXTRACT>",
    ]
    assert lines[-1] in ("<P>Either.</P>", "<P>Or.</P>")


def test_paragraphs_marked_with_a_question_mark_are_in_half_of_the_documents() -> None:
    written = [len(write(Pen("half", n), "? # Perhaps\nText.", {})) for n in range(60)]
    assert set(written) == {0, 2}
    assert 15 < written.count(2) < 45


def test_tables_and_amendments() -> None:
    assert table("Fees", ["What", "Crowns"], [("A & B", "1.50")]) == [
        '<GPOTABLE COLS="2" OPTS="L2,nj,i1" CDEF="s50,12">',
        "<TTITLE>Fees</TTITLE>",
        "<BOXHD>",
        '<CHED H="1">What</CHED>',
        '<CHED H="1">Crowns</CHED>',
        "</BOXHD>",
        "<ROW>",
        '<ENT I="01">A &amp; B</ENT>',
        "<ENT>1.50</ENT>",
        "</ROW>",
        "</GPOTABLE>",
    ]
    assert amendment(14, 39, ["1. Add:", "§ 39.13 [Amended]", "(a) Text."]) == [
        '<REGTEXT TITLE="14" PART="39">',
        "<AMDPAR>1. Add:</AMDPAR>",
        "<SECTION>\n<SECTNO>§ 39.13</SECTNO>\n<SUBJECT>[Amended]</SUBJECT>\n</SECTION>",
        "<P>(a) Text.</P>",
        "</REGTEXT>",
    ]
