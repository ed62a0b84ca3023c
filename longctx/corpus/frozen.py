"""Frozen token counts in sections.toml, beside the sections, so that a collage's size never depends on a tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from longctx.config.text_files import read_toml
from longctx.corpus.billing import Reading
from longctx.errors import UserError
from longctx.links import inside

FILE = "sections.toml"


class FrozenSection(BaseModel):
    """A section's token count. sha256: the first 16 hexadecimal digits of the digest of its text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str = ""
    tokens: NonNegativeInt
    sha256: str


class Frozen(BaseModel):
    """The content of a sections.toml. vocabulary: the reference vocabulary of the counts.

    reading: how the documents were split; older files do not say it, since there was only the notebook's reading.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    vocabulary: str
    reading: Reading = "notebook"
    section: tuple[FrozenSection, ...] = Field(min_length=1)

    @classmethod
    def of(cls, vocabulary: str, sections: Mapping[str, tuple[str, str, int]], reading: Reading) -> Frozen:
        """Freeze sections that are given by id as (title, text, tokens)."""
        frozen = (
            FrozenSection(id=name, title=title, tokens=tokens, sha256=_short(text))
            for name, (title, text, tokens) in sections.items()
        )
        return cls(vocabulary=vocabulary, reading=reading, section=tuple(frozen))

    def tokens_of(self, folder: Path, texts: Mapping[str, str]) -> dict[str, int]:
        """Return the tokens of every text, by id. Raises UserError if texts and counts do not belong together."""
        counts = {section.id: section for section in self.section}
        for name, text in texts.items():
            if name not in counts or counts[name].sha256 != _short(text):
                raise UserError(
                    "section-changed",
                    f"{folder / FILE} does not fit the documents beside it: section {name!r} changed after its tokens "
                    f"were counted. Restore the file, or count again with python -m longctx corpus freeze {folder}.",
                )
        if gone := [name for name in counts if name not in texts]:
            raise UserError(
                "section-gone",
                f"{folder / FILE} counts section {gone[0]!r}, which {folder} no longer holds. Restore its file, or "
                f"count again with python -m longctx corpus freeze {folder}.",
            )
        return {name: counts[name].tokens for name in texts}

    def toml(self) -> str:
        lines = [
            "# Written by `python -m longctx corpus`: tokens of each section, in the reference vocabulary",
            "# that fixtures/vocabularies/README.md describes. sha256 belongs to the section's text.",
            f"vocabulary = {_quoted(self.vocabulary)}",
            *([] if self.reading == "notebook" else [f"reading = {_quoted(self.reading)}"]),
        ]
        for section in self.section:
            lines += [
                "\n[[section]]",
                f"id = {_quoted(section.id)}",
                f"title = {_quoted(section.title)}",
                f"tokens = {section.tokens}",
                f"sha256 = {_quoted(section.sha256)}",
            ]
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> Path:
        path = inside(folder / FILE, folder)
        path.write_text(self.toml(), encoding="utf-8", newline="\n")
        return path


def load_frozen(folder: Path) -> Frozen | None:
    """Load the counts beside a folder's documents; None if none were frozen. Raises UserError."""
    path = inside(folder / FILE, folder)
    return read_toml(path, Frozen) if path.is_file() else None


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _quoted(text: str) -> str:
    """Return a TOML basic string. JSON's escapes are TOML's, except that TOML escapes DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
