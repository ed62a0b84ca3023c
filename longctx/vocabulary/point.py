"""Point, trial and outcome, and what is declared of a test."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np

from longctx.vocabulary.shapes import TEXT, Context, Shape

if TYPE_CHECKING:
    from longctx.vocabulary.answer import Answer
    from longctx.vocabulary.counts import Counts

Kind = Literal["correct", "wrong", "unparseable", "refusal", "truncated", "infra_error", "not_asked"]
"""The kinds of an Outcome. The first five count in an accuracy; with the last two, the trial was not measured."""

MEASURED: tuple[Kind, ...] = ("correct", "wrong", "unparseable", "refusal", "truncated")
"""Outcomes that count in an accuracy. The others mean that the trial was not measured."""

Templates = Mapping[str, str]
"""The wording of one test, from a prompt set: the text of each template by its name.

Example:
    >>> words: Words = {"system": "", "question": "What is the key of {name}?"}
"""


def is_number(name: str) -> bool:
    """Return whether the name of a trial is its number."""
    return re.fullmatch("[0-9]{1,18}", name) is not None


CREDIT = "credit"
"""The key of an outcome's trace for its partial credit, in thousandths: baselines keep it."""


OF_BANK = re.compile(r"(.+)@([0-9a-f]{12})", re.DOTALL)
"""An item of a bank of questions, as `Bank.item_name` has it."""


def question_in(item: str) -> tuple[str, str] | None:
    """Return the id of the question that an item names, and its digest, or that of its bank; None for other items.

    Example:
        >>> question_in("register-001-q1@fbfefd978866")
        ('register-001-q1', 'fbfefd978866')
    """
    found = OF_BANK.fullmatch(item)
    return (found[1], found[2]) if found else None


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a trial across runs. It contains neither wording nor model, so that runs may vary them."""

    test: str
    version: int
    cell: str
    seed: int
    trial: int
    repeat: int = 0
    item: str | None = None

    def __str__(self) -> str:
        item = f"/{self.item}" if self.item else ""
        return f"{self.test}.v{self.version}/{self.cell}{item}/seed-{self.seed}/trial-{self.trial}/repeat-{self.repeat}"


@dataclass(frozen=True, slots=True)
class BuiltTrial:
    """One seeded question of a cell."""

    identity: Identity
    system: str
    """The system prompt; empty for none."""
    user: str
    """The text of the user's turn."""
    expected: str
    """The right answer."""
    max_tokens: int
    depth: float
    """The share of the user's text before the needle, from 0 at its start to 1 at its end."""
    distance_from_end: int | None = None
    """The tokens after the needle; None if they are computed from the answer's usage."""
    prefix: str = ""
    """A sort key: trials with equal or neighbouring prefixes share the beginning of their prompts."""
    recorded: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the prompt that depend on the model, such as filler counts."""
    documents: str = ""
    """The digest of the documents that the prompt holds; empty if a test does not state it."""
    prefill: str = ""
    """The beginning of the assistant's turn, for models that accept a prefill."""
    without_prefill: str = ""
    """The end of the user's turn for the others."""
    shape: Shape = TEXT
    """The shape in which the run asks it."""
    context: Context | None = None
    """What that shape renders, unless it is the text in `user`."""
    judge: Callable[[Answer], Outcome] | None = field(default=None, compare=False, repr=False)
    """Judges an answer; None if nothing is right or wrong."""
    pieces: Callable[[], Context] | None = field(default=None, compare=False, repr=False)
    """Returns the context in pieces, which other shapes than the text render."""
    accepted: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Other forms of the right answer."""
    lexical: Callable[[], bool | None] | None = field(default=None, compare=False, repr=False)
    """Returns whether the lexical baseline answers it; None if it is not about documents."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judgement of a trial. A protocol returns one; a test function may return one instead of asserting.

    Example:
        >>> Outcome("wrong", returned="54321", why="1 of 2 keys is named", trace={"found": 1}).kind
        'wrong'
    """

    kind: Kind
    """`correct`, `wrong`, `unparseable`, `refusal` or `truncated`."""
    returned: str | None = None
    """The value that was read from the answer."""
    why: str = ""
    """Why the answer is wrong, in a sentence."""
    trace: Mapping[str, int] = field(default_factory=dict)
    """Counts by name, such as the numbers in `why`. Reports can add them up."""
    expected: str | None = field(default=None, repr=False)
    """The right answer, for test functions."""
    credit: float | None = field(default=None, repr=False)
    """Partial credit, from 0 to 1; by default 1 if correct, else 0."""
    checks: Mapping[str, bool] = field(default_factory=dict, repr=False)
    """Additional checks of a protocol, by name. Each has its own accuracy and bands."""
    marks: Sequence[Mark] = field(default=(), repr=False, compare=False)
    """The parts of the user's text that a protocol's report highlights."""
    quotes: Sequence[Quote] = field(default=(), repr=False, compare=False)
    """The quotes in the answer, of protocols that ask for quotes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a trial's user text that the report highlights: the characters from `start` to `end` (exclusive).

    Example:
        >>> Mark("needle", start=0, end=25)
        Mark(name='needle', start=0, end=25)
    """

    name: str
    """The kind of part, such as `needle`."""
    start: int
    """The index of its first character."""
    end: int
    """The index after its last character."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote as the model wrote it, and whether it occurs in the record and in the needle.

    Example:
        >>> Quote("The fee is 5 crowns.", in_record=True, in_needle=False).in_record
        True
    """

    text: str
    in_record: bool
    in_needle: bool


class Items:
    """What the items of a cell are, unless they are drawn one by one. Subclasses replace what differs."""

    filtered: ClassVar[bool] = False
    """Whether a model's "too hard" filter decides what is asked."""

    def __init__(self, cell: Point) -> None:
        self.cell = cast(Any, cell)
        """The cell, whose parameters are its attributes."""

    def indices(self, trials: int) -> Sequence[int]:
        """Return the indices of the items that a run of `trials` asks."""
        return range(trials)

    def cluster(self, index: int) -> str:
        """Return the cluster of an item; empty for an independent one."""
        return ""

    def identity(self, identity: Identity, index: int) -> Identity:
        """Return the identity of a trial. identity: the one that it would have as a drawn trial."""
        return identity

    def index_of(self, name: str) -> int:
        """Return the index of the item with this name: by default its number. Raises ValueError if there is none."""
        if is_number(name):
            return int(name)
        raise ValueError(f"there is no trial {name!r}: its trials are numbered from 0")

    @property
    def all_share(self) -> str:
        """What names the beginning that all of them may share, whatever their cluster; empty if they share none."""
        return ""

    @property
    def share(self) -> int:
        """How many of them, one after another, are about one context: their prompts differ in the question alone."""
        return int(getattr(self.cell, "questions", None) or 1)

    @property
    def facts(self) -> Mapping[str, int]:
        """Facts that a run records once for each cell."""
        return {}

    @property
    def why_empty(self) -> str:
        """Why there are none, if there are none."""
        return "the protocol has no questions of this size"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What is known of a test without running it: that of a protocol by a decorator, that of a function by a marker.

    Functions take a cell, whose parameters are attributes. Two are equal if they have the same name and version.
    """

    name: str
    """The test's name in profiles, prompt sets, cassettes and rows."""
    version: int = 1
    """The version. Increase it whenever the protocol builds different trials."""
    parameters: tuple[str, ...] = field(default=(), compare=False)
    """The names of the parameters, numbers or words, that distinguish cells."""
    treatments: tuple[str, ...] = field(default=(), compare=False)
    """The parameters that change how an item is presented: trials that differ only in them are paired."""
    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """The templates that a prompt set must have, each with its required placeholders."""
    guessing: float | None = field(default=0.0, compare=False)
    """The accuracy that guessing reaches; None if it is not stated."""
    run: Callable[..., tuple[BuiltTrial, Outcome | None]] | None = field(default=None, compare=False, repr=False)
    """Runs a trial of a cell: see Point.run. None for a test function."""
    size: Callable[[Any, Mapping[str, float]], float] | None = field(default=None, compare=False)
    """Returns the tokens of a prompt, on average; None if they are not known before it runs."""
    longest: Callable[[Any, Mapping[str, float]], float] | None = field(default=None, compare=False)
    """Returns the length of a cell's longest prompt in tokens, if prompts differ in length."""
    fills_window: bool = field(default=False, compare=False)
    """Whether `size` includes the system prompt."""
    length: str | None = field(default=None, compare=False)
    """The parameter that decides the band of a cell; empty for none, and None for the first that gives a length."""
    prefix: Callable[[Any, Templates, int, int], str | None] | Literal["asked"] | None = field(
        default=None, compare=False
    )
    """Returns a sort key that groups prompts with a common beginning. Use `asked` if the function passes the key to
    `ask`."""
    cluster: Callable[[Any, int], str] | None = field(default=None, compare=False)
    """Returns the cluster of an item, given the cell and the item's index, if `items` does not define clusters."""
    pieces: Callable[[Any], int] | None = field(default=None, compare=False)
    """Returns the approximate number of pieces in a cell's context; None if the context is one text."""
    items: Callable[[Any], Items] | None = field(default=None, compare=False)
    """Returns the items of a cell; None if they are drawn one by one."""
    counts: Counts | None = field(default=None, compare=False)
    """The token counts that the test needs from each model's tokenizer."""
    units: Callable[[Templates], Mapping[str, tuple[str, str, int]]] | None = field(default=None, compare=False)
    """Returns, for each unit of a model profile's [tokens], two texts and how many units longer the second is."""
    validate: Callable[[Any], object] | None = field(default=None, compare=False)
    """Raises ValueError if a cell's parameters are impossible."""
    gated: Callable[[Any], bool] | None = field(default=None, compare=False)
    """Returns whether the gate judges a cell; None if it judges all."""
    earlier: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Parameters that an earlier version lacked. Each maps to the table entry that sets it to None."""


class Declared:
    """What has a declaration: the type of a protocol's cells, or each cell of a test function."""

    __slots__ = ()
    declared: Declaration


NO_PARAMETERS = "all"
"""The name of the only cell of a test without parameters."""


@dataclass(frozen=True, slots=True)
class Point(Declared):
    """A test with one value of each of its parameters, which a subclass has: a cell without model and wording.

    It touches no network, no clock and no file: the same parameters, seed and index give the same trial everywhere.
    """

    max_tokens: int = field(default=16, kw_only=True)
    """The most tokens a reply may have. It is not in a trial's identity: the question stays the same."""
    tokens: Mapping[str, float] | None = field(default=None, kw_only=True, hash=False, repr=False)
    """What `ask.tokens()` gives; None before it was counted."""

    def __post_init__(self) -> None:
        if validate := self.declared.validate:
            validate(self)

    @property
    def test(self) -> str:
        """The test's name in profiles, prompt sets, cassettes and rows."""
        return self.declared.name

    @property
    def version(self) -> int:
        return self.declared.version

    @property
    def params(self) -> dict[str, Any]:
        """The parameters by name; in the trials of an earlier version, without those that it lacked."""
        values = {name: getattr(self, name) for name in self.declared.parameters}
        return {name: value for name, value in values.items() if value is not None or name not in self.declared.earlier}

    @property
    def slug(self) -> str:
        """The name in files, test ids and -k: `lines-500-block_size-10`. Parameters that are None are left out."""
        named = "-".join(f"{name}-{value}" for name, value in self.params.items() if value is not None)
        return named or NO_PARAMETERS

    @property
    def id(self) -> str:
        """The name that is unique in a run: the slug, unless cells differ in more than their parameters."""
        return self.slug

    def run(
        self, words: Templates, seed: int, index: int, repeat: int, answer: Callable[[BuiltTrial], Answer | None]
    ) -> tuple[BuiltTrial, Outcome | None]:
        """Return trial `index` (from 0) under `seed` and its outcome, which is None if `answer` returns None.

        Raises ValueError for a test function, which pytest runs.
        """
        if self.declared.run is None:
            raise ValueError(f"the prompt of a trial of {self.test} is not known before the trial runs")
        return self.declared.run(self, words, seed, index, repeat, answer)

    def build(self, words: Templates, seed: int, index: int, repeat: int = 0) -> BuiltTrial:
        """Return a trial. This is a pure function."""
        return self.run(words, seed, index, repeat, lambda built: None)[0]

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        """Estimate the tokens of a prompt, on average. tokens: a model's tokens per unit, from its model profile."""
        return int(self.declared.size(self, tokens)) if self.declared.size else 0

    def longest_tokens(self, tokens: Mapping[str, float]) -> int:
        """Estimate the tokens of the longest prompt."""
        return int(self.declared.longest(self, tokens)) if self.declared.longest else self.size_tokens(tokens)

    @property
    def piece_count(self) -> int:
        """About how many pieces the context of a prompt has; 0 for a test whose context is one text."""
        return self.declared.pieces(self) if self.declared.pieces else 0

    @property
    def length(self) -> int:
        """The length in the test's unit, which decides the band of the profile that it belongs to."""
        params, name = self.params, self.declared.length
        if name is None:
            return int(params[found]) if (found := length_of(params)) else 0
        length: int = params[name] if name else 0  # or a share of the window, as long as that is not known
        return length

    @property
    def gated(self) -> bool:
        """Whether the gate judges it: false if its accuracy is not what the test measures."""
        return self.declared.gated(self) if self.declared.gated else True

    def prefix(self, words: Templates, seed: int, index: int) -> str | None:
        """Return the prefix of trial `index` (see BuiltTrial), which a test may know without building it; None if
        trials share no more than the wording of their templates."""
        prefix = self.declared.prefix
        if callable(prefix):
            return prefix(self, words, seed, index)
        return self.build(words, seed, index).prefix if prefix else None

    @property
    def items(self) -> Items:
        return (self.declared.items or Items)(self)

    @property
    def questions_per_context(self) -> int:
        """How many trials, one after another, ask about one context: their prompts differ in the question alone."""
        return self.items.share

    def context_of(self, index: int) -> tuple[int, int]:
        """Return the number of the context that trial `index` asks about, and the place of its question, from 0."""
        return divmod(index, self.questions_per_context)

    def cluster(self, index: int) -> str:
        """Return the cluster of trial `index`: trials of one cluster are correlated; empty for an independent trial."""
        if self.declared.cluster:
            return self.declared.cluster(self, index)
        if self.declared.items:
            return self.items.cluster(index)
        return f"{self.slug}/context-{self.context_of(index)[0]}" if self.questions_per_context > 1 else ""

    def context_name(self, index: int) -> str:
        """Return what the prompt of trial `index` may share with others, for the prompt cache; by default its cluster.

        Trials that share a context need not be correlated.
        """
        return self.items.all_share or self.cluster(index)

    def indices(self, trials: int) -> Sequence[int]:
        """Return the indices of the trials that a run of `trials` asks."""
        return self.items.indices(trials)

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        """Return the identity of a trial. Raises ValueError if there is no trial `index`."""
        return self.items.identity(Identity(self.test, self.version, self.slug, seed, index, repeat), index)

    def index_of(self, name: str) -> int:
        """Return the index of the trial with this name: its number, or what the test calls it.

        Raises ValueError if there is none.
        """
        return self.items.index_of(name)

    @property
    def counted(self) -> Mapping[str, float]:
        """What `counts` makes of the model's token counts. Raises ValueError before they are known."""
        if self.tokens is None:
            raise ValueError("the model's tokens of this wording are not known.")
        return self.tokens

    def fit(self, kept: Mapping[str, float]) -> Self:
        """Return this point for one model, from the counts in its profile. Raises ValueError if it does not fit."""
        counts = self.declared.counts
        if counts is None:
            return self
        fitted = replace(self, tokens=counts.given(kept))
        counts.fits(fitted)
        return fitted

    @classmethod
    def from_slug(cls, slug: str, **given: Any) -> Self:
        """Return the point of a slug, with other fields from `given`. Raises ValueError, naming the parameters."""
        rest, test, parameters = slug, cls.declared.name, cls.declared.parameters
        params: dict[str, Any] = {}
        types = {field.name: field.type for field in fields(cls)}
        texts: tuple[object, ...] = "str", str, "str | None", str | None  # the annotation may be a string
        words = {name for name in parameters if types[name] in texts}
        for name in parameters:
            if match := re.match(rf"-?{name}-({r'[a-z_]+' if name in words else r'[0-9]+'})", rest):
                params[name] = match[1] if name in words else int(match[1])
                rest = rest[match.end() :]
        if rest or not params:
            written = "-".join(f"{name}-{'WORD' if name in words else '10'}" for name in parameters)
            raise ValueError(
                f"{test} has no cell {slug!r}; its parameters are {', '.join(parameters)}, written like {written}."
            )
        try:
            point = cls(**params, **given)
        except TypeError:
            raise ValueError(f"{test} cell {slug!r} lacks one of {', '.join(parameters)}.") from None
        if point.slug != slug:
            raise ValueError(f"{test} cell {slug!r} is written {point.slug!r}.")
        return point

    def stream(self, seed: int, index: int) -> np.random.RandomState:
        """Return the random stream of one trial. All repeats of a trial share it, as they ask the same prompt."""
        from longctx.vocabulary.stream import frozen_stream

        return frozen_stream(self.test, self.version, self.slug, seed, index)


def is_check(test: str) -> bool:
    """Return whether rows of this test are those of a check, which are called TEST.CHECK."""
    return "." in test


def name_of_test(test: str) -> str:
    """Return the name of the test of one of its checks, such as `test_code` for `test_code.polite`, or of itself."""
    return test.partition(".")[0]


def in_words(test: str) -> str:
    """Return the name of a test for people: `line retrieval` of a protocol, and of a test function its own."""
    return test if test.startswith("test_") else test.replace("_", " ")


IMPORTED = "imported"
"""The test of rows of other tools, which no cell may have."""


def gives_credit(test: str) -> bool:
    """Return whether rows of this test count their partial credit: those of checks and of other tools."""
    return is_check(test) or test == IMPORTED


LENGTHS = ("fill", "tokens", "length", "lines", "size", "k", "window", "budget", "context")
"""The names of parameters that give it where nothing is declared: the first that there is."""


def length_of(params: Mapping[str, object], names: Sequence[str] = LENGTHS) -> str | None:
    """Return the first of these names whose parameter is a number; None if there is none."""
    return next((name for name in names if isinstance(params.get(name), int | float)), None)


POSITIONS = {0: "beginning", 50: "middle", 100: "end"}
"""The names of a needle's positions, by their percent."""


def position_name(percent: object) -> str:
    """Name a position: beginning, middle, end, or a percentage."""
    return POSITIONS.get(percent, f"{percent}%") if isinstance(percent, int) else str(percent)


PROTOCOL = "protocol"
"""The default prompt set, which contains the protocols' own wording."""
EARLIER = "seed"
"""Its earlier name, which occurs in shipped recordings and in the digests of their questions."""


def present_name(name: str) -> str:
    """Return the present name of a prompt set in a recording."""
    return PROTOCOL if name == EARLIER else name
