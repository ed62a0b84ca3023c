"""A corpus: the sections that collages are made of, from a folder of .xml, .txt and .md files.

Source of the size limits: the notebook on long-context QA (docs/protocols.md), cell 3: sections of more than 200 and at
most 5000 tokens.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from longctx.corpus.billing import Reading
from longctx.corpus.frozen import Frozen, load_frozen, moved_to
from longctx.corpus.reading import read_parts
from longctx.corpus.settings import SETTINGS, CorpusSettings, documents_folder, read_settings, settings_path
from longctx.corpus.tokens import REFERENCE, count_tokens
from longctx.errors import UserError


@dataclass(frozen=True, slots=True)
class CorpusSection:
    """A document of a corpus, or a part of one."""

    id: str
    title: str
    department: str
    text: str
    tokens: int
    """Its size in the corpus's reference vocabulary."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sections in the order of their files."""

    name: str
    vocabulary: str
    sections: tuple[CorpusSection, ...]
    """All but those of `examples` and `left_out`."""
    examples: tuple[CorpusSection, ...] = ()
    left_out: tuple[CorpusSection, ...] = ()
    """Those that are too short or too long."""
    digest: str = field(init=False)
    """SHA-256 over the sections; corpora with the same digest give the same collages."""

    def __post_init__(self) -> None:
        digest = hashlib.sha256()
        for section in self.sections:
            text = section.text.encode("utf-8", "surrogatepass")
            digest.update(f"{section.id}\0{section.tokens}\0{len(text)}\0".encode() + text)
        object.__setattr__(self, "digest", digest.hexdigest())

    @property
    def tokens(self) -> int:
        return sum(section.tokens for section in self.sections)


def load_corpus(folder: Path) -> Corpus:
    """Load the corpus of a folder, or of a single file with its folder's corpus.toml.

    Token counts come from the folder's sections.toml, if there is one and it matches the texts; those of a single file,
    or of a folder without one, are counted. Raises UserError naming the file and what to do.
    """
    if (elsewhere := documents_folder(folder)) != folder:
        return replace(load_corpus(elsewhere), name=folder.resolve().name)
    settings = read_settings(folder)
    frozen = load_frozen(folder) if folder.is_dir() else None
    parts = list(read_parts(folder, _reading(folder, settings), settings.split_at, settings.ignore))
    if frozen is None:
        counted = {part.id: count_tokens(part.text) for part in parts}
        vocabulary = REFERENCE
    else:
        counted = frozen.tokens_of(folder, {part.id: part.text for part in parts})
        vocabulary = frozen.vocabulary
    sections = [CorpusSection(part.id, part.title, part.department, part.text, counted[part.id]) for part in parts]
    return _select_sections(folder, settings, vocabulary, sections)


def freeze(folder: Path) -> Path:
    """Count the tokens of a folder's sections and write them beside it. Raises UserError as load_corpus does."""
    if folder.is_file():
        raise UserError("path-is-file", f"{folder} is a file: give the folder that it is in.")
    if (elsewhere := documents_folder(folder)) != folder:
        raise UserError("documents-elsewhere", f"{folder} has the documents of {elsewhere}: freeze that folder.")
    settings = read_settings(folder)
    reading = _reading(folder, settings)
    parts = read_parts(folder, reading, settings.split_at, settings.ignore)
    counted = {part.id: (part.title, part.text, count_tokens(part.text)) for part in parts}
    return Frozen.of(REFERENCE, counted, reading).write(folder)


def _reading(folder: Path, settings: CorpusSettings) -> Reading:
    """Return the reading that corpus.toml states, or else that of the frozen counts, so that recordings stay valid."""
    frozen = load_frozen(folder if folder.is_dir() else folder.parent)
    return settings.reading or (frozen.reading if frozen else "documents")


def _select_sections(folder: Path, settings: CorpusSettings, vocabulary: str, sections: list[CorpusSection]) -> Corpus:
    missing = sorted(set(settings.examples) - {section.id for section in sections})
    if missing and folder.is_dir():
        raise UserError(
            "unknown-example-section",
            f"{folder / SETTINGS}: examples names {missing[0]!r}, which is not a section of {folder}"
            f"{moved_to(missing[0], [section.id for section in sections])}: correct the name.",
        )
    examples = tuple(section for section in sections if section.id in settings.examples)
    others = [section for section in sections if section.id not in settings.examples]
    kept = tuple(section for section in others if settings.min_tokens < section.tokens <= settings.max_tokens)
    fitting = {section.id for section in kept}
    left_out = tuple(section for section in others if section.id not in fitting)
    if not sections:
        raise UserError("no-documents", f"{folder} holds no .xml, .txt or .md file: give the folder of the documents.")
    if not kept:
        raise UserError(
            "no-section-of-size",
            f"{folder} has no section of more than {settings.min_tokens} and at most {settings.max_tokens} tokens, "
            f"but {len(left_out)} of other sizes. Set the bounds, or split_at for long files, in "
            f"{settings_path(folder)}.",
        )
    return Corpus(folder.resolve().name, vocabulary, kept, examples, left_out)
