"""The Little Retrieval Test (LRT): report the content of line i of a long file.

Source: D. Papailiopoulos, K. Lee, J. Sohn, "A Little Retrieval Test for Large Language Models", 2023,
https://github.com/anadim/the-little-retrieval-test. Where its text and its script differ, the text is followed: the
target line and the instruction's place are drawn independently, and shuffled files are shuffled. No value occurs twice,
so that a wrong answer can be traced to its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from longctx import (
    Answer,
    Axes,
    Count,
    Outcome,
    ProtocolAsk,
    ProtocolCell,
    ProtocolDraw,
    fill,
    mark,
    protocol,
    unanswered,
)
from longctx.vocabulary.grid import Size
from longctx.vocabulary.judging import cut_within, first_integer
from longctx.vocabulary.point import Templates
from longctx.vocabulary.protocol import cells_of

SMALLEST_RANGE = 50_000
"""Values are drawn without replacement from 1 to max(SMALLEST_RANGE, 2 x lines)."""
OTHER_TOKENS = 100
"""About the tokens of the prompt without its lines."""
COUNTED = 500, 1500
"""The numbers of lines of two files whose difference gives the tokens of a line."""


def _order(value: Any) -> str | int:
    if value in ("ordered", "shuffled") or (type(value) is int and value >= 1):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        'an order is "ordered", "shuffled", or a number of lines: the size of the blocks that are shuffled'
    )


class LineRetrievalAxes(Axes):
    """Every number of lines in every order, except blocks that are not smaller than the file."""

    sizes: ClassVar[str] = "lines"
    difficulty: ClassVar[str] = "lines"
    lines: tuple[Size, ...] = Field(min_length=1)
    """Lengths of the files, in lines; or shares of the model's window."""
    orders: tuple[Annotated[Any, BeforeValidator(_order)], ...] = Field(default=("ordered", "shuffled"), min_length=1)
    """`"ordered"`, `"shuffled"`, or a number: the lines of the blocks that are shuffled."""
    max_tokens: Count = 10
    """The most tokens of a reply: 10 fit a bare number; a model that answers in a sentence needs about 64."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return (room - self.max_tokens - OTHER_TOKENS) / tokens["line"]

    def cells(self) -> Iterator[dict[str, object]]:
        block_sizes = [{"ordered": None, "shuffled": 1}.get(order, order) for order in self.orders]
        if all(size is not None and size >= max(self.lines) for size in block_sizes):
            raise ValueError(
                f"blocks of {block_sizes[0]} lines are not smaller than the longest file, of {max(self.lines)}: use "
                "longer files or smaller blocks."
            )
        for block_size in block_sizes:
            for lines in self.lines:
                if block_size is None or block_size < lines:
                    yield {"lines": lines, "block_size": block_size}


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A file of the test."""

    order: NDArray[np.int64]
    """The line numbers in the order of the file."""
    values: NDArray[np.int64]
    """The value of each line number."""
    target: int
    """The number of the line that is asked for."""

    @classmethod
    def drawn(cls, stream: np.random.RandomState, lines: int, block_size: int | None) -> File:
        values = stream.permutation(max(SMALLEST_RANGE, 2 * lines))[:lines] + 1
        order = np.arange(1, lines + 1, dtype=np.int64)
        if block_size is not None:
            starts = stream.permutation(-(-lines // block_size)) * block_size
            order = (starts[:, None] + np.arange(1, block_size + 1)).ravel()
            order = order[order <= lines]
        return cls(order, values, int(stream.randint(1, lines + 1, dtype=np.int64)))

    def text(self, template: str, lines: slice) -> str:
        """Return the text of some lines."""
        order = self.order[lines]
        names = re.findall(r"\{(line|value)\}", template)
        pattern = re.sub(r"\{(?:line|value)\}", "%d", template.replace("%", "%%")) + "\n"
        columns = [order if name == "line" else self.values[order - 1] for name in names]
        return pattern * len(order) % tuple(np.stack(columns, axis=1).ravel().tolist())

    def line(self, template: str, line: int) -> str:
        return fill(template, {"line": str(line), "value": str(self.values[line - 1])}) + "\n"

    def place(self, line: int) -> int:
        """Return the place of a line number in the file, from 0."""
        return int(np.flatnonzero(self.order == line)[0])


def _validate(cell: ProtocolCell) -> None:
    if cell.lines < 1:
        raise ValueError(f"a file needs at least 1 line, not {cell.lines}.")
    if cell.block_size is not None and not 1 <= cell.block_size <= cell.lines:
        raise ValueError(
            f"block_size {cell.block_size} does not fit a file of {cell.lines} lines: use 1 (full shuffle) to "
            f"{cell.lines}, or leave it out for an ordered file."
        )


def _units(words: Templates) -> Mapping[str, tuple[str, str, int]]:
    few, many = (cells_of(line_retrieval)(lines).build(words, seed=0, index=0).user for lines in COUNTED)
    return {"line": (few, many, COUNTED[1] - COUNTED[0])}


@protocol(
    axes=LineRetrievalAxes,
    title="Line retrieval",
    templates={"system": (), "header": (), "line": ("line", "value"), "instruction": ("line",)},
    size=lambda cell, tokens: int(tokens["line"] * cell.lines) + OTHER_TOKENS,
    unit="lines",
    length="lines",
    context="lines",
    variant="block_size",
    units=_units,
    validate=_validate,
    report="longctx.protocols.reports.line_retrieval_report:REPORT",
)
def line_retrieval(
    ask: ProtocolAsk, draw: ProtocolDraw, prompt: Callable[..., str], lines: int, block_size: int | None = None
) -> Outcome:
    """A file of `lines` lines: in order (None), fully shuffled (1), or in shuffled blocks of `block_size` lines."""
    stream = draw.stream()
    file = File.drawn(stream, lines, block_size)
    place = int(stream.randint(0, lines + 1, dtype=np.int64))
    template, instruction = prompt("line"), prompt("instruction", line=str(file.target)) + "\n"
    above, below = file.text(template, slice(place)), file.text(template, slice(place, None))
    text = "".join([prompt("header"), "\n\n", above, instruction, below])
    needle = file.line(template, file.target)

    answer = ask(text, expected=str(file.values[file.target - 1]), needle=needle)

    outcome = judge_answer(answer, file)
    marks = mark("instruction", text, instruction) + mark("needle", text, needle)
    if line := outcome.trace.get("line"):
        marks += mark("the line that was returned", text, file.line(template, line))
    return replace(outcome, marks=marks)


def judge_answer(answer: Answer, file: File) -> Outcome:
    """Judge an answer by its first number, and trace a wrong one to its line."""
    right = str(file.values[file.target - 1])
    match = first_integer(answer)
    if answer.stop_reason == "refusal" or match is None:
        return unanswered(answer)
    number = match[0].lstrip("0") or "0"
    if number == right:
        return Outcome("correct", match[0], "the value of the target line")
    if cut := cut_within(match, answer):
        return cut
    named = re.search(r"\bline\W*$", answer.text[: match.start()], re.IGNORECASE) is not None
    why, trace = _origin(file, int(number[:18]), named)
    return Outcome("wrong", match[0], why, trace)


def _origin(file: File, number: int, named: bool) -> tuple[str, dict[str, int]]:
    """Return where a wrong number came from, as a sentence and as distances. named: whether "line" precedes it."""
    found, count = np.flatnonzero(file.values == number), len(file.values)
    if number == file.target or (named and (number <= count or not len(found))):
        return f"an echo of line number {number} (asked for line {file.target})", {"echoed_line": number}
    if len(found):
        line = int(found[0]) + 1
        by_number, by_place = line - file.target, file.place(line) - file.place(file.target)
        why = (
            f"the value of line {line}, not of line {file.target}: "
            f"{by_number:+d} in line number, {by_place:+d} in place"
        )
        return why, {"line": line, "line_distance": by_number, "place_distance": by_place}
    if 1 <= number <= count:
        return f"the number of a line, {number}, not a value", {"echoed_line": number}
    return "a number that is nowhere in the file", {}
