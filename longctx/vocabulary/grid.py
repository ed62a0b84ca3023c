"""A grid: the entries of a test's table in a profile, and the cells that they span."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from longctx.vocabulary.bank import SHIPPED, Bank
from longctx.vocabulary.point import PROTOCOL, Point
from longctx.vocabulary.shapes import TEXT, Shape

Count = Annotated[int, Field(ge=1, strict=True)]
"""The type of an entry: a whole number, at least 1.

Example:
    >>> class Keys(Axes):
    ...     keys: tuple[Count, ...]
"""


MOST_DIGITS = 3
"""The digits of a size that is made of a share: it stays the same when a little less room is left besides it."""


def _size(value: Any) -> int | float:
    if (type(value) is int and value >= 1) or (type(value) is float and 0 < value <= 1):
        return value
    raise ValueError(
        "a size is a number that is greater than or equal to 1, or a share of the model's window, such as 0.25 or 1.0"
    )


SIZE = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "number", "exclusiveMinimum": 0, "maximum": 1}]}
Size = Annotated[Any, BeforeValidator(_size), WithJsonSchema(SIZE)]
"""A length in the test's unit, or a share of the model's window: a float of up to 1.0."""


def _trials(value: Any) -> int | dict[str, int]:
    numbers = list(value.values()) if isinstance(value, dict) else [value]
    if numbers and all(type(number) is int and number >= 1 for number in numbers):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        "trials are a number that is greater than or equal to 1, or one of each band, as in { short = 20, long = 50 }"
    )


Trials = Annotated[int | dict[str, int], BeforeValidator(_trials)]


class Axes(BaseModel):
    """The schema of a protocol's table in a profile. Subclass it to add entries, and yield the cells that they span.

    Set `sizes` to the name of the entry that lists context lengths. Each length may be a share of the model's window.

    Example:
        >>> class Digits(Axes):
        ...     digits: tuple[Count, ...]
        ...
        ...     def cells(self):
        ...         yield from ({"digits": digits} for digits in self.digits)
        >>> [*Digits(digits=(3, 5), trials=20).cells()]
        [{'digits': 3}, {'digits': 5}]
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    models: tuple[str, ...] = ()
    """The models to measure; `--ctx-model` replaces them. It may be left out if that option is always given."""
    prompts: tuple[str, ...] = Field(default=(PROTOCOL,), min_length=1)
    """Prompt sets, by name or path; `--ctx-prompts` replaces them."""
    shapes: tuple[Shape, ...] = Field(default=(TEXT,), min_length=1)
    """The shapes of the requests: `text`, `documents`, `documents+citations`, `chat` or `tool_results`; `--ctx-shape`
    replaces them."""
    trials: Trials
    """Trials per cell; or a table from band to trials per cell, which leaves out the other bands. In
    long-context QA, a trial is a question."""
    min_rate: float | None = Field(default=None, ge=0, le=1)
    """A cell whose accuracy is significantly below it fails its test."""
    bands: dict[str, Size] = {}
    """The gate's bands: name -> the largest length in it (lines, or tokens), or a share of the window. Without any, all
    lengths are one band."""
    sizes: ClassVar[str] = ""
    """The entry that contains the lengths, each of which may be a share of a model's window; empty if there is none."""
    difficulty: ClassVar[str] = ""
    """The entry that makes trials harder, or easier, if advice should name it."""

    gated: bool = True
    """False leaves the table out of the gate: its trials are sent and reported, but not judged."""

    @model_validator(mode="after")
    def _trials_are_of_bands(self) -> Self:
        names = self.trials if isinstance(self.trials, dict) else {}
        if strange := [name for name in names if name not in (self.bands or {"all"})]:
            raise ValueError(f"`trials` names the band {strange[0]!r}, which `bands` does not define: correct the name")
        return self

    @property
    def minimums(self) -> int:
        """How many stated minimums the gate tests besides bands, for each model and prompt set."""
        return 0

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        """Return the length of a prompt that takes so many tokens together with its reply, thinking apart.

        tokens: a model's tokens per unit.
        """
        return room

    @property
    def has_shares(self) -> bool:
        """Whether a length or a band is a share of the model's window."""
        lengths = getattr(self, self.sizes) if self.sizes else ()
        return any(isinstance(size, float) for size in (*lengths, *self.bands.values()))

    def sized(self, window: int, apart: int, tokens: Mapping[str, float]) -> Self:
        """Return the table for one model: its shares as lengths, rounded down to three digits.

        window: the model's. apart: the tokens of a request besides the prompt and the reply, such as thinking. tokens:
        the model's tokens per unit. Raises ValueError if a share has no room for a prompt.
        """
        if not self.has_shares:
            return self

        def length(size: int | float) -> int:
            return size if isinstance(size, int) else self._length(size, window, apart, tokens)

        lengths = {self.sizes: tuple(map(length, getattr(self, self.sizes)))} if self.sizes else {}
        bands = {name: length(size) for name, size in self.bands.items()}
        return self.model_copy(update=lengths | {"bands": bands})

    def _length(self, share: float, window: int, apart: int, tokens: Mapping[str, float]) -> int:
        exact = int(self.size_in(int(share * window) - apart, tokens))
        if exact < 1:
            raise ValueError(
                f"a share of {share:g} of a window of {window:,} tokens has no room for a prompt, its reply and "
                f"{apart:,} other tokens, such as those of thinking: use a larger share."
            )
        step: int = 10 ** max(len(str(exact)) - MOST_DIGITS, 0)
        return exact // step * step

    @property
    def draws_on(self) -> str:
        """The name of the bank that the questions come from, for tests that ask about documents."""
        return SHIPPED

    def band(self, cell: Point) -> str:
        """Return the shortest band that contains the cell. Raises ValueError if none does."""
        return shortest_band(self.bands, cell)

    def gate_band(self, cell: Point) -> str:
        """Return the band of the gate: that of the length, unless a test judges parts of it apart."""
        return self.band(cell)

    def trials_of(self, cell: Point) -> int:
        """Return the cell's number of trials; 0 if its band is left out."""
        band = self.band(cell)
        return self.trials.get(band, 0) if isinstance(self.trials, dict) else self.trials

    default_items: ClassVar[Any] = None
    """What the items of a protocol with these axes are if it declares none."""
    cell_type: ClassVar[type[Point]]
    """The type of a protocol's cells."""

    def cells(self) -> Iterable[Mapping[str, object]]:
        """Yield the parameters of each cell. Raise ValueError if the entries do not fit together."""
        raise NotImplementedError

    def made_cells(self, bank: Callable[[], Bank]) -> Iterator[Point]:
        """Yield the table's cells. bank: loads the questions, for tests that ask about documents."""
        most = getattr(self, "max_tokens", None)
        given: dict[str, Any] = {} if most is None else {"max_tokens": most}
        made: Any = self.cell_type  # whose parameters are its own
        for cell in self.cells():
            yield made(**given, **cell, bank=bank)


QUESTIONS = Field(default=1, ge=1, strict=True)
"""The entry `questions` of tests that can ask several questions about one context: how many trials share one."""


def questions_of(number: int) -> int | None:
    """Return the questions per context for a cell's name: None for one."""
    return number if number > 1 else None


class WindowAxes(Axes):
    """The entries of a test whose prompts fill a window."""

    windows: tuple[Size, ...] = Field(min_length=1)
    """Tokens that prompt and reply fill, chat template included; or shares of the model's window."""
    sizes: ClassVar[str] = "windows"


def shortest_band(bands: Mapping[str, float], cell: Point) -> str:
    """Return the shortest band that contains a cell, `all` without bands. Raises ValueError if none contains it.

    bands: the largest length in each, by name.
    """
    if not bands:
        return "all"
    holding = [(largest, name) for name, largest in bands.items() if cell.length <= largest]
    if not holding:
        raise ValueError(
            f"{cell.slug} is longer than every band: {cell.length} against {max(bands.values())}. "
            "Raise the largest band, or add one."
        )
    return min(holding)[1]
