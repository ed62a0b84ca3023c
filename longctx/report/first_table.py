"""The first table of a run, for a terminal, for summary.md, and as tables of the page."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.results.grouping import grouped
from longctx.results.row import Subject, short_names
from longctx.summary.matrix import Matrix, MatrixRow, alike, matrices, tokens_sent
from longctx.summary.summary import Line, Summary, constants_said, lines, part_of, said_of, tokens_of
from longctx.text import count, visible
from longctx.views.chart import ACCURACY, Table
from longctx.views.view import RatePoint, estimate, interval
from longctx.vocabulary.point import in_words, is_check, name_of_test
from longctx.vocabulary.shapes import STRATEGY, TEXT

WIDTH = 100
"""The most characters of a line."""
FEW = 20
"""The trials below which an accuracy is marked."""
FEW_MARK, NOT_RUN = "*", "·"
CONSTANT = "best constant answer"


class Names:
    """What tests and subjects are called in one line: with what tells apart two lines of the same test and model."""

    def __init__(self, summary: Summary) -> None:
        prompts = grouped(summary.cells, lambda cell: cell.test)
        self._several = {test: len({each.subject.prompt_set for each in cells}) > 1 for test, cells in prompts.items()}

    def of(self, test: str, subject: Subject) -> str:
        """Name a test, and what tells this line of it apart besides the model."""
        about = self.about(test, subject)
        return f"{in_words(test)} ({', '.join(about)})" if about else in_words(test)

    def about(self, test: str, subject: Subject) -> list[str]:
        """Return what tells a subject of a test apart besides the model."""
        shape = [] if subject.shape == TEXT else [subject.shape.replace("_", " ")]
        prompts = [subject.prompt_set] if self._several.get(test) else []
        labels = [value if name == STRATEGY else f"{name}={value}" for name, value in subject.labels]
        server = [f"server {subject.server}"] if subject.server else []
        return [*prompts, *shape, *server, *labels]


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of a matrix as text. subject: None for all subjects."""

    subject: Subject | None
    name: str
    cells: tuple[str, ...]
    is_head: bool = False
    """Whether it is about the lengths, and not about answers."""
    n: int = 0
    """The trials that it counts."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix as text."""

    test: str
    part: str
    """The part of the test that it is about; empty if it is about all."""
    states: str
    """What is stated: accuracies, or k_max."""
    about: tuple[str, ...]
    """What is said of all rows."""
    rows: tuple[GridRow, ...]
    """The lengths; then the tokens that were sent, and the curves."""
    remarks: Mapping[Subject, str]
    """What to know of a subject's numbers."""


def grids_of(found: Sequence[Matrix]) -> list[Grid]:
    """Return matrices as text. Remarks on a test or its subjects are printed only with its first matrix."""
    grids = list[Grid]()
    for matrix in found:
        about = [] if grids and grids[-1].test == matrix.test else matrix.about
        remarks = {row.subject: ", ".join(said) for row in matrix.rows if (said := _remarks(row.line, matrix))}
        told = {subject for each in grids if each.test == matrix.test for subject in each.remarks}
        grids.append(
            Grid(
                matrix.test,
                matrix.part,
                matrix.name or ACCURACY,
                tuple(about),
                tuple(_rows(matrix)),
                {subject: each for subject, each in remarks.items() if subject not in told},
            )
        )
    return grids


def _remarks(line: Line, matrix: Matrix) -> list[str]:
    """Return what to know of a line: also the constant answers that have no column, since items of a length differ."""
    others = {key: constant for key, constant in line.constants.items() if key not in matrix.lengths}
    return [*line.remarks, *filter(None, [constants_said(others)])]


def _rows(matrix: Matrix) -> Iterator[GridRow]:
    """Yield the lengths, then the curves. The tokens that were sent stand once for as many of them as sent the same."""
    yield GridRow(None, matrix.counts, tuple(map(_length, matrix.lengths)), is_head=True)
    of_all = tokens_sent(matrix.rows)
    if alike(of_all):
        yield from _sent(matrix, None, of_all)
    for subject, own in grouped(matrix.rows, lambda row: row.subject).items():
        of_subject = tokens_sent(own)
        if not alike(of_all) and alike(of_subject):
            yield from _sent(matrix, subject, of_subject)
        for row in own:
            if not alike(of_subject):
                yield from _sent(matrix, subject, tokens_sent([row]))
            n = sum(point.value.n for point in row.points.values())
            yield GridRow(subject, _with(row.name, row.about), _cells(matrix, row), n=n)
        constants = [own[0].line.constants.get(length) for length in matrix.lengths]
        if any(constants):
            yield GridRow(subject, CONSTANT, tuple(str(each or NOT_RUN) for each in constants))


def _sent(matrix: Matrix, subject: Subject | None, tokens: Mapping[float | str, tuple[int, int]]) -> Iterator[GridRow]:
    if tokens:
        cells = (short(tokens[length][1]) if length in tokens else NOT_RUN for length in matrix.lengths)
        yield GridRow(subject, "tokens sent", tuple(cells), is_head=True)


def short(tokens: int) -> str:
    """Return a number of tokens with about two digits: 647, 1.2k, 16k."""
    return f"{tokens:,}" if tokens < 1000 else f"{tokens / 1000:.1f}k" if tokens < 9950 else f"{tokens / 1000:,.0f}k"


def _length(length: float | str) -> str:
    return length if isinstance(length, str) else f"{length:,.0f}" if length == int(length) else f"{length:,}"


def _with(name: str, about: Sequence[str]) -> str:
    return f"{name} ({', '.join(about)})".strip() if about else name


def _cells(matrix: Matrix, row: MatrixRow) -> tuple[str, ...]:
    return tuple(_cell(row.points[length]) if length in row.points else NOT_RUN for length in matrix.lengths)


def _cell(point: RatePoint) -> str:
    mark = FEW_MARK if 0 < point.value.n < FEW else ""
    return point.states or f"{estimate(point.value):.2f}{mark}"


def first_table_text(summary: Summary, most: int | None = None) -> str:
    """Return the first table as text.

    most: the most lines, by default all. What has no room is counted: first rows of one length, then tests without
    lengths, then the rows of the fewest lengths.
    """
    found, single = matrices([line for line in lines(summary) if not is_check(line.test)])
    names, grids = Names(summary), list(map(_thinned, grids_of(found)))
    few = any(cell.endswith(FEW_MARK) for each in grids for row in each.rows for cell in row.cells)
    rows, tests = Counter[str](), 0
    below = _single(names, single)
    while most is not None and sum(len(text_of(each, names)) for each in grids) + sum(map(len, below)) > most - 1:
        smaller = _without_a_row(grids, 1) or (None if below else _without_a_row(grids, len(grids[0].rows[0].cells)))
        if smaller:
            grids, test = smaller
            rows[test] += 1
        elif len(below) > (not grids):
            below, tests = below[:-1], tests + 1
        else:
            break
    blank = any(NOT_RUN in row.cells for each in grids for row in each.rows)
    foot = [f"{NOT_RUN} not run"] * blank + [f"{FEW_MARK} fewer than {FEW} trials"] * few
    more = [count(tests, "more test")] * bool(tests)
    more += [f"{count(number, 'more row')} of {in_words(test)}" for test, number in rows.items()]
    foot += [f"{', '.join(more)}: -v"] * bool(more)
    texts = [line for each in grids for line in text_of(each, names)]
    return "\n".join([*texts, *(line for test in below for line in test), *(["; ".join(foot)] if foot else [])])


def _without_a_row(grids: Sequence[Grid], most: int) -> tuple[list[Grid], str] | None:
    """Leave out the last row of those with the fewest lengths, of the longest matrix. most: the most lengths of it."""
    curves = [
        (sum(cell != NOT_RUN for cell in row.cells), -len(each.rows), -index, place, row)
        for place, each in enumerate(grids)
        for index, row in enumerate(each.rows)
        if not row.is_head and row.name != CONSTANT and len(each.rows) > LEAST_ROWS
    ]
    number, *_, place, last = min(curves, key=lambda curve: curve[:-1], default=(most + 1, 0, 0, 0, None))
    if number > most:
        return None
    each = grids[place]
    rows = [row for row in each.rows if row is not last]
    left = {row.subject for row in rows if not row.is_head and row.name != CONSTANT}
    smaller = replace(each, rows=tuple(row for row in rows if row.subject in {*left, None}))
    return [*grids[:place], smaller, *grids[place + 1 :]], each.test


LEAST_ROWS = 4
"""The rows of a matrix that are always shown."""


def _thinned(each: Grid) -> Grid:
    """Return a matrix of at most so many lengths that all fit in a few lines: the rest is on the page."""
    if (columns := len(each.rows[0].cells)) <= MOST_LENGTHS:
        return each
    places = [round(index * (columns - 1) / (MOST_LENGTHS - 1)) for index in range(MOST_LENGTHS)]
    rows = tuple(replace(row, cells=tuple(row.cells[index] for index in places)) for row in each.rows)
    return replace(each, rows=rows, about=(*each.about, f"{MOST_LENGTHS} of {columns:,} lengths"))


MOST_LENGTHS = 20
"""The most lengths of a matrix as text."""


def text_of(each: Grid, names: Names, width: int = WIDTH) -> list[str]:
    """Return a matrix as lines. If it is too wide, models stand above their rows, or its columns below one another."""
    heads = _heads(each, names)
    states = "" if each.states == ACCURACY else each.states
    title = ", ".join(filter(None, [in_words(each.test), each.part, states, *each.about]))
    beside = _aligned([(head or (title if not index else ""), row) for index, (head, row) in enumerate(heads)])
    if max(map(len, beside)) <= width:
        return beside
    stacked = list[str]()
    for head, line in zip(
        [title, *(head for head, _ in heads[1:])], _aligned([("", row) for _, row in heads]), strict=True
    ):
        stacked += [*([head] if head else []), f"  {line}".rstrip()]
    if (columns := len(each.rows[0].cells)) < 2:
        return stacked
    halves = [_columns(each, at) for at in (slice(columns // 2), slice(columns // 2, None))]
    below = [line for part in halves for line in text_of(part, names, width)]
    return min([stacked, below], key=lambda text: (max(map(len, text)) > width, len(text)))


def _columns(each: Grid, at: slice) -> Grid:
    """Return some columns of a matrix, without the rows that have nothing there."""
    rows = [replace(row, cells=row.cells[at]) for row in each.rows]
    return replace(each, rows=tuple(row for row in rows if {*row.cells} != {NOT_RUN}))


def _heads(each: Grid, names: Names) -> list[tuple[str, GridRow]]:
    """Return the rows, each with what stands before it: the model at its first row, remarks at its second."""
    heads = list[tuple[str, GridRow]]()
    for subject, rows in grouped(each.rows, lambda row: row.subject).items():
        before = [""] * len(rows)
        if subject:
            before[0] = "  " + ", ".join([subject.model, *names.about(each.test, subject)])
            if remark := each.remarks.get(subject):
                before[:2] = [*before[:1], f"    {remark}"] if len(rows) > 1 else [f"{before[0]} ({remark})"]
        heads += zip(before, rows, strict=True)
    return heads


def _aligned(rows: Sequence[tuple[str, GridRow]]) -> list[str]:
    columns = [_padded(column) for column in zip(*(row.cells for _, row in rows), strict=True)]
    padded = [*zip(*columns, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    first, second = max(len(head) for head, _ in rows), max(len(row.name) for _, row in rows)
    return [
        "  ".join(
            [
                *([visible(head).ljust(first)] if first else []),
                *([visible(row.name).rjust(second)] if second else []),
                *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)),
            ]
        ).rstrip()
        for (head, row), cells in zip(rows, padded, strict=True)
    ]


def _padded(column: Sequence[str]) -> list[str]:
    """Return the cells of a column so that marks stand beyond the last digits."""
    marked = any(cell.endswith(FEW_MARK) for cell in column)
    return [f"{cell} " if marked and not cell.endswith(FEW_MARK) else cell for cell in column]


def _single(names: Names, single: Sequence[Line]) -> list[list[str]]:
    """Return the lines of tests without lengths: the test, the model, the trials and the accuracy."""
    if not single:
        return []
    heads = [(names.of(line.test, line.subject), line.subject.model, f"n={line.n:,}") for line in single]
    first, second, third = (max(map(len, column)) for column in zip(*heads, strict=True))
    room = max(LEAST_ROOM, WIDTH - first - second - third - 6)
    found = list[list[str]]()
    for line, (test, model, n) in zip(single, heads, strict=True):
        start = f"{visible(test).ljust(first)}  {visible(model).ljust(second)}  {n.rjust(third)}  "
        texts = _broken(line.in_full, room)
        found.append([f"{' ' * len(start) if index else start}{text}".rstrip() for index, text in enumerate(texts)])
    return found


LEAST_ROOM = 40
"""The fewest letters of a text in a line."""


def _broken(parts: Sequence[str], room: int) -> list[str]:
    """Return the parts on as many lines as they need, broken between them where that is possible."""
    broken = [""]
    for part in parts:
        start = f"{broken[-1]}; " if broken[-1] else ""
        if len(start + part) > room and start:
            broken[-1] += ";"
            broken.append("")
            start = ""
        broken[-1:] = textwrap.wrap(start + part, room, break_long_words=False, break_on_hyphens=False)
    return broken


def first_tables(summary: Summary) -> list[Table]:
    """Return the first table of the page: a table for each test with several lengths, and one of all others.

    Tables have a column of models if there are several. Checks are rows of their tests.
    """
    every = lines(summary)
    found, single = matrices(every)
    tables = [_table(summary, each) for each in grids_of(found)]
    others = _others(summary, single)
    return [*tables, *([others] if others.rows else [])]


def _table(summary: Summary, each: Grid) -> Table:
    lengths, *rows = each.rows
    names = short_names(row.subject for row in rows if row.subject)
    told = {subject: f"{name} ({each.remarks[subject]})" for subject, name in names.items() if subject in each.remarks}
    models = [(names | told)[row.subject] if row.subject else "all" for row in rows]
    columns: dict[str, list[object]] = {"model": [*models]} if len(names) != 1 or told else {}
    columns |= {lengths.name: [row.name or each.states for row in rows]}
    columns |= {length: [row.cells[index] for row in rows] for index, length in enumerate(lengths.cells)}
    columns["n"] = [f"{row.n:,}" if row.n else "" for row in rows]
    about = ", ".join(filter(None, [summary.title(each.test), each.part, *each.about]))
    return Table.from_columns(f"{about}: {each.states} by {lengths.name}", columns, each.test)


def _others(summary: Summary, single: Sequence[Line]) -> Table:
    """Return the tests without lengths: a row for each accuracy that their line states, and one for each check."""
    own = [line for line in single if own_test(summary, line.test) == line.test]
    names = short_names(line.subject for line in own)
    rows = []
    for line in own:
        checks = [each for each in single if _is_check_of(each, line, summary)]
        of: list[tuple[str, ...]] = [*_stated(line)]
        for check in checks:
            name = check.test.removeprefix(f"{line.test}.")
            of += [(f"check {name}{f', {part}' if part else ''}", *rest) for part, *rest in _stated(check)]
        rows += [(summary.title(line.test), names[line.subject], *stated) for stated in of]
    all_names = "test", "model", "part", ACCURACY, "tokens sent", "n"
    columns = {name: [row[index] for row in rows] for index, name in enumerate(all_names)}
    left_out = [name for name in ("part", "tokens sent") if not any(columns[name])]
    left_out += ["model"] if len(names) == 1 else []
    return Table.from_columns("", {name: cells for name, cells in columns.items() if name not in left_out})


def _is_check_of(check: Line, line: Line, summary: Summary) -> bool:
    is_own = check.test != line.test and own_test(summary, check.test) == line.test
    return is_own and check.subject == line.subject


def _stated(line: Line) -> Iterator[tuple[str, str, str, str]]:
    """Yield what a line states: the part that it is of, the accuracy or another measure, the tokens sent, and n."""
    measures = line.said[: len(line.said) - len([*said_of(line.points)])]
    if measures or not line.points:
        yield "", "; ".join(measures or line.said), "", f"{line.n:,}"
    for point in line.points:
        low, high = interval(point.value)
        accuracy = point.states or f"{estimate(point.value):.2f} [{low:.2f}, {high:.2f}]"
        tokens = tokens_of([point])
        part = part_of(point) if len(line.points) > 1 else ""
        yield part, accuracy, f"{tokens:,}" if tokens else "", f"{point.value.n:,}"


def own_test(summary: Summary, name: str) -> str:
    """Return the test that a check is of, if the run has it; else the name itself."""
    own = name_of_test(name)
    return own if own in summary.tests else name
