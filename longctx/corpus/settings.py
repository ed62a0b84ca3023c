"""What a user may say of a folder of documents: its corpus.toml."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from longctx.config.folders import read_toml
from longctx.corpus.billing import Reading
from longctx.errors import UserError

SETTINGS = "corpus.toml"
SUFFIXES = (".xml", ".txt", ".md")


class Settings(BaseModel):
    """corpus.toml, optional in a user's folder. Sections keep to min_tokens < tokens <= max_tokens.

    split_at: text that separates the sections of a file, those of .xml within its documents. reading: of billing codes
    and page breaks; None: as the sections were frozen, else `documents`.
    examples: ids of sections that serve as examples for question writing and are kept out of the test.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = ""
    min_tokens: NonNegativeInt = 200
    max_tokens: PositiveInt = 5000
    split_at: str | None = Field(default=None, min_length=1)
    reading: Reading | None = None
    examples: tuple[str, ...] = ()


def read_settings(folder: Path) -> Settings:
    """Those of a folder, or of the folder of a file. Raises UserError where there is neither."""
    if not folder.is_dir() and not is_document(folder):
        raise UserError(
            f"No folder {folder}: give a folder of .xml, .txt or .md files, or fetch one with corpus fetch."
        )
    path = settings_path(folder)
    return read_toml(path, Settings) if path.is_file() else Settings()


def settings_path(folder: Path) -> Path:
    """Of a folder, or of a file in it."""
    return (folder if folder.is_dir() else folder.parent) / SETTINGS


def is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.is_file()
