"""The Little Retrieval Test (LRT): report the content of line i of a long file.

Source: D. Papailiopoulos, K. Lee, J. Sohn, "A Little Retrieval Test for Large Language Models", 2023,
https://github.com/anadim/the-little-retrieval-test. Where its text and its script differ, the text is followed: the
target line and the instruction's place are drawn independently, and shuffled files are shuffled. No value occurs twice,
so that a wrong answer can be traced to its line.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from longctx import Mark, Outcome, Reply, Scenario, Trial, Words, first_integer, mark, unanswered
from longctx.vocabulary.judging import cut_within

SMALLEST_RANGE = 50_000
"""Values are drawn without replacement from 1 to max(SMALLEST_RANGE, 2 x lines)."""
MANY_LINES = 1_000
"""From so many lines on, it is faster to look numbers up as bytes than to format them."""

PADDING = b"\0"
"""The byte with which numpy pads texts to equal length; no wording contains it."""

OTHER_TOKENS = 100
"""About the tokens of the prompt without its lines."""
COUNTED = 500, 1500
"""The numbers of lines of two files whose difference gives the tokens of a line."""


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A file of the test. order: line numbers in the order of the file; values: the value of each line number."""

    order: NDArray[np.int64]
    values: NDArray[np.int64]
    target: int

    def place(self, line: int) -> int:
        """Return the place of a line number in the file, from 0."""
        return int(np.flatnonzero(self.order == line)[0])


@dataclass(frozen=True, slots=True)
class LineRetrieval(Scenario):
    """A file of `lines` lines. block_size: None = ordered, 1 = fully shuffled, B = blocks of B lines are shuffled."""

    family: ClassVar[str] = "line_retrieval"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("lines", "block_size")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "header": (),
        "line": ("line", "value"),
        "instruction": ("line",),
    }

    lines: int
    block_size: int | None = None
    max_tokens: int = field(default=10, kw_only=True)

    def __post_init__(self) -> None:
        if self.lines < 1:
            raise ValueError(f"a file needs at least 1 line, not {self.lines}.")
        if self.block_size is not None and not 1 <= self.block_size <= self.lines:
            raise ValueError(
                f"block_size {self.block_size} does not fit a file of {self.lines} lines: "
                f"give 1 (full shuffle) to {self.lines}, or leave it out for an ordered file."
            )

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        rng = self.stream(seed, index)
        values = rng.permutation(_largest(self.lines))[: self.lines] + 1
        order = self._order(rng)
        target = int(rng.randint(1, self.lines + 1, dtype=np.int64))
        place = int(rng.randint(0, self.lines + 1, dtype=np.int64))

        above = _lines(words["line"], order[:place], values)
        below = _lines(words["line"], order[place:], values)
        user = "".join([words["header"], "\n\n", above, _instruction(words, target), below])
        needle = _line(words, target, values[target - 1])
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=str(values[target - 1]),
            max_tokens=self.max_tokens,
            depth=user.index(f"{needle}\n") / len(user),
            facts=File(order, values, target),
        )

    def prefix(self, words: Words, seed: int, index: int) -> None:
        """Return None: trials share no more than the beginning of their templates."""

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        match = first_integer(reply)
        if reply.stop_reason == "refusal" or match is None:
            return unanswered(reply)
        number = match[0].lstrip("0") or "0"
        if number == trial.expected:
            return Outcome("correct", match[0], "the value of the target line")
        if cut := cut_within(match, reply):
            return cut
        named = re.search(r"\bline\W*$", reply.text[: match.start()], re.IGNORECASE) is not None
        why, trace = self._origin(trial.facts, int(number[:18]), named)
        return Outcome("wrong", match[0], why, trace)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        file: File = trial.facts
        lines = {"needle": file.target}
        if "line" in outcome.trace:
            lines["the line that was returned"] = outcome.trace["line"]
        marks = mark("instruction", trial.user, _instruction(words, file.target))
        for name, line in lines.items():
            marks += mark(name, trial.user, _line(words, line, file.values[line - 1]) + "\n")
        return marks

    @classmethod
    def unit_texts(cls, words: Words) -> Mapping[str, tuple[str, str, int]]:
        few, many = (cls(lines).build(words, seed=0, index=0).user for lines in COUNTED)
        return {"line": (few, many, COUNTED[1] - COUNTED[0])}

    @property
    def length(self) -> int:
        """The number of lines."""
        return self.lines

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return int(tokens["line"] * self.lines) + OTHER_TOKENS

    def _order(self, rng: np.random.RandomState) -> NDArray[np.int64]:
        ordered = np.arange(1, self.lines + 1, dtype=np.int64)
        if self.block_size is None:
            return ordered
        starts = rng.permutation(-(-self.lines // self.block_size)) * self.block_size
        shuffled: NDArray[np.int64] = (starts[:, None] + np.arange(1, self.block_size + 1)).ravel()
        return shuffled[shuffled <= self.lines]

    def _origin(self, file: File, number: int, named: bool) -> tuple[str, dict[str, int]]:
        """Return where a wrong number came from, as a sentence and as distances. named: whether "line" precedes it."""
        lines = np.flatnonzero(file.values == number)
        if number == file.target or (named and (number <= self.lines or not len(lines))):
            return f"an echo of line number {number} (asked for line {file.target})", {"echoed_line": number}
        if len(lines):
            line = int(lines[0]) + 1
            by_number, by_place = line - file.target, file.place(line) - file.place(file.target)
            why = (
                f"the value of line {line}, not of line {file.target}: "
                f"{by_number:+d} in line number, {by_place:+d} in place"
            )
            return why, {"line": line, "line_distance": by_number, "place_distance": by_place}
        if 1 <= number <= self.lines:
            return f"the number of a line, {number}, not a value", {"echoed_line": number}
        return "a number that is nowhere in the file", {}


def _line(words: Words, line: int, value: int) -> str:
    return words["line"].replace("{line}", str(line)).replace("{value}", str(value))


def _instruction(words: Words, target: int) -> str:
    return words["instruction"].replace("{line}", str(target)) + "\n"


def _largest(lines: int) -> int:
    return max(SMALLEST_RANGE, 2 * lines)


def _lines(template: str, lines: NDArray[np.int64], values: NDArray[np.int64]) -> str:
    """Return the text of these lines, in their order. values: those of all lines of the file."""
    *literals, tail = re.split(r"\{(?:line|value)\}", template)
    names = re.findall(r"\{(line|value)\}", template)
    ends = [""] * (len(names) - 1) + [tail + "\n"]
    columns = []
    for before, name, after in zip(literals, names, ends, strict=True):
        numbers = lines if name == "line" else values[lines - 1]
        if len(values) < MANY_LINES:
            columns.append(_numbered(before, after, numbers.tolist()))
        else:
            columns.append(_all_numbered(before, after, _largest(len(values)))[numbers])
    table = np.empty(len(lines), [(str(place), column.dtype) for place, column in enumerate(columns)])
    for place, column in enumerate(columns):
        table[str(place)] = column
    return table.tobytes().translate(None, PADDING).decode()


def _numbered(before: str, after: str, numbers: Iterable[int]) -> NDArray[np.bytes_]:
    """Return the numbers with the text around them, as bytes padded to equal length."""
    return np.array([f"{before}{number}{after}".encode() for number in numbers], dtype=np.bytes_)


@functools.lru_cache(maxsize=4)
def _all_numbered(before: str, after: str, largest: int) -> NDArray[np.bytes_]:
    return _numbered(before, after, range(largest + 1))
