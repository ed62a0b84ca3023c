"""Take the README's picture of a gate's page again: python -m tools.pictures. It needs Chromium.

The file keeps the words that it shows, so that a test can tell when the page shows others.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
import sys
import tempfile
import zlib
from pathlib import Path

from longctx.cli import main as longctx
from tests.browser import MISSING, installed, launched
from tools.site.repository import DOCS, ROOT

GATE = ROOT / DOCS / "images/gate.png"
SHOWN = 1000
"""The characters of the page that its first screen shows, about."""
KEYWORD = b"words"
SIGNATURE = 8
"""The bytes before the first chunk of a PNG."""


def take() -> bytes:
    """Return a picture of the first screen of today's page of `longctx demo`, a gated run, and its words in it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()):
            longctx(["demo"])
        with launched(offline=True) as tab:
            page = tab.open(Path("longctx-demo/reports/latest/index.html").resolve().as_uri())
            words = page.inner_text("body")[:SHOWN]
            picture = page.screenshot()
    return _with_chunk(picture, KEYWORD + b"\0" + _lasting(words).encode("latin-1", "replace"))


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
    GATE.write_bytes(take())
    print(f"{GATE.relative_to(ROOT)}: {words_of(GATE.read_bytes())}")
