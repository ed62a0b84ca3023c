"""Downloading a day's issue of the Federal Register from govinfo.gov, with its checksum.

Reading the Federal Register in GPO markup, a daily issue or a single document, like the long-context QA notebook.

Sources: that notebook (docs/protocols.md), cells 2 and 3 (`BeautifulSoup(...).get_text().split("BILLING CODE")`); the
markup is described in GPO's "Federal Register XML Rendition User Guide", https://github.com/usgpo/bulk-data.
"""

from __future__ import annotations

import datetime
import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from longctx import __version__
from longctx.corpus.billing import Reading, documents
from longctx.errors import UserError
from longctx.links import inside

GOVINFO = "https://www.govinfo.gov"
LIMIT = 100_000_000  # bytes; the longest issues have about 30 million
BLOCK = 1 << 16
TIMEOUT_S = 60.0
Downloaded = Callable[[int, int | None], None]
"""Called with the bytes received so far and the bytes expected (None if unknown)."""


@dataclass(frozen=True, slots=True)
class Fetched:
    path: Path
    sha256: str
    bytes: int


def fetch(
    day: str, folder: Path, base_url: str = GOVINFO, limit: int = LIMIT, progress: Downloaded = lambda have, of: None
) -> Fetched:
    """Download FR-<day>.xml into the folder, resuming an interrupted download, and write its SHA-256 next to it.

    Raises UserError: bad date, no issue on that day, offline, longer than `limit` bytes, interrupted, not an issue.
    """
    name = f"FR-{_day(day).isoformat()}"
    url = f"{_base(base_url)}/content/pkg/{name}/xml/{name}.xml"
    path = folder / f"{name}.xml"
    for suffix in ("", ".part", ".part.etag", ".sha256"):
        inside(folder / f"{name}.xml{suffix}", folder)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = _Part(path.with_suffix(".xml.part"), path.with_suffix(".xml.part.etag"))
        _download(url, part, limit, progress)
        _check_issue(part.path, url)
        part.path.replace(path)
        part.tag_path.unlink(missing_ok=True)
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    path.with_suffix(".xml.sha256").write_text(f"{digest}  {path.name}\n", encoding="utf-8")
    return Fetched(path, digest, len(content))


@dataclass(frozen=True, slots=True)
class _Part:
    """A download in progress. tag_path contains the server's ETag, or the date, of this version of the file."""

    path: Path
    tag_path: Path

    @property
    def tag(self) -> str:
        return self.tag_path.read_text(encoding="utf-8") if self.tag_path.exists() else ""

    @property
    def size(self) -> int:
        """The bytes that can be resumed; 0 without a tag, as the file may then have changed."""
        return self.path.stat().st_size if self.tag and self.path.exists() else 0


def _download(url: str, part: _Part, limit: int, progress: Downloaded) -> None:
    headers = {"User-Agent": f"longctx/{__version__}"}
    if part.size:
        headers |= {"Range": f"bytes={part.size}-", "If-Range": part.tag}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_S) as answer:  # noqa: S310  (_base allows http only)
            _save(answer, url, part, limit, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and part.size:
            part.path.unlink()
            return _download(url, part, limit, progress)
        if error.code == 404:
            raise UserError(
                "no-issue-on-day",
                f"{url} does not exist: no issue appeared on that day. There are none on weekends and federal "
                "holidays.",
            ) from None
        raise UserError("download-refused", f"{url} answered {error.code} {error.reason}. Try again later.") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        kept = f" {part.size:,} bytes are kept, and the same command continues from there." if part.size else ""
        raise UserError(
            "download-failed", f"{url} could not be read: {reason}. Is this machine online?{kept}"
        ) from None


def _save(answer: http.client.HTTPResponse, url: str, part: _Part, limit: int, progress: Downloaded) -> None:
    have = part.size if answer.status == 206 else 0
    length = answer.headers.get("Content-Length", "")
    expected = have + int(length) if length.isdigit() else None
    if (expected or 0) > limit:
        raise UserError(
            "download-too-large",
            f"{url} has {expected:,} bytes, more than the {limit:,} that are allowed: raise --max-bytes.",
        )
    part.tag_path.write_text(answer.headers.get("ETag") or answer.headers.get("Last-Modified") or "", encoding="utf-8")
    with part.path.open("ab" if have else "wb") as file:
        while block := answer.read(BLOCK):
            have += len(block)
            if have > limit:
                raise UserError(
                    "download-too-large",
                    f"{url} has more than the {limit:,} bytes that are allowed: raise --max-bytes.",
                )
            file.write(block)
            progress(have, expected)
    if expected is not None and have < expected:
        raise UserError(
            "download-cut-short",
            f"The connection to {url} ended after {have:,} of {expected:,} bytes. Run the same command to continue.",
        )


def _check_issue(path: Path, url: str) -> None:
    """Keep the file only if it is an issue: some sites answer a missing file with status 200 and an error page."""
    content = path.read_bytes()
    if not re.search(rb"<FEDREG[\s>]", content[:4096]):
        path.unlink()
        raise UserError(
            "not-an-issue",
            f"{url} is not an issue of the Federal Register. There are none on weekends and federal holidays.",
        )
    try:
        read_issue(content, url)
    except UserError:
        path.unlink()
        raise


def _day(day: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(day)
    except ValueError:
        raise UserError("bad-date", f"{day!r} is not a date: write it like 2023-07-13.") from None


def _base(url: str) -> str:
    if not re.match(r"https?://[^/]", url):
        raise UserError(
            "bad-fetch-address", f"{url!r} is not an address to fetch from: it must begin with https:// or http://."
        )
    return url.rstrip("/")


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
        if not self.pending:
            return
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

    def places_of(self, name: str) -> list[slice]:
        """Return the places of the elements with that tag."""
        return [place for tag, place in self.places if tag == name]


def _parse(xml: bytes, name: str, reading: Reading) -> _Text:
    parser = DefusedXMLParser(target=_Text(reading), forbid_dtd=True)
    try:
        parser.feed(xml)
        read = parser.close()
    except DefusedXmlException:
        raise UserError(
            "xml-with-doctype",
            f"{name} is refused: it declares a document type or entities, which can expand without bound or read other "
            "files. Remove the <!DOCTYPE ...>.",
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
