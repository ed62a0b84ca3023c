"""Take the pictures in README and the docs again: python -m tools.pictures. It needs Chromium.

First it replays the suite, whose report is kept in reports/reference. A picture keeps the words that it shows, so that
a test can tell when today's page shows others.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from tests.browser import MISSING, SCREEN, Tab, installed, launched
from tools.overview import overview
from tools.site.repository import DOCS, REPORT, ROOT

IMAGES = ROOT / DOCS / "images"
REFERENCE = ROOT / REPORT
SHOWN_CHARACTERS = 1000
"""The characters of the page that its first screen shows, about."""
KEYWORD = b"words"
SIGNATURE = 8
"""The bytes before the first chunk of a PNG."""


def replay() -> None:
    """Write the report of the recorded suite again."""
    shutil.rmtree(REFERENCE.parent)
    suite = [sys.executable, "-m", "pytest", "-n", "2", "tests_longctx", f"--ctx-report={REFERENCE.parent}"]
    subprocess.run([*suite, "-p", "no:cacheprovider"], cwd=ROOT, check=True)  # noqa: S603


def take() -> Mapping[str, bytes]:
    """Return pictures of the first screens of today's pages, by their files, with the words in them."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "overview.html"
        page.write_text(overview(Path(folder) / "demo"), encoding="utf-8")
        with launched(offline=True) as tab:
            return {name: _picture(tab, file) for name, file in {"overview.png": page, "report.png": REFERENCE}.items()}


def _picture(tab: Tab, file: Path) -> bytes:
    """Return the picture of what a page has on its first screen."""
    page = tab.open(file.as_uri())
    words = _lasting(page.inner_text("body")[:SHOWN_CHARACTERS])
    height = min(page.evaluate("document.body.offsetHeight"), SCREEN["height"])
    picture = page.screenshot(clip={"x": 0, "y": 0, "width": SCREEN["width"], "height": height})
    return _with_chunk(picture, KEYWORD + b"\0" + words.encode("latin-1", "replace"))


def words_of(picture: bytes) -> str:
    """Return the words that a picture keeps."""
    texts = (data for kind, data in _chunks(picture) if kind == b"tEXt" and data.startswith(KEYWORD + b"\0"))
    return next(texts, b"").partition(b"\0")[2].decode("latin-1")


def _lasting(text: str) -> str:
    """Return words without the times that each run has anew."""
    return " ".join(re.sub(r"\d{4}-\d\d-\d\dT[\d-]+|up to \d+ days?", "…", text).split())


def _chunks(picture: bytes) -> list[tuple[bytes, bytes]]:
    place, chunks = SIGNATURE, []
    while place < len(picture):
        length, kind = struct.unpack_from(">I4s", picture, place)
        chunks.append((kind, picture[place + 8 : place + 8 + length]))
        place += 12 + length
    return chunks


def _with_chunk(picture: bytes, data: bytes) -> bytes:
    """Return a picture with a chunk of text before its end, a chunk of 12 bytes."""
    body = b"tEXt" + data
    return picture[:-12] + struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body)) + picture[-12:]


if __name__ == "__main__":
    if installed() is None:
        sys.exit(MISSING)
    replay()
    for name, picture in take().items():
        (IMAGES / name).write_bytes(picture)
        print(f"{name}: {words_of(picture)}")
