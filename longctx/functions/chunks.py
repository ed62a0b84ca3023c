"""The chunks of a knowledge base, and those that BM25 retrieves for a question.

Source of the ranking: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, as
the library bm25s computes it.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from longctx.config.project_files import read_text
from longctx.corpus.documents import reference_tokens
from longctx.errors import Absent
from longctx.extras import require
from longctx.vocabulary.bank import Section

SUFFIXES = (".md", ".txt")


@dataclass(frozen=True)
class Chunks:
    """The chunks of a knowledge base, each with `id`, `text` and `tokens`. Files are read on first use.

    Example:
        >>> def fees(base: Chunks) -> list[str]:
        ...     return [chunk.text for chunk in base.retrieve("What is the fee?", 4)]
    """

    read: Callable[[], tuple[Section, ...]]
    _index: list[Any] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The chunks, in the order of their files."""
        return self.read()

    def retrieve(self, question: str, number: int) -> list[Section]:
        """Return up to `number` chunks with the highest BM25 scores for the question, best first."""
        require("BM25", "bm25s")
        bm25s: Any = importlib.import_module("bm25s")
        quiet = {"show_progress": False}
        if not self._index:
            made = bm25s.BM25()
            made.index(bm25s.tokenize([section.text for section in self.sections], stopwords="en", **quiet), **quiet)
            self._index.append(made)
        asked = bm25s.tokenize([question], stopwords="en", **quiet)
        places, _ = self._index[0].retrieve(asked, k=min(number, len(self.sections)), **quiet)
        return [self.sections[int(place)] for place in places[0]]


def chunks(folder: str | Path, tokens: int | None = None) -> Chunks:
    """Read the Markdown and text files of a folder as chunks.

    Args:
        folder: The folder, relative to the calling file or to the working directory.
        tokens: The approximate maximum size of a chunk, in tokens of the reference vocabulary; None for whole files.

    Raises:
        UserError: There are no such files.

    Example:
        >>> base = chunks("docs", tokens=400)  # doctest: +SKIP
        >>> base.retrieve("What is the fee?", 4)  # doctest: +SKIP
    """
    beside = Path(sys._getframe(1).f_globals.get("__file__", ".")).parent / folder
    return read_chunks(Path(folder) if Path(folder).is_dir() and not beside.is_dir() else beside, tokens)


def read_chunks(folder: Path, tokens: int | None = None) -> Chunks:
    """Return the chunks of a folder; see `chunks`."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    if not any(read_text(path).strip() for path in paths):
        raise Absent(
            "no-documents-to-chunk",
            f"{folder} has no Markdown or text files: name the folder that does.",
            path=folder,
        )
    return Chunks(partial(_sections, folder, paths, tokens))


def _sections(folder: Path, paths: Sequence[Path], tokens: int | None) -> tuple[Section, ...]:
    found = []
    for path in paths:
        name = path.relative_to(folder).with_suffix("").as_posix()
        texts = _parts(read_text(path), tokens)
        for number, text in enumerate(texts, start=1):
            found.append(Section(name if len(texts) == 1 else f"{name}-{number}", text, reference_tokens(text)))
    return tuple(found)


def _parts(text: str, tokens: int | None) -> list[str]:
    """Return a text in parts that end with a paragraph."""
    parts: list[list[str]] = []
    size = 0
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", text)):
        own = reference_tokens(paragraph)
        if not parts or (tokens is not None and size + own > tokens):
            parts.append([])
            size = 0
        parts[-1].append(paragraph.strip())
        size += own
    return ["\n\n".join(part) for part in parts]
