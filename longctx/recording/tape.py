"""The tape: vcrpy's Cassette over a folder of JSON-lines files, one a scenario, each line one episode.

An episode is a complete vcrpy cassette of one interaction, whose metadata says which trial it answers. It holds the
digest of the request, not its body: the prompt is rebuilt from the seed, so a changed prompt finds no answer.
Answers are appended as they come, so that a killed run keeps what it was given.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vcr.cassette import Cassette
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.serialize import serialize

from longctx.errors import TapeError
from longctx.recording import compact_json
from longctx.recording.case import Question, earlier_file
from longctx.recording.episodes import Episode, read_episodes
from longctx.recording.lines import append_line
from longctx.recording.reply import MalformedAnswer, to_reply
from longctx.recording.request import PATH, digest, prefill, request_body
from longctx.vocabulary.prompt_sets import present_name
from longctx.vocabulary.scenario import Reply, Trial

Status = Literal["found", "stale", "missing"]


class NotRecorded(Exception):
    """An answer that was paid for could not be written."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question's place on the tape: its file, its trial, the digest of its request, and in whose wording.

    prefill: the beginning of the answer that the request ends in. model: its id in the digest. sent_as: the id that
    its provider is sent.
    """

    file: str
    trial: str
    sha256: str
    prompt_set: str
    wording: str
    prefill: str = ""
    model: str = ""
    sent_as: str = ""

    @classmethod
    def of(cls, question: Question, trial: Trial) -> Wanted:
        case, model = question.case, question.case.model
        return cls(
            file=case.file,
            trial=str(trial.identity),
            sha256=question.sha256 or digest(request_body(trial, model)),
            prompt_set=case.wording.prompt_set,
            wording=case.wording.digest,
            prefill=prefill(trial, model),
            model=model.model,
            sent_as=model.sent_as,
        )

    def request(self) -> Request:
        """The request as the tape stores it: no host, no body, no header, hence no key."""
        where = {"trial": self.trial, "file": self.file, "model": self.model}
        return Request("POST", PATH, f"sha256:{self.sha256}", where)


WANTED: ContextVar[Wanted] = ContextVar("the question that is being asked")
"""Set by whoever asks; it tells the transport which trial an answer belongs to."""


class Tape(Cassette):  # type: ignore[misc]  # vcrpy has no types
    """All episodes under `folder`. A scenario's file is read when first needed.

    record_mode: `none` asks nothing; `once` asks what has no episode yet; `new_episodes` also asks what has only
    stale ones; `all` asks everything anew. New episodes go to `write_to`, by default the folder itself, and carry
    the name of the `run` that asked.
    """

    def __init__(self, folder: Path, record_mode: str = "none", run: str = "", write_to: Path | None = None) -> None:
        super().__init__(str(folder), record_mode=RecordMode(record_mode), allow_playback_repeats=True)
        self._folders = [folder] if write_to in (None, folder) else [folder, write_to]
        self._run = run
        self._index: dict[str, dict[str, dict[str, int]]] = {}
        self._metadata_of: list[dict[str, Any]] = []
        self.cut_short: set[Path] = set()
        """Files whose last line was not finished, by a run that was killed."""
        self.recorded = 0
        """How many answers this tape was given to keep."""

    @property
    def written_to(self) -> Path:
        """The folder that new episodes go to."""
        return self._folders[-1]

    def status(self, wanted: Wanted) -> Status:
        episodes = self._episodes(wanted.file, wanted.model).get(wanted.trial)
        if not episodes:
            return "missing"
        return "found" if wanted.sha256 in episodes else "stale"

    def asks(self, question: Question) -> bool | None:
        """Whether this record mode asks the question; None where that depends on its request."""
        episodes = self._episodes(question.case.file, question.case.model.model)
        if self.record_mode == RecordMode.NONE:
            return False
        if self.record_mode == RecordMode.ALL or not episodes.get(str(question.identity)):
            return True
        return False if self.record_mode == RecordMode.ONCE else None

    def wants(self, wanted: Wanted) -> bool:
        """Whether this record mode asks the question."""
        status = self.status(wanted)
        if self.record_mode == RecordMode.ONCE:
            return status == "missing"
        if self.record_mode == RecordMode.NEW_EPISODES:
            return status != "found"
        return bool(self.record_mode == RecordMode.ALL)

    def reply(self, wanted: Wanted) -> Reply | None:
        """The recorded answer to exactly this request; None where there is none. Raises TapeError."""
        index = self._episodes(wanted.file, wanted.model).get(wanted.trial, {}).get(wanted.sha256)
        if index is None:
            return None
        metadata = self._metadata_of[index]
        try:
            return to_reply(
                self.data[index][1]["body"]["string"],
                latency_s=metadata["latency_s"],
                recorded_at=metadata["recorded_at"],
                request_sha256=wanted.sha256,
                live=bool(self._run) and metadata["run"] == self._run,
                prefill=wanted.prefill,
                batched="batch" in metadata,
            )
        except MalformedAnswer as error:
            raise TapeError(
                "bad-recorded-answer",
                f"{wanted.file}: the episode of {wanted.trial} cannot be used: {error}. Delete its line, and record "
                "its trial again with --ctx-record once.",
            ) from None

    def recorded_since(self, wanted: Wanted, at: str) -> bool:
        """Whether an answer to exactly this request was recorded at that time, or later. at: ISO 8601, UTC."""
        index = self._episodes(wanted.file, wanted.model).get(wanted.trial, {}).get(wanted.sha256)
        return index is not None and bool(self._metadata_of[index]["recorded_at"] >= at)

    def recorded_wording(self, wanted: Wanted) -> dict[str, str]:
        """The prompt set's name and digest, and the model, if it is named, in the latest episode of a trial; empty
        where there is none."""
        episodes = self._episodes(wanted.file, wanted.model).get(wanted.trial)
        if not episodes:
            return {}
        metadata = max(
            (self._metadata_of[index] for index in episodes.values()), key=lambda metadata: str(metadata["recorded_at"])
        )
        return {
            "prompt_set": present_name(metadata["prompt_set"]),
            "digest": metadata["wording"],
            "model": metadata.get("model", ""),
        }

    def record(
        self, wanted: Wanted, response: dict[str, Any], recorded_at: str, latency_s: float | None, batch: str = ""
    ) -> None:
        """Append one answer to its scenario's file: with the operating system when this returns. Raises NotRecorded.

        latency_s: None where it was not measured. batch: the id of the batch that it was answered in, if any.
        """
        metadata: dict[str, Any] = {
            "trial": wanted.trial,
            "model": wanted.model,
            "prompt_set": wanted.prompt_set,
            "wording": wanted.wording,
            "recorded_at": recorded_at,
            "latency_s": None if latency_s is None else round(latency_s, 4),
            "run": self._run,
        }
        if batch:
            metadata["batch"] = batch
        self._episodes(wanted.file, wanted.model)
        request = wanted.request()
        self._append_line(wanted.file, request, response, metadata)
        self._add(wanted.file, request, response, metadata)
        self.recorded += 1

    # What vcrpy's Cassette does by scanning every episode, and by saving on exit, is done by index and at once.

    def _responses(self, request: Request) -> Iterator[tuple[int, dict[str, Any]]]:
        where = request.headers
        episodes = self._episodes(where["file"], where["model"]).get(where["trial"], {})
        index = episodes.get(request.body.decode().removeprefix("sha256:"))
        if index is not None:
            yield index, self.data[index][1]

    def _save(self, force: bool = False) -> None:
        """Nothing is left to save: every answer was appended when it came."""

    @property
    def keeps(self) -> bool:
        """Whether a later run finds what this one records."""
        return len(self._folders) == 1

    @property
    def write_protected(self) -> bool:
        return bool(self.record_mode == RecordMode.NONE)

    def can_play_response_for(self, request: Request) -> bool:
        return self.record_mode != RecordMode.ALL and request in self

    def _episodes(self, file: str, model: str) -> dict[str, dict[str, int]]:
        """trial -> digest -> index of the episode, the model's file being read if it was not yet.

        An episode of another model is none. Those that name no model are known by their requests, which do.
        """
        if file not in self._index:
            names = dict.fromkeys((earlier_file(file, model), file))
            contents = [self._read(folder, name) for folder, name in itertools.product(self._folders, names)]
            self._index[file] = {}
            for request, response, metadata in itertools.chain.from_iterable(contents):
                if metadata.get("model", model) == model:
                    self._add(file, request, response, metadata)
        return self._index[file]

    def _read(self, folder: Path, name: str) -> list[Episode]:
        episodes, cut_short = read_episodes(folder / name, folder)
        if cut_short:
            self.cut_short.add(folder / name)
        return episodes

    def _add(self, file: str, request: Request, response: dict[str, Any], metadata: dict[str, Any]) -> None:
        episodes = self._index[file].setdefault(metadata["trial"], {})
        sha256 = request.body.decode().removeprefix("sha256:")
        older = episodes.get(sha256)
        if older is None or self._metadata_of[older]["recorded_at"] <= metadata["recorded_at"]:
            episodes[sha256] = len(self.data)
        self.data.append((request, response))
        self._metadata_of.append(metadata)

    def _append_line(self, file: str, request: Request, response: dict[str, Any], metadata: dict[str, Any]) -> None:
        bare = Request(request.method, request.uri, request.body, {})
        episode = {"requests": [bare], "responses": [dict(response, body=dict(response["body"]))]}
        line = serialize(episode | {"metadata": metadata}, compact_json)
        try:
            append_line(self.written_to / file, line.encode("utf-8"))
        except OSError as error:
            raise NotRecorded(f"An answer could not be written to its cassette: {error}.") from error
