"""Frozen token counts in sections.toml, next to the sections, so that a collage's size never depends on a tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from longctx.config.project_files import read_toml
from longctx.corpus.billing import Reading
from longctx.errors import UserError, closest
from longctx.links import inside

FILE = "sections.toml"


class FrozenSection(BaseModel):
    """A section's token count."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str
    title: str = ""
    tokens: NonNegativeInt
    sha256: str
    """The first 16 hexadecimal digits of the digest of its text."""


class Frozen(BaseModel):
    """The content of a sections.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    vocabulary: str
    """The reference vocabulary of the counts."""
    reading: Reading = "notebook"
    """How the documents were split; older files do not state it, since there was only the notebook's reading."""
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
        changed = [name for name, text in texts.items() if name in counts and counts[name].sha256 != _short(text)]
        gone = [name for name in counts if name not in texts]
        if gone and not changed:
            raise UserError(
                "section-gone",
                f"{folder / FILE} counts section {gone[0]!r}, which {folder} no longer contains"
                f"{moved_to(gone[0], texts)}. Restore its file, or count again with longctx data corpus freeze "
                f"{folder}.",
            )
        if different := changed or [name for name in texts if name not in counts]:
            raise UserError(
                "section-changed",
                f"{folder / FILE} does not fit the documents next to it: section {different[0]!r} changed, or was "
                "added, after the tokens were counted. Restore the file, or count again with longctx data corpus "
                f"freeze {folder}.",
            )
        return {name: counts[name].tokens for name in texts}

    def toml(self) -> str:
        lines = [
            "# Written by `longctx data corpus freeze`: tokens of each section, in the reference vocabulary",
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
    """Load the counts next to a folder's documents; None if none were frozen. Raises UserError."""
    path = inside(folder / FILE, folder)
    return read_toml(path, Frozen) if path.is_file() else None


def moved_to(name: str, sections: Iterable[str]) -> str:
    """Return what to add to a sentence on a section that is gone: the section that it probably is now, if any is alike.

    A section's name begins with its folder, so that it changes when its file is moved.
    """
    names = sorted(sections)
    moved = [other for other in names if other.endswith(f"-{name}") or name.endswith(f"-{other}")]
    close = moved[0] if len(moved) == 1 else closest(name, moved or names)
    return f" (is it {close!r} now? A section is named by its path in the folder)" if close else ""


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _quoted(text: str) -> str:
    """Return a TOML basic string. JSON's escapes are TOML's, except that TOML escapes DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
