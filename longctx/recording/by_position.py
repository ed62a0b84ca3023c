"""Recorded answers by trial and position, whatever the request: so that other test code can judge what was answered.

It is the one exception to the rule that an answer belongs to exactly one request. Nothing is stored, and requests that
differ are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from longctx.cells.cell import Cell
from longctx.recording.episodes import Episode
from longctx.recording.request import Place
from longctx.recording.tape import Status, Tape
from longctx.recording.trials import Exchange


class UsedAnswer(NamedTuple):
    """An answer that a trial was given: where it is recorded."""

    trial: str
    file: str
    model: str
    key: str
    """The key of its request among those of the trial."""
    path: str
    """The path of its API."""
    counts: bool
    """Whether it is a count of tokens."""

    @property
    def kind(self) -> RequestSequence:
        return self.file, self.counts


RequestSequence = tuple[str, bool]
"""Which requests of a trial follow each other: the file of the model that is asked, and whether they count tokens."""


def cell_key(cell: Cell) -> str:
    """Return what identifies a cell in a run: its file, which prompt sets share, and the prompt set."""
    return f"{cell.file}#{cell.wording.prompt_set}"


def name_of_test_in(key: str) -> str:
    """Return the name of the test of a cell, given by its key."""
    return key.split("/")[1]


def used_answers(exchanges: Iterable[Exchange]) -> list[UsedAnswer]:
    """Return the answers that a trial was given, in the order of their requests."""
    places = sorted((exchange.place for exchange in exchanges), key=lambda place: place.number)
    return [UsedAnswer(place.trial, place.file, place.model, place.key, place.path, place.counts) for place in places]


@dataclass(slots=True)
class RequestsOfTrial:
    """The requests of a trial beside those that its answers are to."""

    used: dict[RequestSequence, list[UsedAnswer]] = field(default_factory=lambda: defaultdict(list))
    numbers: dict[RequestSequence, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The numbers of its own requests of each kind, in their order."""
    differ: bool = False
    """Whether it sends another text."""
    lack: bool = False
    """Whether it sends more requests than were answered, or another kind of request."""

    def answer_to(self, place: Place) -> UsedAnswer | None:
        kind = place.file, place.counts
        numbers, used = self.numbers[kind], self.used.get(kind, ())
        if place.number not in numbers:
            numbers.append(place.number)
        position = numbers.index(place.number)
        answer = used[position] if position < len(used) and used[position].path == place.path else None
        self.lack = self.lack or answer is None
        self.differ = self.differ or (answer is not None and answer.key != place.key)
        return answer

    @property
    def has_fewer(self) -> bool:
        return any(len(used) > len(self.numbers.get(kind, ())) for kind, used in self.used.items())


@dataclass(frozen=True, slots=True)
class RequestsOfTest:
    """In how many trials of a test the requests are others than those that were answered."""

    trials: int = 0
    differ: int = 0
    more: int = 0
    fewer: int = 0


class TapeByPosition(Tape):
    """Recordings that answer the n-th request of a kind with the n-th answer of that kind that the trial was given."""

    def __init__(self, folder: Path, run: str, private: Path | None, used: Mapping[str, Sequence[UsedAnswer]]) -> None:
        """run: the name of the run whose answers they are. private: its folder of answers that no cassette keeps.

        used: its answers, by the keys of the cells.
        """
        super().__init__(folder, run=run, write_to=private)
        self._used = used
        self._cells: dict[str, dict[str, RequestsOfTrial]] = {}
        self._current: dict[str, RequestsOfTrial] = {}

    def begin(self, cell: Cell) -> None:
        """Answer the requests of a cell from now on."""
        key = cell_key(cell)
        self._current = self._cells[key] = defaultdict(RequestsOfTrial)
        for answer in self._used.get(key, ()):
            self._current[answer.trial].used[answer.kind].append(answer)

    def status(self, place: Place) -> Status:
        return "missing" if self._episode(place) is None else "found"

    def _episode(self, place: Place) -> Episode | None:
        answer = self._current[place.trial].answer_to(place)
        if answer is None:
            return None
        index = self._episodes(answer.file, answer.model).get(answer.trial, {}).get(answer.key)
        return None if index is None else (*self._cassette.data[index], self._metadata_of[index])

    def requests_of_tests(self) -> Iterator[tuple[str, RequestsOfTest]]:
        """Yield the tests, and how their requests compare with those that were answered."""
        of_tests: dict[str, list[RequestsOfTrial]] = defaultdict(list)
        for key, trials in self._cells.items():
            of_tests[name_of_test_in(key)] += trials.values()
        for test, requests in of_tests.items():
            ran = [each for each in requests if each.numbers]
            yield (
                test,
                RequestsOfTest(
                    len(ran),
                    sum(each.differ for each in ran),
                    sum(each.lack for each in ran),
                    sum(each.has_fewer for each in ran),
                ),
            )
