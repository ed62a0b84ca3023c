"""Downloading a day's issue of the Federal Register from govinfo.gov, with its checksum."""

from __future__ import annotations

import datetime
import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from longctx import __version__
from longctx.corpus.federal_register import read_issue
from longctx.errors import UserError
from longctx.files import inside

GOVINFO = "https://www.govinfo.gov"
LIMIT = 100_000_000  # bytes; the longest issues have about 30 million
BLOCK = 1 << 16
TIMEOUT_S = 60.0
Downloaded = Callable[[int, int | None], None]
"""Called with the bytes received so far and the bytes expected (None if the server does not say)."""


@dataclass(frozen=True, slots=True)
class Fetched:
    path: Path
    sha256: str
    bytes: int


def fetch(
    day: str, folder: Path, base_url: str = GOVINFO, limit: int = LIMIT, progress: Downloaded = lambda have, of: None
) -> Fetched:
    """Download FR-<day>.xml into the folder, resuming an interrupted download, and write its SHA-256 beside it.

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
    """A download in progress. tag_path holds the server's ETag, or the date, of this version of the file."""

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
        kept = f" {part.size:,} bytes are kept, and the same command goes on from there." if part.size else ""
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
            f"The connection to {url} ended after {have:,} of {expected:,} bytes. Run the same command to go on.",
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
