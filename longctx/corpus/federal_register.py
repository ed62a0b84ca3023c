"""The Federal Register's daily issue in GPO markup, as the notebook of the long-context QA protocol reads it.

Sources: seeds/long-context-qa.md, cells 2 and 3 (`BeautifulSoup(...).get_text().split("BILLING CODE")`); the markup is
described in GPO's "Federal Register XML Rendition User Guide", https://github.com/usgpo/bulk-data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from longctx.errors import UserError

SEPARATOR = "BILLING CODE"
"""Ends each document. Presidential documents have "Billing code" instead: like the notebook, no split is made there."""

DOCUMENTS = frozenset({"RULE", "PRORULE", "NOTICE", "PRESDOCU", "CORRECT"})
MAX_DEPTH = 200  # elements within elements; real issues have about a dozen
WHITESPACE = " \t\r\n\f"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text between two billing codes. `number` counts from 1, whatever is left out later.

    department and title: of the first document in it; empty where the markup names none.
    """

    number: int
    text: str
    department: str = ""
    title: str = ""


def read_issue(xml: bytes, name: str) -> list[Chunk]:
    """The chunks of a daily issue, in order; the first begins at its first department.

    Raises UserError, naming the file, for XML that is not well formed, hostile (any DOCTYPE: real issues have none)
    or no issue.
    """
    issue = _parse(xml, name)
    whole = "".join(issue.pieces)
    chunks = []
    begins = issue.begins
    for number, text in enumerate(whole[begins:].split(SEPARATOR), 1):
        ends = begins + len(text)
        first = {tag: place for tag, place in reversed(issue.names) if begins <= place.start < ends}
        names = {tag: " ".join(whole[place].split()) for tag, place in first.items()}
        chunks.append(Chunk(number, text, names.get("AGENCY", ""), names.get("SUBJECT", "")))
        begins = ends + len(SEPARATOR)
    return chunks


@dataclass(slots=True)
class _Text:
    """An expat target that joins text nodes as BeautifulSoup's get_text() does.

    BeautifulSoup keeps a text node as it is, but turns one of nothing but whitespace into one newline, or into one
    space if it holds no newline. names: where AGENCY and SUBJECT elements stand in the text, in order.
    """

    pieces: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    depth: int = 0
    length: int = 0
    document: int | None = None
    opened: dict[str, int] = field(default_factory=dict)
    names: list[tuple[str, slice]] = field(default_factory=list)

    def start(self, tag: str, _: dict[str, str]) -> None:
        self.flush()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecursionError
        if tag in DOCUMENTS and self.document is None:
            self.document = self.length
        if tag in ("AGENCY", "SUBJECT") and self.document is not None:
            self.opened[tag] = self.length

    def end(self, tag: str) -> None:
        self.flush()
        self.depth -= 1
        if tag in self.opened:
            self.names.append((tag, slice(self.opened.pop(tag), self.length)))

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
        self.pieces.append(text)
        self.length += len(text)

    def close(self) -> _Text:
        return self

    @property
    def begins(self) -> int:
        """The offset of the first department, or of the first document where none is named."""
        agencies = (place.start for tag, place in self.names if tag == "AGENCY")
        return int(next(agencies, self.document or 0))


def _parse(xml: bytes, name: str) -> _Text:
    parser = DefusedXMLParser(target=_Text(), forbid_dtd=True)
    try:
        parser.feed(xml)
        read = parser.close()
    except DefusedXmlException:
        raise UserError(
            f"{name} is refused: it declares a document type or entities, which can expand without bound or read "
            "other files, and which no issue of the Federal Register has. Remove the <!DOCTYPE ...>."
        ) from None
    except RecursionError:
        raise UserError(f"{name} is refused: its elements lie more than {MAX_DEPTH} deep in each other.") from None
    except (ParseError, ValueError, LookupError) as error:
        raise UserError(f"{name} is not well-formed XML: {error}. Was the download cut short?") from None
    assert isinstance(read, _Text)
    return read
