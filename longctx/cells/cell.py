"""Cells and their trials: a cell is a point of a test with one model, prompt set, shape and strategy."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.config.file_names import check_name, file_name, folder_of
from longctx.config.models import ModelProfile, load_model
from longctx.config.profiles import Profile
from longctx.config.prompts import PromptSet, Wording
from longctx.errors import UserError
from longctx.vocabulary import shapes
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.point import BuiltTrial, Identity, Outcome, Point
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT, Shape
from longctx.workspace import Workspace

Group = tuple[str, str]
"""The names of a test and of a model."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A test with one value of each axis, one model, prompt set, shape and strategy, and how many trials it has."""

    model: ModelProfile
    wording: Wording
    point: Point
    """The test and its parameters."""
    seed: int
    trials: int
    repeats: int = 1
    only_trial: str | None = None
    """The name of the single trial to send, instead of `trials`."""
    min_rate: float | None = None
    band: str = "all"
    """The band of its test's lengths."""
    in_gate: bool = True
    """Whether its table is part of the gate."""
    counted: int | None = None
    """The tokens of one of its prompts as the model's server counts them; None if it has not counted them."""
    shape: Shape = TEXT
    """The shape of its requests."""
    replies: ReplyTokens | None = None
    """How long its model's replies are by its answers; None if it has too few."""
    strategy: str = ""
    """The strategy of context management, by name; empty if it is not varied."""
    server: str = ""
    """The name of the server that answers; empty if it has none."""

    @property
    def group(self) -> Group:
        """Its test and its model, whose trials are counted and priced together."""
        return self.point.test, self.model.model

    @property
    def treatments(self) -> tuple[str, ...]:
        """The shape and the strategy, each left out if it is the default."""
        return (
            *([] if self.shape == TEXT else [self.shape]),
            *([] if self.strategy in ("", NO_STRATEGY) else [self.strategy]),
        )

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its rows, in addition to the user's labels of the run."""
        return {STRATEGY: self.strategy} if self.strategy else {}

    @property
    def id(self) -> str:
        names = [file_name(self.model.model), self.wording.prompt_set, self.point.id, *self.treatments]
        return "-".join(names)

    @property
    def gated(self) -> bool:
        """Whether the gate judges it: its table is part of the gate, and its accuracy is what the test measures."""
        return self.in_gate and self.point.gated

    @property
    def file(self) -> str:
        """The cell's file on the tape, relative to the cassette folder. Each shape and strategy has its own."""
        return self.file_of(self.model)

    def file_of(self, model: ModelProfile) -> str:
        """Return the file of another model's answers about the cell, such as a judge's."""
        name = ".".join([self.point.slug, *self.treatments])
        return f"{folder_of(model.model, self.server)}/{self.point.test}/{name}.jsonl"

    @property
    def token_values(self) -> dict[str, float] | None:
        """What `Point.fit` needs of the model's tokenizer with this wording; None if it must be counted first."""
        if self.point.declared.counts is None:
            return {}
        return self.model.token_values(self.point.test, self.counts_key)

    @property
    def counts_key(self) -> str:
        """The key of the counts of its probes with this wording in the model's profile."""
        counts = self.point.declared.counts
        return counts.key(self.wording.digest, self.wording.templates) if counts else self.wording.digest

    @property
    def size(self) -> int:
        """The number of questions, repeats included; fewer than its trials if the test has no more."""
        return len(self._indices) * self.repeats

    @property
    def _indices(self) -> Sequence[int]:
        """The indices of its trials; none if the single trial to send is not among them."""
        if self.only_trial is None:
            return self.point.indices(self.trials)
        try:
            index = self.point.index_of(self.only_trial)
            self.point.identity(self.seed, index, 0)
        except ValueError:
            return ()
        return (index,)

    def clusters(self) -> list[object]:
        """Return the cluster of each trial, such as the section that it asks about.

        There are fewer than `trials` if the test has no more questions.
        """
        point = self.point
        return [point.cluster(index) or (point.slug, index) for index in point.indices(self.trials)]

    @property
    def size_tokens(self) -> int:
        """The input tokens of a request: as counted by the server, or else as estimated by the model's profile."""
        if self.counted is not None:
            return self.counted
        return self.point.size_tokens(self.model.tokens.model_dump()) + self.added_tokens

    @property
    def added_tokens(self) -> int:
        """The estimated tokens of what a request contains besides the cell's prompt: tools and blocks, for instance."""
        profiles = added_tokens(self.model, self.wording.templates.get("system", ""), self.point.declared.fills_window)
        if self.shape == TEXT:
            return profiles
        return profiles + round(shapes.added_tokens(self.shape, self.point.piece_count) * self.model.tokens.reference)

    @property
    def most_tokens(self) -> int:
        """The input tokens of the cell's longest request."""
        tokens = self.model.tokens.model_dump()
        return self.size_tokens + self.point.longest_tokens(tokens) - self.point.size_tokens(tokens)

    @property
    def tokens(self) -> RequestTokens:
        """The tokens of each of its requests."""
        return RequestTokens(self.size_tokens, self.most_tokens, self.reply_tokens, self.replies)

    @property
    def reply_tokens(self) -> int:
        """The most tokens that a reply may take, thinking included."""
        return self.point.max_tokens + self.model.thinking_tokens

    def fitted(self) -> Cell:
        """Return this cell with its point fitted to the model, ready to build trials.

        Raises UserError if prompt or reply do not fit the model, or if tokens must be counted first.
        """
        if self.shape != TEXT and not self.point.piece_count:
            raise UserError(
                "shape-without-pieces",
                f"{self.id}: {self.point.test} builds one text without separable pieces, so it only accepts the shape "
                f"'text': remove {self.shape!r} from its table, or use --ctx-shape only for other protocols.",
            )
        size, window = self.most_tokens, self.model.window
        if self.counted is not None:  # the count of one prompt: the others may be a little shorter
            size = size * 99 // 100
        if window is not None and size + self.reply_tokens > window:
            raise UserError(
                "window-too-small",
                f"{self.id} takes about {size:,} tokens and its reply up to {self.reply_tokens:,}, but the window of "
                f"{self.model.model} is {window:,}: choose smaller sizes in the profile, or another model.",
            )
        most = self.model.max_output
        if most is not None and self.reply_tokens > most:
            raise UserError(
                "reply-too-long",
                f"{self.id} requests replies of up to {self.reply_tokens:,} tokens, but {self.model.model} allows at "
                f"most {most:,}: lower max_tokens in the profile, or thinking_tokens in the model's.",
            )
        if self.token_values is None:
            raise UserError(
                "prompt-set-not-measured",
                f"{self.id}: {self.model.model} has no recordings with this wording, whose tokens must be counted "
                "first. Add --ctx-record once, which does both.",
            )
        try:
            fitted = dataclasses.replace(self, point=self.point.fit(self.token_values))
        except ValueError as error:
            raise UserError("cell-not-buildable", f"{self.id}: {error}") from None
        if self.only_trial is not None:
            try:
                fitted.point.identity(self.seed, fitted.point.index_of(self.only_trial), 0)
            except ValueError as error:
                raise UserError("unknown-trial", f"{self.id}: {error}") from None
        return fitted

    def each_trial(self) -> Iterator[Trial]:
        """Yield the questions: all trials once, then each repeat of all trials."""
        for repeat in range(self.repeats):
            for index in self._indices:
                yield Trial(self, index, repeat)


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of a fitted cell."""

    cell: Cell
    index: int
    repeat: int = 0

    @property
    def identity(self) -> Identity:
        return self.cell.point.identity(self.cell.seed, self.index, self.repeat)

    @property
    def key(self) -> str:
        """The text that identifies this trial for this model and wording."""
        return self.key_of(self.cell.model)

    def key_of(self, model: ModelProfile) -> str:
        """Return the text that identifies the cell if another model is used instead of its own."""
        cell = self.cell
        return "/".join([model.model, cell.wording.digest, str(self.identity), *cell.treatments])

    @property
    def prefix(self) -> str | None:
        """The prefix of the trial (see Point.prefix). Raises UserError as `build` does."""
        cell = self.cell
        try:
            return cell.point.prefix(cell.wording.templates, cell.seed, self.index)
        except ValueError as error:
            raise UserError("cell-not-buildable", f"{cell.id}: {error}") from None

    def build(self) -> BuiltTrial:
        """Return the trial. Raises UserError if its cell cannot be built with these parameters."""
        return self.run(lambda built: None)[0]

    def run(self, answer: Callable[[BuiltTrial], Answer | None]) -> tuple[BuiltTrial, Outcome | None]:
        """Return the trial and its outcome, which is None if `answer` returns None. Raises as `build` does.

        What judging an answer raises is passed on.
        """
        cell, answered = self.cell, False
        shaped: BuiltTrial | None = None

        def of_shape(built: BuiltTrial) -> Answer | None:
            nonlocal answered, shaped
            shaped = built
            if cell.shape != TEXT:
                assert built.pieces is not None
                shaped = dataclasses.replace(built, shape=cell.shape, context=built.pieces())
            found = answer(shaped)
            answered = found is not None
            return found

        try:
            _, outcome = cell.point.run(cell.wording.templates, cell.seed, self.index, self.repeat, of_shape)
        except ValueError as error:
            if answered:
                raise
            raise UserError("cell-not-buildable", f"{cell.id}: {error}") from None
        assert shaped is not None
        return shaped, outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoices:
    """What a run chooses for the tables of a profile: models, prompt sets, shapes and documents."""

    workspace: Workspace
    models: Callable[[Axes], Sequence[str]]
    """Returns the models of a table."""
    bank: Callable[[str, str], Bank]
    """Returns the bank of a (model, name), whose questions are read when a trial first needs them."""
    prompts: Sequence[str] = ()
    """Names or paths of prompt sets that replace the tables' own; empty to keep those."""
    shapes: Sequence[Shape] = ()
    """Shapes that replace the tables' own; empty to keep those."""
    document: Callable[[Axes], str | None] = lambda grid: None
    """Returns the word for the documents of a table; None to keep the prompts' own."""
    model_of: Callable[[str], ModelProfile] | None = None
    """Returns the profile of a model; None for that of its file."""


def cells_of(profile: Profile, test: type[Point], chosen: TableChoices) -> list[Cell]:
    """Return a test's cells, each once, in the order of the profile's tables. Raises UserError."""
    models, prompts = chosen.models, chosen.prompts
    grids = profile.grids(test.declared.name)
    sets = _prompt_sets(chosen.workspace, grids, prompts)
    wording_of = functools.cache(lambda name, document: sets[name].wording(test, document))  # reads its templates
    for name in (name for grid in grids for name in models(grid)):
        check_name(name)
    load = chosen.model_of or functools.partial(load_model, chosen.workspace)
    known = {name: load(name) for grid in grids for name in models(grid)}
    cells: dict[str, Cell] = {}
    banks: dict[str, str] = {}
    for grid in grids:
        tables = {model: sized(grid, known[model]) for model in models(grid)}
        document = chosen.document(grid)
        wordings = [wording_of(name, document) for name in prompts or grid.prompts]
        for wording, model, shape in itertools.product(wordings, models(grid), chosen.shapes or grid.shapes):
            table = tables[model]
            for point in _points(table, model, functools.partial(chosen.bank, model, grid.draws_on)):
                if not (trials := table.trials_of(point)):
                    continue
                cell = Cell(
                    model=known[model],
                    wording=wording,
                    point=point,
                    seed=profile.seed,
                    trials=trials,
                    min_rate=grid.min_rate,
                    band=table.gate_band(point),
                    in_gate=grid.gated,
                    shape=shape,
                )
                cells.setdefault(cell.id, cell)
                if banks.setdefault(cell.id, grid.draws_on) != grid.draws_on:
                    raise UserError(
                        "cell-of-two-banks",
                        f"Two [{cell.point.test}] tables of the profile use {model} {cell.point.slug} with questions "
                        f"from {banks[cell.id]} and from {grid.draws_on}, but a result is for one bank: put them into "
                        "separate profiles.",
                    )
    return list(cells.values())


def _points(table: Axes, model: str, bank: Callable[[], Bank]) -> list[Point]:
    """Return the points of a table for one model. Raises UserError if its shares of the window yield none.

    Sizes that are no shares were checked when the profile was loaded.
    """
    try:
        return list(table.made_cells(bank))
    except ValueError as error:
        raise UserError("share-too-small", f"{model}: {error}") from None


def sized(grid: Axes, model: ModelProfile) -> Axes:
    """Return the table for one model, with tokens instead of shares of its window. Raises UserError.

    Thinking and tools lie inside the share, the system prompt of a prompt set does not: sizes are the same for all.
    """
    if not grid.has_shares:
        return grid
    if model.window is None:
        raise UserError(
            "share-without-window",
            f"A profile states sizes as shares of the model's window, but the window of {model.model} is not known: "
            "add "
            f"window = TOKENS to its profile, or run python -m longctx models probe {model.model}.",
        )
    apart = model.thinking_tokens + added_tokens(model, "", system_counted=False)
    try:
        return grid.sized(model.window, apart, model.tokens.model_dump())
    except ValueError as error:
        raise UserError("share-too-small", f"{model.model}: {error}") from None


def _prompt_sets(workspace: Workspace, grids: Sequence[Axes], prompts: Sequence[str]) -> dict[str, PromptSet]:
    """Open the prompt sets of a test's tables, by the name or path that was given for them."""
    given = prompts or tuple(name for grid in grids for name in grid.prompts)
    sets = {name: PromptSet.open(workspace, name, typed=bool(prompts)) for name in given} if grids else {}
    names = Counter(prompt_set.name for prompt_set in sets.values())
    if twice := [prompt_set for prompt_set in sets.values() if names[prompt_set.name] > 1]:
        raise UserError(
            "duplicate-prompt-set-name",
            f"Two prompt sets are named {twice[0].name!r}, and results are distinguished by name: rename one of "
            f"{', '.join(str(prompt_set.folder) for prompt_set in twice)}.",
        )
    return sets


LEAST = 3
"""The fewest answers from which the length of replies is estimated."""


@dataclass(frozen=True, slots=True)
class ReplyTokens:
    """The mean tokens of a model's replies to a test, thinking included."""

    mean: float
    answers: int

    @classmethod
    def of(cls, tokens: Sequence[int]) -> ReplyTokens | None:
        """Return the mean of these tokens, those of a reply each; None if they are too few."""
        return cls(statistics.fmean(tokens), len(tokens)) if len(tokens) >= LEAST else None

    def __str__(self) -> str:
        return f"{self.mean:,.0f} tokens"


@dataclass(frozen=True, slots=True)
class RequestTokens:
    """The tokens of a request and of its reply."""

    prompt: int
    most: int
    """The tokens of the longest prompt of its cell."""
    reply: int
    """The most that its reply may take, thinking included."""
    replies: ReplyTokens | None = None
    """How long replies are by the model's answers; None if it has too few."""
    guess: int | None = None
    """The assumed tokens of a reply without a limit, until answers are recorded; None if it has a limit."""

    @property
    def longest(self) -> int:
        """The tokens of the longest prompt plus a tenth, since estimates and counts of one prompt are rough."""
        return self.most * 11 // 10

    @property
    def expected(self) -> float:
        """The tokens that a reply takes on average, by answers; before there are any, the guess or the most."""
        if self.replies is None:
            return self.reply if self.guess is None else min(self.guess, self.reply)
        return min(self.replies.mean, self.reply)


CHARACTERS_A_TOKEN = {"text": 4, "json": 3}
"""About the characters of a token of the reference vocabulary, for what a profile adds to a prompt."""
TOOLS_PROMPT = 346
"""The tokens of the system prompt that comes with tools. Source: "Tool use with Claude", platform.claude.com/docs."""


def added_tokens(model: ModelProfile, system: str, system_counted: bool) -> int:
    """Estimate the tokens that a request contains besides the user's turn: its system prompt and its tools.

    system: that of the prompt set. system_counted: whether the size of the turn includes both system prompts, the model
    profile's and the prompt set's.
    """
    own = model.extra_body.get("system")
    text = "" if system_counted and own is None else model.system_prompt(system) if own is None else json.dumps(own)
    tokens = len(text) / CHARACTERS_A_TOKEN["text"] * model.tokens.reference
    if tools := model.extra_body.get("tools"):
        tokens += TOOLS_PROMPT + len(json.dumps(tools)) / CHARACTERS_A_TOKEN["json"] * model.tokens.reference
    return round(tokens)


def body_tokens(body: Mapping[str, Any], model: ModelProfile) -> int:
    """Estimate the tokens of a prompt with everything that its request holds, by its characters."""
    tools = TOOLS_PROMPT if body.get("tools") else 0
    texts = json.dumps([body.get("system", ""), body["messages"]], ensure_ascii=False)
    tokens = (
        len(texts) / CHARACTERS_A_TOKEN["text"] + len(json.dumps(body.get("tools", ""))) / CHARACTERS_A_TOKEN["json"]
    )
    return round(tools + tokens * model.tokens.reference)
