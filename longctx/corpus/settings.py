"""The settings of a folder of documents: its corpus.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, field_validator

from longctx.config.text_files import read_toml
from longctx.corpus.billing import Reading
from longctx.errors import UserError, did_you_mean
from longctx.files import inside
from longctx.vocabulary.bank import SHIPPED, VERSION
from longctx.workspace import Workspace, packaged

SETTINGS = "corpus.toml"
SUFFIXES = (".xml", ".txt", ".md")


class CorpusSettings(BaseModel):
    """The content of corpus.toml, which a folder may lack. Sections have min_tokens < tokens <= max_tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    about: str = ""
    """What the documents are, in a sentence."""
    documents: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")
    """The name of the folder that holds the documents, which is beside this one or comes with longctx: for another bank
    of questions about the same documents."""
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
    """Whether questions are asked in rounds, one about each section before a second about any."""

    @field_validator("document")
    @classmethod
    def _a_word(cls, value: str | None) -> str | None:
        """Check that the word can be in a sentence and in a tag, as the prompts use it."""
        if value is not None and (not value.strip() or value != " ".join(value.split()) or set(value) & set("<>{}")):
            raise ValueError("give what one document is called, such as 'staff handbook', without < > { }")
        return value


def read_settings(folder: Path) -> CorpusSettings:
    """Read the settings of a folder, or of a file's folder. Raises UserError if there is neither."""
    if not folder.is_dir() and not is_document(folder):
        raise UserError(
            "no-documents-folder",
            f"There is no folder {folder}: give a folder of .xml, .txt or .md files, or fetch one with longctx "
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
    """Return the folder that holds the documents of a bank's folder: itself, unless its corpus.toml names another.

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
            f"{settings_path(folder)}: documents = {name!r} names no folder of documents, neither beside {folder} nor "
            "among those that come with longctx: correct the name.",
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
