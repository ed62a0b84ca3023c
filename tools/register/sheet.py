"""Turning the register's plain notation into GPO markup.

Prose is written in blocks of text, with an empty line between paragraphs:

    # Heading            a first-level heading (## a second-level one)
    - item               a flush item of a list
    ^ note               a footnote to the paragraph before
    > text               an extract: what an order or a regulation says
    ? text               a paragraph that half of the documents have
    @name                a part that the genre defines: a table, a list, other blocks
    OR                   between two paragraphs: one of them is drawn

In running text, *words* are italics. Choices and slots are described in pen.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tools.register.country import Agency
from tools.register.pen import Pen

HEADINGS = {
    "AGY": "AGENCY",
    "ACT": "ACTION",
    "SUM": "SUMMARY",
    "DATES": "DATES",
    "EFFDATE": "DATES",
    "ADD": "ADDRESSES",
    "FURINF": "FOR FURTHER INFORMATION CONTACT",
}
TextRows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document before it has a page and a number. kind: RULE, PRORULE or NOTICE.

    heads: the lines under the agency, as (tag, plain text). preamble: (tag, lines of markup). body and signature: lines
    of markup.
    """

    kind: str
    agency: Agency
    subject: str
    heads: Sequence[tuple[str, str]]
    preamble: Sequence[tuple[str, Sequence[str]]]
    body: Sequence[str]
    signature: Sequence[str]


def write(
    pen: Pen, notation: str, facts: Mapping[str, Any], parts: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Return the lines of markup of a block in the notation above. parts: the markup of its @names."""
    lines: list[str] = []
    notes = 0
    for piece in _pieces(pen, notation):
        if piece.startswith("@"):
            lines += (parts or {})[piece[1:]]
            continue
        mark, text = re.fullmatch(r"(#{1,2}|[->^]|) ?(.*)", piece, re.DOTALL).groups()  # type: ignore[union-attr]
        spoken = pen.say(text, facts)
        match mark:
            case "#" | "##":
                lines.append(f'<HD SOURCE="HD{len(mark)}">{inline(spoken)}</HD>')
            case "-":
                lines.append(f'<FP SOURCE="FP-1">{inline(spoken)}</FP>')
            case ">":
                lines.append(f"<EXTRACT>\n<P>{inline(spoken)}</P>\n</EXTRACT>")
            case "^":
                notes += 1
                lines[-1] = lines[-1].removesuffix("</P>") + f"<SU>{notes}</SU><FTREF/></P>"
                lines.append(f"<FTNT>\n<P><SU>{notes}</SU> {inline(spoken)}</P>\n</FTNT>")
            case _:
                lines.append(f"<P>{inline(spoken)}</P>")
    return lines


def _pieces(pen: Pen, notation: str) -> list[str]:
    """Draw the paragraphs that this document has, in order."""
    pieces: list[str] = []
    for stretch in re.split(r"\n\s*\n", notation.strip()):
        chosen = pen.pick(re.split(r"\n\s*OR\s*\n", stretch)).strip()
        if chosen.startswith("?") and pen.chance(50):
            continue
        chosen = chosen.removeprefix("?").strip()
        if heading := re.match(r"(#+ [^\n]*)\n(.*)", chosen, re.DOTALL):
            pieces.append(heading[1])
            chosen = heading[2]
        pieces += re.split(r"\n\s*(?=[\^-] )", chosen)
    return pieces


def items(texts: Sequence[str], letters: bool = False) -> list[str]:
    """Return a numbered or lettered list of flush items, which end with semicolons unless they end with a full stop."""
    marks = "abcdefghijklmnopqrstuvwxyz" if letters else range(1, len(texts) + 1)
    ended = [text if text.endswith(".") else f"{text};" for text in texts]
    ended[-1] = ended[-1].removesuffix(";").removesuffix(".") + "."
    return [f'<FP SOURCE="FP-1">({mark}) {inline(text)}</FP>' for mark, text in zip(marks, ended, strict=False)]


def table(title: str, heads: Sequence[str], rows: TextRows) -> list[str]:
    """Return a GPOTABLE. The first column is the stub."""
    lines = [f'<GPOTABLE COLS="{len(heads)}" OPTS="L2,nj,i1" CDEF="s50,{",".join(["12"] * (len(heads) - 1))}">']
    lines += [f"<TTITLE>{inline(title)}</TTITLE>", "<BOXHD>"]
    lines += [f'<CHED H="1">{inline(head)}</CHED>' for head in heads]
    lines.append("</BOXHD>")
    for first, *rest in rows:
        lines += [
            "<ROW>",
            f'<ENT I="01">{inline(first)}</ENT>',
            *(f"<ENT>{inline(cell)}</ENT>" for cell in rest),
            "</ROW>",
        ]
    return [*lines, "</GPOTABLE>"]


def amendment(title: int, part: int, paragraphs: Sequence[str]) -> list[str]:
    """Return an amended regulation as a REGTEXT. Instructions start with a number, headings with a §."""
    lines = [f'<REGTEXT TITLE="{title}" PART="{part}">']
    for text in paragraphs:
        if section := re.match(r"(§ [\d.–-]+) (.*)", text):
            lines.append(
                f"<SECTION>\n<SECTNO>{section[1]}</SECTNO>\n<SUBJECT>{inline(section[2])}</SUBJECT>\n</SECTION>"
            )
        else:
            tag = "AMDPAR" if re.match(r"\d+\. ", text) else "P"
            lines.append(f"<{tag}>{inline(text)}</{tag}>")
    return [*lines, "</REGTEXT>"]


def signed(day: str, name: object, title: str) -> list[str]:
    return [
        "<SIG>",
        f"<DATED>{inline(day)}</DATED>",
        f"<NAME>{inline(str(name))},</NAME>",
        f"<TITLE>{inline(title)}.</TITLE>",
        "</SIG>",
    ]


def markup(sheet: Sheet, page: int, number: str, filed: str) -> list[str]:
    """Return the document as lines of XML."""
    lines = [f"<{sheet.kind}>", "<PREAMB>", f"<PRTPAGE P={quoteattr(str(page))}/>"]
    lines.append(f'<AGENCY TYPE="F">{escape(sheet.agency.department.upper())}</AGENCY>')
    if sheet.agency.name != sheet.agency.department:
        lines.append(f"<SUBAGY>{escape(sheet.agency.name)}</SUBAGY>")
    lines += [f"<{tag}>{inline(text)}</{tag}>" for tag, text in sheet.heads]
    lines.append(f"<SUBJECT>{inline(sheet.subject)}</SUBJECT>")
    for tag, paragraphs in sheet.preamble:
        heading = f'<HD SOURCE="HED">{HEADINGS[tag]}:</HD>'
        lines += [f"<{tag}>", heading, *paragraphs, f"</{tag}>"]
    lines.append("</PREAMB>")
    opening = ['<HD SOURCE="HED">SUPPLEMENTARY INFORMATION:</HD>'] if sheet.preamble else []
    lines += ["<SUPLINF>", *opening, *sheet.body, "</SUPLINF>", *sheet.signature]
    lines.append(f"<FRDOC>[VR Doc. {number} Filed {filed}; 8:45 am]</FRDOC>")
    lines += [f"<BILCOD>BILLING CODE {sheet.agency.bilcod}–P</BILCOD>", f"</{sheet.kind}>"]
    return lines


def inline(text: str) -> str:
    """Escape a text, and set *words* in italics."""
    return re.sub(r"\*([^*]+)\*", r'<E T="03">\1</E>', escape(text))


def plain_text(pen: Pen, notation: str, facts: Mapping[str, Any]) -> list[str]:
    """Return the paragraphs of a block as plain text, for elements with markup of their own."""
    return [pen.say(piece, facts) for piece in _pieces(pen, notation)]
