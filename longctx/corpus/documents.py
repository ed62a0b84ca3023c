"""A corpus: the sections that collages are made of, from a folder of .xml, .txt and .md files.

Source of the size limits: the notebook on long-context QA (docs/protocols.md), cell 3: sections of more than 200 and at
most 5000 tokens.

Token counts by a named reference vocabulary, the same for every model and on every machine.

Source of the vocabulary and its licence: fixtures/vocabularies/README.md.
"""

from __future__ import annotations

import binascii
import fnmatch
import functools
import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, field_validator

from longctx.config.file_names import slug
from longctx.config.project_files import digest_of, read_toml, unreadable
from longctx.corpus.billing import Reading, documents
from longctx.corpus.frozen import FILE, Frozen, load_frozen, moved_to
from longctx.errors import UserError, did_you_mean
from longctx.links import inside
from longctx.text import count
from longctx.vocabulary.bank import SHIPPED, VERSION
from longctx.workspace import Workspace, packaged

if TYPE_CHECKING:
    import tiktoken

SETTINGS = "corpus.toml"
MOST_NAMED = 5
"""How many files with the same text are named."""
SUFFIXES = (".xml", ".txt", ".md")


class CorpusSettings(BaseModel):
    """The content of corpus.toml, which a folder may lack. Sections have min_tokens < tokens <= max_tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    about: str = ""
    """What the documents are, in a sentence."""
    documents: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")
    """The name of the folder with the documents, which is next to this one or comes with longctx: for another bank of
    questions about the same documents."""
    literal: bool = True
    """Whether questions and right answers use the words of their section. False for a bank of paraphrases: checks do
    not look for these words then."""
    document: str | None = None
    """What the prompts call the text that questions are about; without it, a government record, as the protocols do."""
    min_tokens: NonNegativeInt = 200
    """Tokens of the reference vocabulary: a section must have more."""
    max_tokens: PositiveInt = 5000
    """Tokens of the reference vocabulary: a section may have as many."""
    split_at: str | None = Field(default=None, min_length=1)
    """Text that separates the sections of a file, those of .xml within its documents."""
    reading: Reading | None = None
    """How billing codes and page breaks are read; without it, as the sections were frozen, else `documents`."""
    examples: tuple[str, ...] = ()
    """Ids of sections that serve as examples for question writing and are kept out of the test."""
    ignore: tuple[str, ...] = ()
    """Files that are not read, as patterns such as `"*.pdf"` or `"drafts/*"`; `*` matches any characters, `/` too."""
    version: Literal[1, 2] = VERSION
    """How trials are drawn: with 2, another document or question changes only the trials that it is drawn for; with 1,
    all of them. What was recorded before there was version 2 is valid with 1."""
    rounds: bool = False
    """Whether questions are sent in rounds, one about each section before a second about any."""

    @field_validator("document")
    @classmethod
    def _a_word(cls, value: str | None) -> str | None:
        """Check that the word can be in a sentence and in a tag, as the prompts use it."""
        if value is not None and (not value.strip() or value != " ".join(value.split()) or set(value) & set("<>{}")):
            raise ValueError("write the name of one document, such as 'staff handbook', without < > { }")
        return value


def read_settings(folder: Path) -> CorpusSettings:
    """Read the settings of a folder, or of a file's folder. Raises UserError if there is neither."""
    if not folder.is_dir() and not is_document(folder):
        raise UserError(
            "no-documents-folder",
            f"There is no folder {folder}: name a folder of .xml, .txt or .md files, or download one with longctx "
            "data corpus fetch.",
        )
    path = settings_path(folder)
    return read_toml(path, CorpusSettings) if path.is_file() else CorpusSettings()


def bank_files(workspace: Workspace, name: str) -> tuple[Path, Path]:
    """Return the documents and the questions of a bank: fixtures/NAME and fixtures/questions/NAME.jsonl, in the project
    or in longctx itself. Raises UserError with the known names."""
    documents, questions = workspace.find(name), workspace.find("questions", f"{name}.jsonl")
    if Path(name).name != name or not (documents.is_dir() and questions.is_file()):
        asked = [path.stem for path in workspace.list("questions", "*.jsonl")]
        names = sorted(stem for stem in asked if workspace.find(stem).is_dir())
        raise UserError(
            "unknown-bank",
            f"There is no bank {name!r}, which would be the documents {documents} and the questions {questions}. "
            f"{did_you_mean(name, names)}",
        )
    return documents, questions


def documents_folder(folder: Path) -> Path:
    """Return the folder that contains the documents of a bank's folder: itself, unless its corpus.toml names another.

    Raises UserError if there is no such folder, or if that names another in turn.
    """
    name = read_settings(folder).documents
    if name is None:
        return folder
    beside, shipped = folder.parent / name, packaged() / name
    found = inside(beside, folder.parent) if beside.is_dir() else shipped
    if not found.is_dir() or read_settings(found).documents is not None:
        raise UserError(
            "no-documents-folder",
            f"{settings_path(folder)}: documents = {name!r} is not a folder of documents, neither next to {folder} nor "
            "in longctx: correct the name.",
        )
    return found


def word_for(workspace: Workspace, folder: Path | None, bank: str = SHIPPED) -> str | None:
    """Return what the documents of a folder, by default a bank's, are called; None for the protocols' own word."""
    return read_settings(folder or bank_files(workspace, bank)[0]).document


def settings_path(folder: Path) -> Path:
    """Return the path of the settings of a folder, or of a file's folder."""
    folder = folder if folder.is_dir() else folder.parent
    return inside(folder / SETTINGS, folder)


def is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.is_file()


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
    """The sections that are too short or too long."""
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
        counted = {part.id: reference_tokens(part.text) for part in parts}
        vocabulary = REFERENCE
    else:
        counted = frozen.tokens_of(folder, {part.id: part.text for part in parts})
        vocabulary = frozen.vocabulary
    sections = [CorpusSection(part.id, part.title, part.department, part.text, counted[part.id]) for part in parts]
    return _select_sections(folder, settings, vocabulary, sections)


def freeze(folder: Path) -> Path:
    """Count the tokens of a folder's sections and write them next to it. Raises UserError as load_corpus does."""
    if folder.is_file():
        raise UserError("path-is-file", f"{folder} is a file: name the folder that contains it.")
    if (elsewhere := documents_folder(folder)) != folder:
        raise UserError("documents-elsewhere", f"{folder} has the documents of {elsewhere}: freeze that folder.")
    settings = read_settings(folder)
    reading = _reading(folder, settings)
    parts = read_parts(folder, reading, settings.split_at, settings.ignore)
    counted = {part.id: (part.title, part.text, reference_tokens(part.text)) for part in parts}
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
            f"{folder / SETTINGS}: `examples` lists {missing[0]!r}, which is not a section of {folder}"
            f"{moved_to(missing[0], [section.id for section in sections])}: correct the name.",
        )
    examples = tuple(section for section in sections if section.id in settings.examples)
    others = [section for section in sections if section.id not in settings.examples]
    kept = tuple(section for section in others if settings.min_tokens < section.tokens <= settings.max_tokens)
    fitting = {section.id for section in kept}
    left_out = tuple(section for section in others if section.id not in fitting)
    if not sections:
        raise UserError(
            "no-documents", f"{folder} contains no .xml, .txt or .md file: name the folder of the documents."
        )
    if not kept:
        raise UserError(
            "no-section-of-size",
            f"{folder} has no section of more than {settings.min_tokens} and at most {settings.max_tokens} tokens, "
            f"but {len(left_out)} of other sizes. Set the bounds, or split_at for long files, in "
            f"{settings_path(folder)}.",
        )
    return Corpus(folder.resolve().name, vocabulary, kept, examples, left_out)


@dataclass(frozen=True, slots=True)
class ReadSection:
    """A document, or a part of one, before its tokens are counted."""

    id: str
    title: str
    department: str
    text: str


BESIDE = {SETTINGS, FILE, "questions.jsonl", "questions.dropped.jsonl"}
"""The files that longctx itself reads or writes besides documents."""
BESIDE_SUFFIXES = {".part", ".etag", ".sha256"}
"""The suffixes of the files that a download leaves."""
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
                f"{path} and {seen[name]} would both contain sections named {name!r}: rename one of them.",
            )
        seen[name] = path
        read = _read_xml if path.suffix.lower() == ".xml" else _read_text
        parts = list(read(path, reading, split_at))
        for number, (title, department, text) in enumerate(parts, 1):
            yield ReadSection(f"{name}-{number:03d}" if len(parts) > 1 else name, title, department, text)


def noticed(folder: Path) -> str:
    """Return sentences on the files of a folder that are no documents, copies of others, or links that are not read.

    Empty if there are none. Raises UserError.
    """
    ignore = read_settings(folder).ignore
    sentences = _not_read([path for path in _files(folder, ignore) if not is_document(path)], folder)
    return " ".join(filter(None, [sentences, copies(folder, ignore), _links(folder, ignore)]))


def _not_read(files: Sequence[Path], folder: Path) -> str:
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


def copies(folder: Path, ignore: Sequence[str] = ()) -> str:
    """Return a sentence on the documents with the same text; empty if there are none."""
    sizes = {path: path.stat().st_size for path in filter(is_document, _files(folder, ignore))}
    number = Counter(sizes.values())
    by_text: dict[str, list[Path]] = {}
    for path in (path for path, size in sizes.items() if number[size] > 1):
        by_text.setdefault(digest_of(path), []).append(path)
    same = [paths for paths in by_text.values() if len(paths) > 1]
    if not same or folder.is_file():
        return ""
    listed = " and ".join(
        f"{path.relative_to(folder)}{' (a link)' if path.is_symlink() else ''}" for path in same[0][:MOST_NAMED]
    )
    several = f", as in {count(len(same) - 1, 'more case')}" if len(same) > 1 else ""
    return (
        f"{folder}: {listed} have the same text{several}, so a question about one is answered by the others, too: keep "
        "one, or list the others as `ignore` in corpus.toml."
    )


def _links(folder: Path, ignore: Sequence[str]) -> str:
    """Return a sentence on the links that are not read: to nothing, or to a folder."""
    links = [path for path in _inside(folder, ignore) if path.is_symlink() and not path.is_file()]
    if not links:
        return ""
    first = links[0].relative_to(folder)
    where = "a folder" if links[0].exists() else "nothing"
    return (
        f"{folder}: {count(len(links), 'link is', 'links are')} not read (the first: {first}, to {where}): put files "
        f"in {'its' if len(links) == 1 else 'their'} place."
    )


def _files(folder: Path, ignore: Sequence[str]) -> Iterator[Path]:
    """Yield the files of a folder that may be documents, or a single file."""
    if not folder.is_dir():
        yield folder
        return
    yield from filter(Path.is_file, _inside(folder, ignore))


def _inside(folder: Path, ignore: Sequence[str]) -> Iterator[Path]:
    """Yield what is in a folder, but for what is hidden, ignored, or longctx's own."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        ours = path.name in BESIDE or path.suffix in BESIDE_SUFFIXES or path.stem.upper() == "README"
        ignored = any(fnmatch.fnmatch(relative.as_posix(), pattern) for pattern in ignore)
        if not (hidden or ours or ignored):
            yield path


def _read_xml(path: Path, reading: Reading, split_at: str | None) -> Iterator[Unnamed]:
    from longctx.corpus.fetch import read_issue

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
    if not split_at:
        parts = [text[place] for place in documents(text, reading)]
    else:
        parts = list(_split(text, split_at)) if path.suffix.lower() == ".md" else text.split(split_at)
    yield from ((_first_line(part), "", part) for part in parts)


FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")


def _split(text: str, split_at: str) -> Iterator[str]:
    """Yield the parts of a Markdown text between separators, but for those within fenced code."""
    fenced = _fenced(text)
    start = place = begin = end = 0
    while (place := text.find(split_at, place)) >= 0:
        while end <= place:
            begin, end = next(fenced, (len(text), len(text)))
        if begin <= place:
            place = end
        else:
            yield text[start:place]
            start = place = place + len(split_at)
    yield text[start:]


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of fenced code: up to a fence of the same kind that is as long, or to the end."""
    fence, begin, place = "", 0, 0
    for line in text.splitlines(keepends=True):
        if found := FENCE.match(line):
            marks, more = found[1], found[2]
            if not fence and not (marks[0] == "`" and "`" in more):
                fence, begin = marks, place
            elif fence and marks.startswith(fence) and not more.strip():
                yield begin, place + len(line.rstrip("\r\n"))
                fence = ""
        place += len(line)
    if fence:
        yield begin, place


def _first_line(text: str) -> str:
    lines = (line.strip("#= \t") for line in text.splitlines())
    return next((line for line in lines if line), "")[:120]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None


REFERENCE = "claude-2"
"""The vocabulary of the notebook that the protocol comes from; newer models count differently."""


def reference_tokens(text: str) -> int:
    """Count the tokens of a text in the reference vocabulary. Raises UserError if that cannot be read."""
    return len(_encoding().encode_ordinary(unicodedata.normalize("NFKC", text)))


@functools.cache
def _encoding() -> tiktoken.Encoding:
    """Load the vocabulary when first needed (0.2 s): the shipped register's counts are frozen and do not need it."""
    import tiktoken

    path = packaged() / "vocabularies" / f"{REFERENCE}.json"
    try:
        vocabulary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise UserError(
            "vocabulary-unreadable",
            f"The reference vocabulary {path} cannot be read: {error}. Restore it from version control.",
        ) from None
    _, first, *tokens = vocabulary["bpe_ranks"].split(" ")
    ranks = {binascii.a2b_base64(token): rank for rank, token in enumerate(tokens, int(first))}
    return tiktoken.Encoding(
        REFERENCE,
        pat_str=vocabulary["pat_str"],
        mergeable_ranks=ranks,
        special_tokens=vocabulary["special_tokens"],
    )
