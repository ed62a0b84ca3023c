"""The tape: a folder of JSON-lines files, one file for each cell, one line for each episode.

An episode is a complete vcrpy cassette of one interaction; its metadata names the trial that it answers. It holds the
digest of the request, not its body: the prompt is built again from the seed, so that a changed prompt finds no answer.
Each answer is appended when it arrives, so that a killed run keeps what it received.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from longctx.cells.cell import Cell, Trial
from longctx.config.models import ModelProfile
from longctx.errors import TapeError, UserError
from longctx.files import check_writable
from longctx.json_lines import append_line
from longctx.locks import locked
from longctx.recording import compact_json
from longctx.recording.answer_body import MalformedAnswer, count, read_object
from longctx.recording.apis import api_at, messages, to_answer
from longctx.recording.apis.messages import Receipt
from longctx.recording.base import AnswerOrigin, Base, answer_of
from longctx.recording.episodes import Episode, SentAgain, Unsent, read_episodes
from longctx.recording.request import Place
from longctx.recording.rewriting import Rewriting
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.looks import LooksPlan
from longctx.vocabulary.point import present_name

if TYPE_CHECKING:
    from vcr.cassette import Cassette
    from vcr.request import Request

IN_LOOKS = re.compile(r'(?<!\\)"looks":"')
"""In the metadata of an episode that was sent in looks."""
Status = Literal["found", "stale", "missing"]


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """An answer to the first request of a trial, whether or not a later one replaced it."""

    sha256: str
    recorded_at: str


class NotRecorded(Exception):
    """An answer was received and paid for, but could not be written."""


PLACE: ContextVar[Place] = ContextVar("the place of the answer that is being asked for")
"""The place of the answer that the current task asks for; it tells the transport where it belongs."""


class Tape:
    """All episodes in `folder`. The file of a cell is read when it is first needed.

    record_mode: `none` asks nothing; `once` asks what has no episode yet; `new_episodes` also asks what has only stale
    ones; `all` sends everything again. run: the name of the run that asks, which new episodes carry. write_to: the
    folder for new episodes, by default `folder`. base: the recordings of the branch that a change is judged against.
    trust_base: whether only answers count that are in `base` or carry the name of the run.
    """

    def __init__(
        self,
        folder: Path,
        record_mode: str = "none",
        run: str = "",
        write_to: Path | None = None,
        base: Base | None = None,
        trust_base: bool = False,
    ) -> None:
        self.record_mode = record_mode
        self._folders = [folder] if write_to in (None, folder) else [folder, write_to]
        self.homes: Mapping[str, Path] = {}
        """Further folders of recordings, by the tests that have them: what is recorded of these tests goes there."""
        self._run = run
        self._base, self._trust_base = base, trust_base
        self._index: dict[str, dict[str, dict[str, int]]] = {}
        self._metadata_of: list[dict[str, Any]] = []
        self.cut_short: set[Path] = set()
        """The files whose last line a killed run left unfinished."""
        self._refused: set[tuple[str, str]] = set()
        self.not_accepted: set[str] = set()
        """The files with answers that do not count, because they are not in the base."""
        self.rewriting = Rewriting()
        """What the project's hooks make of requests and answers."""
        self.looks: LooksPlan | Literal[""] = ""
        """The plan of the looks in which new answers are recorded; empty if there are no looks."""
        self.recorded = 0
        """The number of answers that were recorded on this tape."""
        self._to_send_again: list[tuple[Cell, ModelProfile]] = []
        self._not_sent_again: dict[str, set[str]] = defaultdict(set)
        """The trials in each file of which earlier answers do not count any more."""
        self._replaced: dict[str, list[Episode]] = defaultdict(list)
        """The answers in each file that no longer count."""
        self._files: list[str] = []
        """The file of each answer that counts."""
        self._first: tuple[Mapping[tuple[str, str], Sequence[FirstRequest]], int] | None = None
        """The answers to first requests by file and trial, and of how many answers in all."""
        self._left_out: dict[str, list[Unsent]] = defaultdict(list)
        """The trials in each file that gates were settled without."""

    @functools.cached_property
    def _cassette(self) -> Cassette:
        """The requests and responses of all files that were read. What finds them is the index: it is never saved."""
        from vcr.cassette import (
            Cassette,
        )  # as the other imports of vcrpy when it is needed: it takes a tenth of a second

        return Cassette(str(self._folders[0]), record_mode=self.record_mode)

    @property
    def asks_anew(self) -> bool:
        """Whether the record mode sends everything again."""
        return self.record_mode == "all"

    @property
    def asks_stale(self) -> bool:
        """Whether the record mode asks what is recorded for another request only."""
        return self.record_mode == "new_episodes"

    @property
    def written_to(self) -> Path:
        """The folder that new episodes go to."""
        return self._folders[-1]

    @property
    def all_written(self) -> list[Path]:
        """The folders that new episodes go to: `written_to`, and those of tests that have their own."""
        return [self.written_to, *(sorted({*self.homes.values()}) if self.keeps else [])]

    def path_of(self, file: str) -> Path:
        """Return the path of a cell's file that new episodes go to."""
        home = self.homes.get(file.split("/")[1]) if self.keeps else None
        return (home or self.written_to) / file

    def _folders_of(self, test: str) -> list[Path]:
        """Return the folders that a test may have recordings in."""
        return [*self._folders, *([self.homes[test]] if test in self.homes else [])]

    def folders_of_models(self) -> list[str]:
        """Return the names of the folders that hold the recordings of a model each."""
        folders = {*self._folders, *self.homes.values()}
        return sorted({path.name for folder in folders if folder.is_dir() for path in folder.iterdir()})

    def has_any(self, file: str, model: str) -> bool:
        """Return whether a cell's file has any episode of the model."""
        return bool(self._episodes(file, model))

    def trials(self, file: str, model: str, prompt_set: str) -> Iterator[str]:
        """Yield the trials that a cell's file has an episode of the model for, in the wording of a prompt set."""
        for built, episodes in self._episodes(file, model).items():
            if any(present_name(self._metadata_of[index]["prompt_set"]) == prompt_set for index in episodes.values()):
                yield built

    def status(self, place: Place) -> Status:
        """Return whether the answer is recorded, recorded for another request only (stale), or missing.

        In record mode `all`, an answer of another run is missing.
        """
        if self.answer(place) is not None:
            return "found" if self.uses_recording(place) else "missing"
        return "stale" if any(_in_place_of(place, metadata) for metadata in self._metadata(place)) else "missing"

    def _metadata(self, place: Place) -> list[dict[str, Any]]:
        """Return the metadata of all answers to the trial of a request."""
        episodes = self._episodes(place.file, place.model).get(place.trial, {})
        return [self._metadata_of[index] for index in episodes.values()]

    def sends(self, trial: Trial) -> bool | None:
        """Return whether this record mode asks the question; None if that depends on the digest of its request."""
        episodes = self._episodes(trial.cell.file, trial.cell.model.model)
        if self.record_mode == "none":
            return False
        if self.record_mode == "all" or not episodes.get(str(trial.identity)):
            return True
        return False if self.record_mode == "once" else None

    def has_trial(self, trial: Trial) -> bool:
        """Return whether a trial has any episode of its model."""
        return self.has(trial.cell.file, trial.cell.model.model, str(trial.identity))

    def has(self, file: str, model: str, trial: str) -> bool:
        """Return whether a cell's file has any episode of the model about a trial, by its identity."""
        return bool(self._episodes(file, model).get(trial))

    def refuses(self, trial: Trial) -> bool:
        """Return whether a trial has an episode that is not accepted, since it is not on the base branch."""
        self._episodes(trial.cell.file, trial.cell.model.model)
        return (trial.cell.file, str(trial.identity)) in self._refused

    def output_tokens(self, file: str, model: str, most: int) -> list[int]:
        """Return the output tokens of up to `most` recorded answers of a cell's file, as the server has them."""
        indices = [index for built in self._episodes(file, model).values() for index in built.values()][:most]
        counts = []
        for index in indices:
            with contextlib.suppress(ValueError, AttributeError, KeyError, TypeError):
                request, response = self._cassette.data[index]
                answer = read_object(response["body"]["string"])
                api = api_at(request.path)
                tokens = api.as_message(answer)["usage"]["output_tokens"] if api else None
                if type(tokens) is int and tokens >= 0:
                    counts.append(tokens)
        return counts

    def fingerprint(self, file: str, model: str) -> str:
        """Return the `system_fingerprint` of the last recorded answer of a cell's file that has one; else nothing."""
        indices = [index for built in self._episodes(file, model).values() for index in built.values()]
        for index in sorted(indices, reverse=True):
            with contextlib.suppress(ValueError, KeyError, TypeError):
                named = read_object(self._cassette.data[index][1]["body"]["string"]).get("system_fingerprint")
                if isinstance(named, str) and named:
                    return named
        return ""

    def any_in_looks(self, function: str) -> bool:
        """Return whether any trial of a test function was sent in looks."""
        files = (file for folder in self._folders_of(function) for file in folder.glob(f"*/{function}/*.jsonl"))
        return function.isidentifier() and any(IN_LOOKS.search(file.read_text("utf-8", "replace")) for file in files)

    def looks_of(self, trials: Iterable[tuple[str, str, str, str | None]]) -> LooksPlan | None:
        """Return the plan of the looks in which these trials were last sent; None if none was sent in looks.

        trials: the file, the model and the identity of each, and when the answer came that counts; None for any.
        Asking could have stopped before any of them.
        """
        last: tuple[str, LooksPlan] | None = None
        for file, model, built, at in trials:
            for index in self._episodes(file, model).get(built, {}).values():
                metadata = self._metadata_of[index]
                if (looks := metadata.get("looks")) and at in (None, metadata["recorded_at"]):
                    found: tuple[str, LooksPlan] = metadata["recorded_at"], looks
                    last = found if last is None else max(last, found)
        return last and last[1]

    def set_out_to_send(self, cells: Iterable[Cell], judge: ModelProfile | None = None) -> None:
        """Set out to send all of these trials again, as record mode `all` does; other modes do not.

        From the first answer on, the files say that earlier ones do not count, so that no replay takes them for those
        that could not be sent. judge: whose answers about trials of test functions do not count, either.
        """
        if self.asks_anew and self.keeps:
            self._to_send_again = [(cell, model) for cell in cells for model in (cell.model, judge) if model]

    def first_requests(self, file: str, model: str, trial: str) -> Sequence[FirstRequest]:
        """Return the answers of all runs to the first request of a trial."""
        self._episodes(file, model)
        if self._first is None or self._first[1] != len(self._metadata_of):
            found: dict[tuple[str, str], list[FirstRequest]] = defaultdict(list)
            counted = zip(self._files, self._cassette.data, self._metadata_of, strict=True)
            every = [(name, request, metadata) for name, (request, _), metadata in counted]
            replaced = self._replaced.items()
            every += [(name, request, metadata) for name, filed in replaced for request, _, metadata in filed]
            for name, request, metadata in every:
                if not any(metadata.get(part) for part in ("request", "after", "same")):
                    sha256 = request.body.decode().removeprefix("sha256:")
                    found[name, metadata["trial"]].append(FirstRequest(sha256, metadata["recorded_at"]))
            self._first = found, len(self._metadata_of)
        return self._first[0].get((file, trial), ())

    def left_out(self, trial: Trial) -> bool:
        """Return whether the last gate that was to send a trial was settled without it."""
        cell, wording = trial.cell, trial.cell.wording
        self._episodes(cell.file, cell.model.model)
        asked = str(trial.identity), cell.model.model, wording.prompt_set, wording.digest
        return any(each.holds(*asked) for each in self._left_out[cell.file])

    def leave_out(self, trials: Sequence[Trial]) -> None:
        """Write into the file of a cell which of its trials a gate is settled without. Raises NotRecorded."""
        new = [trial for trial in trials if not self.left_out(trial)] if self.keeps and self.looks else []
        if not new:
            return
        cell, wording, names = new[0].cell, new[0].cell.wording, frozenset(str(trial.identity) for trial in new)
        assert self.looks
        left = Unsent(cell.model.model, present_name(wording.prompt_set), wording.digest, self._run, self.looks, names)
        self.begin_sending()
        self._append(self.path_of(cell.file), left.line())
        self._left_out[cell.file].append(left)

    def begin_sending(self) -> None:
        """Write into the files what is sent again. Raises NotRecorded."""
        for cell, model in self._to_send_again:
            file = cell.file_of(model)
            recorded = self._episodes(file, model.model)
            asked = {str(trial.identity) for trial in cell.each_trial()}
            names = asked & recorded.keys()
            runs = {self._metadata_of[index]["run"] for name in names for index in recorded[name].values()}
            for left in self._left_out[file]:
                if left.model == model.model and left.trials & asked:
                    names, runs = names | (left.trials & asked), runs | {left.run}
            if earlier := frozenset(runs - {self._run}):
                wording = cell.wording
                again = SentAgain(
                    model.model, present_name(wording.prompt_set), wording.digest, earlier, frozenset(names)
                )
                recorded_in = (folder / file for folder in self._folders_of(cell.point.test))
                for path in dict.fromkeys([self.path_of(file), *filter(Path.exists, recorded_in)]):
                    self._append(path, again.line())
                self._left_out[file] = [left.without([again]) for left in self._left_out[file]]
        self._to_send_again = []

    def was_not_sent_again(self, place: Place) -> bool:
        """Return whether a trial has no answer that counts, since a later run set out to send it again and did not."""
        recorded = self._episodes(place.file, place.model)
        return place.trial not in recorded and place.trial in self._not_sent_again[place.file]

    def asks_request(self, place: Place) -> bool:
        """Return whether this record mode asks the question, given the digest of its request."""
        status = self.status(place)
        if self.record_mode == "once":
            return status == "missing"
        if self.record_mode == "new_episodes":
            return status != "found"
        return self.record_mode == "all"

    def answer(self, place: Place) -> tuple[bytes, dict[str, Any]] | None:
        """Return the body of the recorded answer to exactly this request, and its metadata; None if there is none."""
        episode = self._episode(place)
        return episode and (episode[1]["body"]["string"], episode[2])

    def response(self, place: Place) -> dict[str, Any] | None:
        """Return the recorded response to exactly this request; None without one, or if it is to be sent anyway."""
        episode = None if self.asks_anew else self._episode(place)
        return episode and episode[1]

    def _episode(self, place: Place) -> Episode | None:
        index = self._episodes(place.file, place.model).get(place.trial, {}).get(place.key)
        return None if index is None else (*self._cassette.data[index], self._metadata_of[index])

    def uses_recording(self, place: Place) -> bool:
        """Return whether the record mode takes the recorded answer: mode `all` takes those of its own run alone."""
        found = self.answer(place)
        return found is not None and (self.record_mode != "all" or found[1]["run"] == self._run)

    def reply(self, place: Place) -> Answer | None:
        """Return the recorded answer to exactly this request; None if there is none that the record mode takes.

        Raises TapeError if the recorded answer is malformed.
        """
        found = self.answer(place) if self.uses_recording(place) else None
        if found is None:
            return None
        body, metadata = found
        try:
            receipt = Receipt(
                latency_s=metadata["latency_s"],
                recorded_at=metadata["recorded_at"],
                request_sha256=place.sha256,
                live=bool(self._run) and metadata["run"] == self._run,
                batched="batch" in metadata,
            )
            return to_answer(place.path, body, receipt, place.prefill)
        except MalformedAnswer as error:
            raise _unusable(place, error) from None

    def count(self, place: Place) -> dict[str, Any]:
        """Return the recorded count of tokens, as the server sent it; there must be one.

        Raises TapeError if it is malformed.
        """
        found = self.answer(place)
        assert found is not None
        try:
            answer = read_object(found[0])
            count(answer.get((api_at(place.path) or messages).COUNT_FIELD))
        except ValueError as error:
            raise _unusable(place, error) from None
        return answer

    def recorded_since(self, place: Place, at: str) -> bool:
        """Return whether an answer to exactly this request was recorded at this time or later. at: ISO 8601, UTC."""
        found = self.answer(place)
        return found is not None and bool(found[1]["recorded_at"] >= at)

    def recorded_wording(self, place: Place) -> dict[str, str]:
        """Return `prompt_set`, `digest` and `headers` of the latest episode of a trial; empty if it has none.

        That is the latest with the prompt set of the request, if there is one.
        """
        if not (metadata := _latest(place, self._metadata(place))):
            return {}
        return {
            "prompt_set": present_name(metadata["prompt_set"]),
            "digest": metadata["wording"],
            "headers": metadata.get("headers", ""),
        }

    def recorded_places(self, place: Place, keys: Collection[str]) -> set[tuple[int, str]]:
        """Return the numbers that requests of a trial were recorded with, each with the reply before it.

        place: that of any of its requests to the same model. keys: of the requests.
        """
        episodes = self._episodes(place.file, place.model).get(place.trial, {})
        return {_recorded_at(self._metadata_of[index]) for key, index in episodes.items() if key in keys}

    def recorded_parts(self, place: Place) -> str:
        """Return the parts of the request that was recorded in this place of the trial; empty if not known.

        Of several, see `recorded_wording`.
        """
        here = _latest(place, (metadata for metadata in self._metadata(place) if _in_place_of(place, metadata)))
        return str(here.get("parts", ""))

    def record(
        self,
        place: Place,
        response: dict[str, Any],
        recorded_at: str,
        latency_s: float | None,
        batch: str = "",
        looks: str | None = None,
    ) -> None:
        """Append one answer to its cell's file; the operating system has it when this returns.

        recorded_at: ISO 8601, UTC. latency_s: None if it was not measured. batch: the id of the batch that answered it,
        if any. looks: the plan of the looks that it was asked in, if not that of the tape. Raises NotRecorded.
        """
        from vcr.request import Request
        from vcr.serialize import serialize

        metadata: dict[str, Any] = {
            "trial": place.trial,
            "model": place.model,
            "prompt_set": place.prompt_set,
            "wording": place.wording,
            "recorded_at": recorded_at,
            "latency_s": None if latency_s is None else round(latency_s, 4),
            "run": self._run,
        }
        if batch:
            metadata["batch"] = batch
        if plan := self.looks if looks is None else looks:
            metadata["looks"] = plan
        if place.headers:
            metadata["headers"] = place.headers
        if place.parts:
            metadata["parts"] = place.parts
        if names := self.rewriting.names:
            metadata["hooks"] = ", ".join(names)
        if not place.counts:
            content = self.rewriting.redacted(response["body"]["string"], place.path)
            response = {**response, "body": {"string": content}}
        places = {"request": place.number, "same": place.same, "after": place.after}
        metadata |= {name: value for name, value in places.items() if value}
        self.begin_sending()
        self._episodes(place.file, place.model)
        request = Request("POST", place.path, f"sha256:{place.sha256}", {})  # without host and headers: without a key
        episode = {"requests": [request], "responses": [dict(response, body=dict(response["body"]))]}
        self._append(self.path_of(place.file), serialize(episode | {"metadata": metadata}, compact_json))
        self._add(place.file, request, response, metadata)
        self.recorded += 1

    @property
    def keeps(self) -> bool:
        """Whether later runs will find what this one records."""
        return len(self._folders) == 1

    def _episodes(self, file: str, model: str) -> dict[str, dict[str, int]]:
        """Return the index of the latest episode of each trial and digest, after reading the file if necessary.

        Episodes that name another model are left out; older ones name none.
        """
        if file not in self._index:
            contents = [self._read(folder, file) for folder in self._folders_of(file.split("/")[1])]
            self._index[file] = {}
            for episode in itertools.chain.from_iterable(contents):
                if episode[2].get("model", model) != model:
                    continue
                if self._trust_base and self._origin(file, episode) not in ("base", "asked"):
                    self.not_accepted.add(file)
                    self._refused.add((file, episode[2]["trial"]))
                else:
                    self._add(file, *episode)
        return self._index[file]

    def origin(self, place: Place) -> AnswerOrigin | None:
        """Return where the recorded answer to exactly this request comes from; None without an answer or a base."""
        episode = self._episode(place)
        return None if episode is None or self._base is None else self._origin(place.file, episode)

    def _origin(self, file: str, episode: Episode) -> AnswerOrigin:
        if self._run and episode[2]["run"] == self._run:
            return "asked"
        assert self._base is not None
        latest = self._base.answer(file, episode, self._folders_of(file.split("/")[1])[len(self._folders) :])
        if latest is None:
            return "new"
        return "base" if latest == answer_of(episode) else "changed"

    def _read(self, folder: Path, name: str) -> Sequence[Episode]:
        recorded = read_episodes(folder / name, folder)
        self._not_sent_again[name] |= {metadata["trial"] for _, _, metadata in recorded.replaced}
        self._replaced[name] += recorded.replaced
        self._left_out[name] += recorded.left_out
        if recorded.cut_short:
            self.cut_short.add(folder / name)
        return recorded.episodes

    def _add(self, file: str, request: Request, response: dict[str, Any], metadata: dict[str, Any]) -> None:
        episodes = self._index[file].setdefault(metadata["trial"], {})
        key = request.body.decode().removeprefix("sha256:")
        if metadata.get("same"):
            key = f"{key}#{metadata['same']}"
        older = episodes.get(key)
        own = bool(self._run) and metadata["run"] == self._run  # counts whatever the clock of another machine was
        if own or older is None or self._metadata_of[older]["recorded_at"] <= metadata["recorded_at"]:
            episodes[key] = len(self._cassette.data)
        self._cassette.data.append((request, response))
        self._metadata_of.append(metadata)
        self._files.append(file)

    def _append(self, path: Path, line: str) -> None:
        try:
            append_line(path, line.encode("utf-8"))
        except OSError as error:
            raise NotRecorded(f"An answer could not be written to its cassette: {error}.") from error


def _in_place_of(place: Place, metadata: Mapping[str, Any]) -> bool:
    """Return whether an answer is to the request in this place of its trial, whatever that request was."""
    return _recorded_at(metadata) == (place.number, place.after)


def _recorded_at(metadata: Mapping[str, Any]) -> tuple[int, str]:
    return metadata.get("request", 0), metadata.get("after", "")


def _latest(place: Place, recorded: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the latest of some metadata, if possible with the prompt set of a request; empty if there is none."""

    def order(metadata: Mapping[str, Any]) -> tuple[bool, str]:
        return present_name(metadata["prompt_set"]) == place.prompt_set, str(metadata["recorded_at"])

    return max(recorded, key=order, default={})


def _unusable(place: Place, why: Exception) -> TapeError:
    return TapeError(
        "bad-recorded-answer",
        f"{place.file}: the episode of {place.trial} cannot be used: {why}. Delete its line, and record its trial "
        "again with --ctx-record once.",
    )


@contextlib.contextmanager
def only_writer(*folders: Path, lock: bool = True) -> Iterator[None]:
    """Lock folders for recording. Raises UserError if another run is recording into one, or if it cannot be locked.

    Two runs at once would find the same trials missing and would both pay for them. A folder that cannot be written is
    not locked: perhaps nothing is missing in it, and otherwise writing reports why.
    """
    with contextlib.ExitStack() as locks:
        for folder in folders if lock else ():
            locks.enter_context(_only_writer(folder))
        yield


@contextlib.contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    held = UserError(
        "recording-locked",
        f"Another run is recording into {folder}, and two would pay for the same trials twice: wait until it ends. "
        "Its answers are not requested again.",
    )
    if not _writable(folder):
        yield
        return
    with locked(folder, held, "two runs could pay for the same trials"):
        yield


def _writable(folder: Path) -> bool:
    try:
        check_writable(folder)
    except UserError:
        return False
    return True
