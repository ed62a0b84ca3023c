"""A corpus: the sections that collages are made of, from a folder of .xml, .txt and .md files.

Source of the bounds: seeds/long-context-qa.md, cell 3: sections of more than 200 and at most 5000 tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from longctx.config.folders import FIXTURES, read_toml, slug
from longctx.corpus.federal_register import SEPARATOR, read_issue
from longctx.corpus.frozen import Frozen, load_frozen
from longctx.corpus.tokens import REFERENCE, count_tokens
from longctx.errors import UserError

REGISTER = FIXTURES / "register"
SETTINGS = "corpus.toml"
SUFFIXES = (".xml", ".txt", ".md")


class Settings(BaseModel):
    """corpus.toml, optional in a user's folder. Sections keep to min_tokens < tokens <= max_tokens.

    split_at: text that separates the sections of a .txt or .md file; without it a file is one section.
    examples: ids of sections that serve as examples for question writing and are kept out of the test.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = ""
    min_tokens: NonNegativeInt = 200
    max_tokens: PositiveInt = 5000
    split_at: str | None = Field(default=None, min_length=1)
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One document of a corpus, or one part of it. tokens: in the corpus's reference vocabulary."""

    id: str
    title: str
    department: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sections in the order of their files. examples and left_out (too short or too long) are not in `sections`.

    digest: SHA-256 over the sections; corpora with one digest give the same collages.
    """

    name: str
    vocabulary: str
    sections: tuple[Section, ...]
    examples: tuple[Section, ...] = ()
    left_out: tuple[Section, ...] = ()
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        whole = hashlib.sha256()
        for section in self.sections:
            text = section.text.encode("utf-8", "surrogatepass")
            whole.update(f"{section.id}\0{section.tokens}\0{len(text)}\0".encode() + text)
        object.__setattr__(self, "digest", whole.hexdigest())

    @property
    def tokens(self) -> int:
        return sum(section.tokens for section in self.sections)


def load_corpus(folder: Path = REGISTER) -> Corpus:
    """The corpus of a folder, the shipped register by default; or of a single file, with its folder's corpus.toml.

    Counts come from the folder's sections.toml where there is one, which must then fit the texts, and are counted
    otherwise, as those of a single file are. Raises UserError naming the file and what to do.
    """
    settings = read_settings(folder)
    frozen = load_frozen(folder) if folder.is_dir() else None
    read = list(_read(folder, settings))
    if frozen is None:
        counted = {section.id: count_tokens(section.text) for section in read}
        vocabulary = REFERENCE
    else:
        counted = frozen.fitting(folder, {section.id: section.text for section in read})
        vocabulary = frozen.vocabulary
    sections = [
        Section(section.id, section.title, section.department, section.text, counted[section.id]) for section in read
    ]
    return _sorted_out(folder, settings, vocabulary, sections)


def freeze(folder: Path) -> Path:
    """Count every section of a folder and write the counts beside them. Raises UserError as load_corpus does."""
    if folder.is_file():
        raise UserError(f"{folder} is a file: give the folder it lies in.")
    sections = list(_read(folder, read_settings(folder)))
    return Frozen.of(REFERENCE, {s.id: (s.title, s.text, count_tokens(s.text)) for s in sections}).write(folder)


def read_settings(folder: Path) -> Settings:
    """Those of a folder, or of the folder of a file. Raises UserError where there is neither."""
    if not folder.is_dir() and not _is_document(folder):
        raise UserError(
            f"No folder {folder}: give a folder of .xml, .txt or .md files, or fetch one with corpus fetch."
        )
    path = _settings_path(folder)
    return read_toml(path, Settings) if path.is_file() else Settings()


def _settings_path(folder: Path) -> Path:
    return (folder if folder.is_dir() else folder.parent) / SETTINGS


def _is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.is_file()


def _sorted_out(folder: Path, settings: Settings, vocabulary: str, sections: list[Section]) -> Corpus:
    missing = sorted(set(settings.examples) - {section.id for section in sections})
    if missing and folder.is_dir():
        raise UserError(f"{folder / SETTINGS}: examples names {missing[0]!r}, which is no section of {folder}.")
    examples = tuple(section for section in sections if section.id in settings.examples)
    others = [section for section in sections if section.id not in settings.examples]
    kept = tuple(section for section in others if settings.min_tokens < section.tokens <= settings.max_tokens)
    left_out = tuple(section for section in others if section not in kept)
    if not kept:
        found = f"{len(left_out)} of other sizes" if left_out else "no .xml, .txt or .md files at all"
        raise UserError(
            f"{folder} has no section of more than {settings.min_tokens} and at most {settings.max_tokens} tokens, "
            f"but {found}. The bounds, and split_at for long .txt and .md files, can be set in "
            f"{_settings_path(folder)}."
        )
    return Corpus(folder.resolve().name, vocabulary, kept, examples, left_out)


def _read(folder: Path, settings: Settings) -> Iterator[Section]:
    """Every section of the folder's files, in the order of their names, not yet counted. READMEs are left out."""
    seen: dict[str, Path] = {}
    for path in _documents(folder):
        inside = path.relative_to(folder) if folder.is_dir() else Path(path.name)
        name = slug("-".join(inside.with_suffix("").parts))
        if name in seen:
            raise UserError(f"{path} and {seen[name]} would both give sections named {name!r}: rename one.")
        seen[name] = path
        yield from _read_xml(path, name) if path.suffix.lower() == ".xml" else _read_text(path, name, settings.split_at)


def _documents(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        yield folder
        return
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if _is_document(path) and not hidden and path.stem.upper() != "README":
            yield path


def _read_xml(path: Path, name: str) -> Iterator[Section]:
    """An issue of the Federal Register; other XML without billing codes is one section."""
    chunks = read_issue(_bytes(path), str(path))
    for chunk in chunks:
        number = f"-{chunk.number:03d}" if len(chunks) > 1 else ""
        yield Section(f"{name}{number}", chunk.title, chunk.department, chunk.text, 0)


def _read_text(path: Path, name: str, split_at: str | None) -> Iterator[Section]:
    try:
        text = _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8, or move it out of the folder.") from None
    parts = text.split(split_at or SEPARATOR)
    for number, part in enumerate(parts, 1):
        lines = (line.strip("#= \t") for line in part.splitlines())
        title = next((line for line in lines if line), "")[:120]
        yield Section(f"{name}-{number:03d}" if len(parts) > 1 else name, title, "", part, 0)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from None
