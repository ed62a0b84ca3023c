"""Reading the sections of a folder of documents, without counting their tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from longctx.config.file_names import slug
from longctx.corpus.billing import Reading, documents
from longctx.corpus.federal_register import read_issue
from longctx.corpus.settings import is_document
from longctx.errors import UserError
from longctx.links import inside


@dataclass(frozen=True, slots=True)
class ReadSection:
    """A document, or a part of one, before its tokens are counted."""

    id: str
    title: str
    department: str
    text: str


Unnamed = tuple[str, str, str]
"""Title, department and text of a part."""


def read_parts(folder: Path, reading: Reading, split_at: str | None) -> Iterator[ReadSection]:
    """Yield every part of a folder's files, in the order of their names, or of a single file. READMEs are left out.

    A file is split after billing codes, and documents in .xml at `split_at` too, except in the notebook's reading;
    .txt and .md are split at `split_at` instead of billing codes. Raises UserError.
    """
    seen: dict[str, Path] = {}
    for path in _documents(folder):
        inside = path.relative_to(folder) if folder.is_dir() else Path(path.name)
        name = slug("-".join(inside.with_suffix("").parts))
        if name in seen:
            raise UserError(
                "duplicate-section-names",
                f"{path} and {seen[name]} would both give sections named {name!r}: rename one.",
            )
        seen[name] = path
        read = _read_xml if path.suffix.lower() == ".xml" else _read_text
        parts = list(read(path, reading, split_at))
        for number, (title, department, text) in enumerate(parts, 1):
            yield ReadSection(f"{name}-{number:03d}" if len(parts) > 1 else name, title, department, text)


def _documents(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        yield folder
        return
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if is_document(path) and not hidden and path.stem.upper() != "README":
            yield inside(path, folder)


def _read_xml(path: Path, reading: Reading, split_at: str | None) -> Iterator[Unnamed]:
    for chunk in read_issue(_bytes(path), str(path), reading):
        first, *rest = chunk.text.split(split_at) if split_at and reading != "notebook" else [chunk.text]
        yield chunk.title, chunk.department, first
        yield from ((_first_line(text), chunk.department, text) for text in rest)


def _read_text(path: Path, reading: Reading, split_at: str | None) -> Iterator[Unnamed]:
    try:
        text = _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(
            "not-utf-8", f"{path} is not UTF-8 text: save it as UTF-8, or move it out of the folder."
        ) from None
    parts = text.split(split_at) if split_at else [text[place] for place in documents(text, reading)]
    yield from ((_first_line(part), "", part) for part in parts)


def _first_line(text: str) -> str:
    lines = (line.strip("#= \t") for line in text.splitlines())
    return next((line for line in lines if line), "")[:120]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError("not-readable", f"{path} cannot be read: {error.strerror}.") from None
