"""The episodes in a file of the tape, and the errors of a file that holds anything else.

A line may instead be the word of a run with record mode `all` that it sends trials again: what the runs that it names
have answered to these trials does not count any more, whether or not an answer follows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vcr.request import Request
from vcr.serialize import deserialize, serialize

from longctx.conflicts import in_conflict, named
from longctx.errors import TapeError
from longctx.files import inside, read_lines
from longctx.plural import count
from longctx.recording import compact_json
from longctx.vocabulary.looks import PLANS
from longctx.vocabulary.prompt_sets import present_name

Episode = tuple[Request, dict[str, Any], dict[str, Any]]
"""A request, its response and its metadata."""


@dataclass(frozen=True, slots=True)
class SentAgain:
    """What a run sends again of the trials in a cassette."""

    model: str
    prompt_set: str
    wording: str
    replaced: frozenset[str]
    """The runs whose answers to them do not count."""
    trials: frozenset[str]

    def replaces(self, metadata: Mapping[str, Any]) -> bool:
        """Return whether the episode with this metadata does not count any more."""
        return (
            metadata["trial"] in self.trials
            and metadata["run"] in self.replaced
            and metadata.get("model", self.model) == self.model
            and (present_name(metadata["prompt_set"]) == self.prompt_set or metadata["wording"] == self.wording)
        )

    def line(self) -> str:
        """Return its line in the cassette, which is a cassette of vcrpy's own without an interaction."""
        metadata = {
            "sent_again": sorted(self.trials),
            "replaced": sorted(self.replaced),
            "model": self.model,
            "prompt_set": self.prompt_set,
            "wording": self.wording,
        }
        return str(serialize({"requests": [], "responses": [], "metadata": metadata}, compact_json))

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> SentAgain:
        """Raises KeyError or TypeError if it is none."""
        texts = [metadata[name] for name in ("model", "prompt_set", "wording")]
        names = [[*metadata[name]] for name in ("replaced", "sent_again")]
        if not all(isinstance(text, str) for text in (*texts, *names[0], *names[1])):
            raise TypeError("it does not name what is sent again by texts")
        return cls(*texts, *map(frozenset, names))


def read_episodes(path: Path, folder: Path, replaced: list[Episode] | None = None) -> tuple[list[Episode], bool]:
    """Return the episodes of a cassette in `folder` that count, and whether its last line was cut short and left out.

    A file that does not exist has no episodes. replaced: takes those that do not count. Raises TapeError for any other
    line.
    """
    try:
        lines, cut_short = read_lines(inside(path, folder))
    except OSError as error:
        raise _unreadable(path, error) from None
    return parse_episodes(lines, path, folder, replaced), cut_short


def parse_episodes(
    lines: Sequence[bytes], path: Path, folder: Path, replaced: list[Episode] | None = None
) -> list[Episode]:
    """Return the episodes in the lines of a cassette that count. Raises TapeError.

    path, folder: those that an error names. replaced: takes the episodes that do not count.
    """
    found = [_read(line, path, number, folder) for number, line in enumerate(lines, start=1) if line.strip()]
    episodes = [entry for entry in found if not isinstance(entry, SentAgain)]
    again = [entry for entry in found if isinstance(entry, SentAgain)]
    if not again:
        return episodes
    old = [any(run.replaces(metadata) for run in again) for _, _, metadata in episodes]
    if replaced is not None:
        replaced += [episode for episode, is_old in zip(episodes, old, strict=True) if is_old]
    return [episode for episode, is_old in zip(episodes, old, strict=True) if not is_old]


def _read(line: bytes, path: Path, number: int, folder: Path) -> Episode | SentAgain:
    try:
        requests, responses, metadata = deserialize(line.decode(), compact_json)
        if not requests and "sent_again" in metadata:
            return SentAgain.of(metadata)
        [request], [response] = requests, responses
        _check(request, response, metadata)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if in_conflict(path):
            raise _conflicts(folder) from None
        raise TapeError(
            "bad-episode",
            f"{path}, line {number}, is not an episode ({type(error).__name__}: {error}). Restore the file from "
            "version control, or delete that line and record its trial again with --ctx-record once.",
        ) from None
    return request, response, metadata


def _conflicts(folder: Path) -> TapeError:
    """Return an error that names all cassettes with conflict markers, because they are mended in one go."""
    paths = [path for path in sorted(folder.rglob("*.jsonl")) if in_conflict(path)]
    held = count(len(paths), "cassette holds", "cassettes hold")
    return TapeError(
        "cassettes-in-conflict",
        f"{held} the conflict markers of a merge: {named(paths)}. Keep the answers of both sides: delete the lines "
        "that begin with <<<<<<<, |||||||, ======= or >>>>>>>, and no others. An answer that then "
        "occurs twice counts once.",
    )


def _unreadable(path: Path, error: OSError) -> TapeError:
    """Return an error on why a cassette cannot be read, such as a folder in its place."""
    if path.is_dir():
        return TapeError("path-is-folder", f"{path} is a folder, where a file of recordings belongs: move it away.")
    if file := next((parent for parent in path.parents if parent.is_file()), None):
        return TapeError("path-is-file", f"{file} is a file, but must be a folder: move it away.")
    return TapeError("not-readable", f"{path} cannot be read: {os.strerror(error.errno) if error.errno else error}.")


def _check(request: Request, response: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Raise one of Python's own errors if an episode lacks what the tape reads of it."""
    request.body.decode(), response["body"]["string"].decode()
    response["headers"].items()
    if (code := response["status"]["code"]) != 200:
        raise ValueError(f"its status is {code!r}, and only an answer of status 200 is recorded")
    for name in ("trial", "prompt_set", "wording", "recorded_at", "run"):
        if not isinstance(metadata[name], str):
            raise TypeError(f"its {name} is not text")
    for name in ("model", "batch", "headers", "after", "parts"):
        if not isinstance(metadata.get(name, ""), str):
            raise TypeError(f"its {name} is not text")
    if (looks := metadata.get("looks")) is not None and looks not in PLANS:
        raise ValueError(f"its looks are {looks!r}, of which this version knows no plan")
    for name in ("request", "same"):
        if type(metadata.get(name, 0)) is not int:
            raise TypeError(f"its {name} is not a number")
    if metadata["latency_s"] is not None:
        float(metadata["latency_s"])
