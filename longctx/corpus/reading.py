"""Reading the sections of a folder of documents, without counting their tokens."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longctx.config.file_names import slug
from longctx.corpus.billing import Reading, documents
from longctx.corpus.federal_register import read_issue
from longctx.corpus.frozen import FILE
from longctx.corpus.settings import SETTINGS, is_document, read_settings
from longctx.errors import UserError
from longctx.files import inside
from longctx.plural import count


@dataclass(frozen=True, slots=True)
class ReadSection:
    """A document, or a part of one, before its tokens are counted."""

    id: str
    title: str
    department: str
    text: str


BESIDE = {SETTINGS, FILE, "questions.jsonl", "questions.dropped.jsonl"}
"""The files that longctx itself reads or writes beside documents."""
BESIDE_SUFFIXES = {".part", ".etag", ".sha256"}
"""Those of a download."""
Unnamed = tuple[str, str, str]
"""Title, department and text of a part."""


def read_parts(
    folder: Path, reading: Reading, split_at: str | None, ignore: Sequence[str] = ()
) -> Iterator[ReadSection]:
    """Yield every part of a folder's files, in the order of their names, or of a single file. READMEs are left out, and
    what matches a pattern of `ignore`.

    A file is split after billing codes, and documents in .xml at `split_at` too, except in the notebook's reading;
    .txt and .md are split at `split_at` instead of billing codes. Raises UserError.
    """
    seen: dict[str, Path] = {}
    for path in filter(is_document, _files(folder, ignore)):
        if folder.is_dir():
            inside(path, folder)
        relative = path.relative_to(folder) if folder.is_dir() else Path(path.name)
        name = slug("-".join(relative.with_suffix("").parts))
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


def unread(folder: Path) -> str:
    """Return a sentence on the files of a folder that are no documents; empty if there are none. Raises UserError."""
    files = [path for path in _files(folder, read_settings(folder).ignore) if not is_document(path)]
    if not files:
        return ""
    kinds = Counter(path.suffix.lower() or "no suffix" for path in files)
    unread = f"{count(len(files), 'file is', 'files are')} not read"
    listed = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
    return (
        f"{folder}: {unread} ({listed}; the first: {files[0].relative_to(folder)}). Documents are .txt, .md and .xml: "
        "convert a file to text (pdftotext -layout FILE.pdf does so for a PDF), or list it in corpus.toml, such as "
        f'ignore = ["{f"*{files[0].suffix}" if files[0].suffix else files[0].name}"].'
    )


def _files(folder: Path, ignore: Sequence[str]) -> Iterator[Path]:
    """Yield the files of a folder that may be documents, or a single file."""
    if not folder.is_dir():
        yield folder
        return
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        ours = path.name in BESIDE or path.suffix in BESIDE_SUFFIXES or path.stem.upper() == "README"
        ignored = any(fnmatch.fnmatch(relative.as_posix(), pattern) for pattern in ignore)
        if path.is_file() and not (hidden or ours or ignored):
            yield path


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
