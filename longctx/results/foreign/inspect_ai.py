"""Logs of inspect_ai: .eval archives, and their JSON form.

Source: inspect_ai/log/_log.py and log/_recorders/eval.py of version 0.3.285.
"""

from __future__ import annotations

import copy
import importlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from longctx.config.project_files import MOST_BYTES, check_size
from longctx.errors import UserError
from longctx.fields import reason
from longctx.results.foreign.choice import Choice
from longctx.results.foreign.result import ForeignResult
from longctx.results.foreign.values import plain, question_in, shown, text_in
from longctx.results.records import PIECE, bounded, loads
from longctx.text import visible

ZSTANDARD = 93
"""The compression of an archive's entries in newer versions; only from Python 3.14 on does zipfile know it."""
OWN_NAMES = "header.json", "summaries.json"
"""The entries of an archive beside its samples."""
LARGEST_WINDOW = 1 << 27
"""The most memory that an entry may request."""
MOST_LISTED = 1 << 24
"""The most bytes that an archive's list of entries may have."""
MOST_OF_ENTRY, MOST_OF_ALL = 32_000_000, 10 * MOST_BYTES
"""The most bytes of a decompressed entry, which as JSON may take 30 times as much memory, and of all entries."""
MOST_CHECKED = 200_000_000
"""The most bytes of samples that are compared with their summaries."""
BROKEN = ValueError, EOFError, OSError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error, struct.error
"""The errors of zipfile for a damaged archive, one with a password, and one with another compression."""


class _Sample(BaseModel):
    id: int | str
    epoch: int = 1
    scores: dict[str, Any] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    model_usage: dict[str, Any] = Field(default_factory=dict)
    output: Any = None
    target: Any = None
    error: Any = None
    invalidation: Any = None


class _Scorer(BaseModel):
    name: str


class _Eval(BaseModel):
    scorers: list[_Scorer] | None = Field(default=None, fail_fast=True)


class _Log(BaseModel):
    eval: _Eval = Field(default_factory=_Eval)
    invalidated: bool = False
    samples: list[_Sample] | None = Field(default=None, fail_fast=True)
    """The samples; reading stops at the first bad one of millions."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """What is kept of a sample, whose transcript and metadata may fill the memory."""

    id: str
    epoch: int
    values: Mapping[str, object]
    """By scorer; None for what was not measured."""
    cost: float | None
    answer: str | None
    expected: str | None
    question: str | None
    named: Mapping[str, Any]
    """The values of the chosen fields."""

    @classmethod
    def of(cls, sample: _Sample, choice: Choice) -> _Measured:
        measured = sample.error is None and sample.invalidation is None
        values = {name: plain(value) if measured else None for name, value in _values(sample)}
        costs = [
            usage["total_cost"]
            for usage in sample.model_usage.values()
            if isinstance(usage, dict) and isinstance(usage.get("total_cost"), int | float)
        ]
        answer = text_in(sample.output, "completion")
        try:
            named = choice.read(sample.metadata)
        except ValueError as error:
            raise ValueError(f"the sample {str(sample.id)[:60]!r}: {error}") from None
        cost = sum(costs) if costs else None
        return cls(
            str(sample.id),
            sample.epoch,
            values,
            cost,
            answer,
            shown(sample.target),
            question_in(sample.metadata),
            named,
        )


def of_log(content: Mapping[str, Any], choice: Choice) -> Iterator[ForeignResult]:
    """Yield the results of a log in JSON. Raises ValueError."""
    log = _Log.model_validate(content)
    yield from _results(log, (_Measured.of(sample, choice) for sample in log.samples or ()))


def of_archive(path: Path, choice: Choice) -> list[ForeignResult]:
    """Return the results of an .eval log. Nothing is written to the disk. Raises UserError."""
    check_size(path, float("inf"))
    try:
        with _Listing(path) as file, zipfile.ZipFile(file) as archive:
            entries = _Entries(archive)
            if not any(name in OWN_NAMES or name.startswith("samples/") for name in entries.names):
                raise UserError(
                    "packed-file",
                    f"{path} is an archive, and no log of inspect_ai: unpack it, and name the file in it.",
                )
            log = _Log.model_validate(entries.read("header.json") if "header.json" in entries.names else {})
            return _results(log, (_Measured.of(sample, choice) for sample in _samples(entries, log)))
    except BROKEN as error:
        raise UserError(
            "bad-results-file",
            f"{path} cannot be read as an .eval log of inspect_ai ({visible(reason(error))}): write it again, or "
            "convert it with inspect log dump.",
        ) from None


def _samples(entries: _Entries, log: _Log) -> Iterator[_Sample]:
    """Yield the samples. Their summaries are small and have the same content, except which samples are invalidated.

    Raises ValueError if the summaries say something else than the samples.
    """
    names = [name for name in entries.names if name.startswith("samples/") and name.endswith(".json")]
    samples = (_Sample.model_validate(entries.read(name)) for name in entries.small(names))
    if "summaries.json" not in entries.names or log.invalidated:
        yield from (_Sample.model_validate(entries.read(name)) for name in names)
        return
    summaries = _Log(samples=entries.read("summaries.json")).samples or []
    if names and len(names) != len(summaries):
        raise ValueError(f"it has {len(names):,} samples and {len(summaries):,} summaries of them")
    said = {(str(summary.id), summary.epoch): _said(summary) for summary in summaries}
    for sample in samples:
        if said.get((str(sample.id), sample.epoch)) != _said(sample):
            raise ValueError(f"its summary of the sample {str(sample.id)[:60]!r} disagrees with the sample")
    yield from summaries


def _said(sample: _Sample) -> tuple[bool, list[tuple[str, str]]]:
    """Return whether a sample has an error, and its scores, as summaries say them, too."""
    return sample.error is None, sorted((name, repr(plain(value))) for name, value in _values(sample))


def _results(log: _Log, measured: Iterable[_Measured]) -> list[ForeignResult]:
    samples = [*measured]
    scorers = [*dict.fromkeys(scorer for sample in samples for scorer in sample.values)]
    if not scorers:  # every sample ended with an error
        scorers = [scorer.name.rpartition("/")[2] for scorer in log.eval.scorers or ()]
    return [
        replace(
            ForeignResult(
                id=sample.id,
                number=sample.epoch,
                of={"scorer": scorer},
                value=sample.values.get(scorer),
                cost=sample.cost,
                answer=sample.answer,
                expected=sample.expected,
                question=sample.question,
            ),
            **sample.named,
        )
        for sample in samples
        for scorer in scorers
    ]


def _values(sample: _Sample) -> Iterator[tuple[str, object]]:
    """Yield the scorers and their values; a value with several parts is as many scorers."""
    for name, score in (sample.scores or {}).items():
        if not isinstance(score, dict):
            raise ValueError(f"the score {name[:60]!r} is not an object")
        value = score.get("value")
        yield from (
            ((f"{name}.{part}", one) for part, one in value.items()) if isinstance(value, dict) else [(name, value)]
        )


class _Listing(io.FileIO):
    """An archive whose list of entries, which zipfile reads at once, has a bound."""

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(min(size, MOST_LISTED + 1) if size is not None and size >= 0 else MOST_LISTED + 1) or b""
        if len(content) > MOST_LISTED:
            raise ValueError(f"its list of entries has more than {MOST_LISTED:,} bytes")
        return content


class _Entries:
    """The entries of an archive as JSON, whose decompressed bytes have a bound."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.names = dict.fromkeys(archive.namelist())
        self._archive = archive
        self._left = MOST_OF_ALL

    def small(self, names: Sequence[str]) -> list[str]:
        """Return the first entries that are read in seconds."""
        sizes = [(name, self._archive.getinfo(name).file_size) for name in names]
        together = accumulate(size for _, size in sizes)
        return [
            name
            for (name, size), before in zip(sizes, together, strict=True)
            if size <= MOST_OF_ENTRY and before <= MOST_CHECKED
        ]

    def read(self, name: str) -> Any:
        pieces = _pieces(self._archive, self._archive.getinfo(name))
        content = bounded(pieces, min(MOST_OF_ENTRY, self._left), f"{name} has")
        self._left -= len(content)
        return loads(content.decode("utf-8"))


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the content of an entry in small pieces, however well it was compressed."""
    if info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with archive.open(info) as file:
            yield from iter(partial(file.read, PIECE), b"")
        return
    if info.compress_type != ZSTANDARD:
        raise ValueError(f"{info.filename} is compressed by method {info.compress_type}")
    try:
        zstandard: Any = importlib.import_module("zstandard")
    except ImportError:
        raise UserError(
            "no-zstandard",
            f"{archive.filename} is compressed with Zstandard: pip install zstandard, or convert it with inspect log "
            "dump.",
        ) from None
    stored = copy.copy(info)
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, info.compress_size
    del stored.CRC  # it is that of the decompressed content
    with archive.open(stored) as file:
        stream = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(file, read_across_frames=True)
        try:
            yield from iter(partial(stream.read, PIECE), b"")
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
