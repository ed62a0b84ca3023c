"""Reading the Federal Register in GPO markup, a daily issue or a single document, like the long-context QA notebook.

Sources: that notebook (docs/protocols.md), cells 2 and 3 (`BeautifulSoup(...).get_text().split("BILLING CODE")`); the
markup is described in GPO's "Federal Register XML Rendition User Guide", https://github.com/usgpo/bulk-data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from longctx.corpus.billing import Reading, documents
from longctx.errors import UserError

DOCUMENTS = frozenset({"RULE", "PRORULE", "NOTICE", "PRESDOCU", "CORRECT"})
MAX_DEPTH = 200  # of nested elements; real issues have about a dozen
WHITESPACE = " \t\r\n\f"
TYPEFACES = ("02", "03", "04")
"""The kinds of emphasis in bold or italics; other kinds raise or lower a part of a word."""
RUN_TOGETHER = re.compile(r"[\w,.;:?!)\]”’][\w(\[“\u2018$§]")
"""The end of a word and the beginning of the next, without a space."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A document with its billing code. `number` counts all chunks from 1, also those that are left out later.

    department and title: those of the first document in the chunk; empty if the markup names none.
    """

    number: int
    text: str
    department: str = ""
    title: str = ""


def read_issue(xml: bytes, name: str, reading: Reading = "documents") -> list[Chunk]:
    """Return the chunks of an issue or of a single document, in order; the first begins at its first department.

    Raises UserError, naming the file, for XML that is not well formed or hostile (any DOCTYPE: real issues have none).
    """
    issue = _parse(xml, name, reading)
    text = "".join(issue.pieces)
    chunks = []
    for number, place in enumerate(documents(text, reading, issue.begins, issue.places_of("BILCOD")), 1):
        first = {tag: span for tag, span in reversed(issue.places) if place.start <= span.start < place.stop}
        names = {tag: " ".join(text[span].split()) for tag, span in first.items()}
        chunks.append(Chunk(number, text[place], names.get("AGENCY", ""), names.get("SUBJECT", "")))
    return chunks


@dataclass(slots=True)
class _Text:
    """An expat target that joins text nodes as BeautifulSoup's get_text() does.

    BeautifulSoup keeps a text node as it is, except that a node of whitespace becomes a single newline, or a single
    space if it contains no newline. Words that run together at a page break or at emphasis are separated by a space,
    but not in the notebook's reading.
    """

    reading: Reading
    pieces: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    depth: int = 0
    length: int = 0
    document: int | None = None
    opened: dict[str, int] = field(default_factory=dict)
    places: list[tuple[str, slice]] = field(default_factory=list)
    """The places of AGENCY, SUBJECT and BILCOD elements in the text, in order."""
    emphasis: list[bool] = field(default_factory=list)
    at_joint: bool = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.flush()
        if tag == "E":
            self.emphasis.append(attributes.get("T") in TYPEFACES)
        self.at_joint |= tag == "PRTPAGE" or (tag == "E" and self.emphasis[-1])
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecursionError
        if tag in DOCUMENTS and self.document is None:
            self.document = self.length
        if tag == "BILCOD" or (tag in ("AGENCY", "SUBJECT") and self.document is not None):
            self.opened[tag] = self.length

    def end(self, tag: str) -> None:
        self.flush()
        self.depth -= 1
        if tag == "E":
            self.at_joint |= self.emphasis.pop()
        if tag in self.opened:
            self.places.append((tag, slice(self.opened.pop(tag), self.length)))

    def data(self, data: str) -> None:
        self.pending.append(data)

    def comment(self, _: str) -> None:
        self.flush()

    def pi(self, _: str, __: str | None = None) -> None:
        self.flush()

    def flush(self) -> None:
        text = "".join(self.pending)
        self.pending.clear()
        if text and not text.strip(WHITESPACE):
            text = "\n" if "\n" in text else " "
        if text and self.at_joint:
            self.at_joint = False
            if self.reading != "notebook" and self.pieces and RUN_TOGETHER.match(self.pieces[-1][-1] + text[0]):
                text = f" {text}"
        if text:
            self.pieces.append(text)
            self.length += len(text)

    def close(self) -> _Text:
        return self

    @property
    def begins(self) -> int:
        """The offset of the first department, or of the first document if no department is named."""
        agencies = (place.start for place in self.places_of("AGENCY"))
        return int(next(agencies, self.document or 0))

    def places_of(self, wanted: str) -> list[slice]:
        """Return the places of the elements with that tag."""
        return [place for tag, place in self.places if tag == wanted]


def _parse(xml: bytes, name: str, reading: Reading) -> _Text:
    parser = DefusedXMLParser(target=_Text(reading), forbid_dtd=True)
    try:
        parser.feed(xml)
        read = parser.close()
    except DefusedXmlException:
        raise UserError(
            "xml-with-doctype",
            f"{name} is refused: it declares a document type or entities, which can expand without bound or read "
            "other files, and which no issue of the Federal Register has. Remove the <!DOCTYPE ...>.",
        ) from None
    except RecursionError:
        raise UserError(
            "xml-too-deep", f"{name} is refused: its elements are nested more than {MAX_DEPTH} deep. Fetch it again."
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise UserError(
            "xml-not-well-formed", f"{name} is not well-formed XML: {error}. Was the download cut short?"
        ) from None
    assert isinstance(read, _Text)
    return read
