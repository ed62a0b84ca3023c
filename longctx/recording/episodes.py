"""The episodes in a file of the tape, and the errors of a file that contains anything else.

A line may instead be the word of a run with record mode `all` that it sends trials again: what the runs that it names
have answered to these trials does not count any more, whether or not an answer follows. Or it is the word of a gate
that its bands were settled without these trials.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from longctx.conflicts import in_conflict
from longctx.errors import TapeError
from longctx.json_lines import read_lines
from longctx.links import inside
from longctx.recording import compact_json
from longctx.text import count
from longctx.vocabulary.looks import PLANS
from longctx.vocabulary.point import present_name

if TYPE_CHECKING:
    from vcr.request import Request

Episode: TypeAlias = "tuple[Request, dict[str, Any], dict[str, Any]]"
"""A request, its response and its metadata."""


@dataclass(frozen=True, slots=True)
class SentAgain:
    """The trials of a cassette that a run sends again."""

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
        from vcr.serialize import serialize

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
        """Raises KeyError or TypeError if it is not one."""
        texts = [metadata[name] for name in ("model", "prompt_set", "wording")]
        names = [[*metadata[name]] for name in ("replaced", "sent_again")]
        if not all(isinstance(text, str) for text in (*texts, *names[0], *names[1])):
            raise TypeError("the names of what is sent again must be texts")
        return cls(*texts, *map(frozenset, names))


@dataclass(frozen=True, slots=True)
class Unsent:
    """The trials of a cassette that a gate did not send, because their bands were settled without them."""

    model: str
    prompt_set: str
    wording: str
    run: str
    looks: str
    """The plan of its looks."""
    trials: frozenset[str]

    def holds(self, trial: str, model: str, prompt_set: str, wording: str) -> bool:
        """Return whether a trial is among them."""
        return (
            trial in self.trials
            and self.model == model
            and (self.prompt_set == present_name(prompt_set) or self.wording == wording)
        )

    def without(self, again: Sequence[SentAgain]) -> Unsent:
        """Return the trials that no later run set out to send again."""
        replaced: frozenset[str] = frozenset().union(*(each.trials for each in again if self.run in each.replaced))
        return replace(self, trials=self.trials - replaced) if replaced else self

    def line(self) -> str:
        """Return its line in the cassette, which is a cassette of vcrpy's own without an interaction."""
        from vcr.serialize import serialize

        metadata = {
            "left_out": sorted(self.trials),
            "run": self.run,
            "looks": self.looks,
            "model": self.model,
            "prompt_set": self.prompt_set,
            "wording": self.wording,
        }
        return str(serialize({"requests": [], "responses": [], "metadata": metadata}, compact_json))

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Unsent:
        """Raises KeyError, TypeError or ValueError if it is not one."""
        texts = [metadata[name] for name in ("model", "prompt_set", "wording", "run", "looks")]
        names = [*metadata["left_out"]]
        if not all(isinstance(text, str) for text in (*texts, *names)):
            raise TypeError("the names of what was left out must be texts")
        if texts[-1] not in PLANS:
            raise ValueError(f"its looks are {texts[-1]!r}, a plan that this version does not know")
        return cls(*texts, frozenset(names))  # type: ignore[call-arg]  # five texts


@dataclass(frozen=True, slots=True)
class Recorded:
    """The contents of a cassette."""

    episodes: Sequence[Episode] = ()
    """The episodes that count."""
    replaced: Sequence[Episode] = ()
    """The episodes that no longer count, because a run sent their trials again."""
    left_out: Sequence[Unsent] = ()
    cut_short: bool = False
    """Whether its last line was cut short, which does not count."""


def read_episodes(path: Path, folder: Path) -> Recorded:
    """Return what a cassette in `folder` says; nothing if it does not exist. Raises TapeError for any other line."""
    try:
        lines, cut_short = read_lines(inside(path, folder))
    except OSError as error:
        raise _unreadable(path, error) from None
    return replace(parse_episodes(lines, path, folder), cut_short=cut_short)


def parse_episodes(lines: Sequence[bytes], path: Path, folder: Path) -> Recorded:
    """Return what the lines of a cassette say, whatever their order. Raises TapeError.

    path, folder: those that an error names.
    """
    episodes: list[Episode] = []
    again: list[SentAgain] = []
    left_out: list[Unsent] = []
    for number, line in enumerate(lines, start=1):
        match _read(line, path, number, folder) if line.strip() else None:
            case SentAgain() as entry:
                again.append(entry)
            case Unsent() as entry:
                left_out.append(entry)
            case tuple() as episode:
                episodes.append(episode)
    if not again:
        return Recorded(episodes, left_out=left_out)
    kept: list[Episode] = []
    replaced: list[Episode] = []
    for episode in episodes:
        (replaced if any(run.replaces(episode[2]) for run in again) else kept).append(episode)
    return Recorded(kept, replaced, [each.without(again) for each in left_out])


def _read(line: bytes, path: Path, number: int, folder: Path) -> Episode | SentAgain | Unsent:
    from vcr.serialize import deserialize

    try:
        requests, responses, metadata = deserialize(line.decode(), compact_json)
        if not requests and "sent_again" in metadata:
            return SentAgain.of(metadata)
        if not requests and "left_out" in metadata:
            return Unsent.of(metadata)
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
        f"{held} the conflict markers of a merge: {some_paths(paths)}. Keep the answers of both sides: delete only the "
        "lines that begin with <<<<<<<, |||||||, ======= or >>>>>>>. An answer that then occurs twice counts once.",
    )


def _unreadable(path: Path, error: OSError) -> TapeError:
    """Return an error on why a cassette cannot be read, such as a folder in its place."""
    if path.is_dir():
        return TapeError("path-is-folder", f"{path} is a folder, but must be a file of recordings: move it away.")
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
        raise ValueError(f"its looks are {looks!r}, a plan that this version does not know")
    for name in ("request", "same"):
        if type(metadata.get(name, 0)) is not int:
            raise TypeError(f"its {name} is not a number")
    if metadata["latency_s"] is not None:
        float(metadata["latency_s"])


MOST_NAMED = 20
"""The most files that a sentence names."""


def some_paths(paths: Sequence[Path]) -> str:
    """Return the paths, relative to the current folder, as a list for a sentence."""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(map(os.path.relpath, paths[:MOST_NAMED]))}{more}"
