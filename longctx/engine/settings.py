"""The options of a run, typed: those of the command line, or of a Run in a notebook."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.config.arguments import RECORD_MODES, label, number, one_of, server_name, share, trial_name
from longctx.config.project import FIRST_IN_FLIGHT, MOST_IN_FLIGHT, PATIENCE, ProjectSettings, shard_argument
from longctx.errors import BadValue, UserError, did_you_mean
from longctx.gate.rules import ALPHA, DEFAULT_CAP, MARGIN, MAX_AGE_DAYS
from longctx.vocabulary.shapes import SHAPES

if TYPE_CHECKING:
    from longctx.config.project import Shard
    from longctx.vocabulary.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTerms:
    """The terms of a verdict that a user may set.

    margin, run_margin: None for the profile's.
    """

    margin: float | None = None
    alpha: float = ALPHA
    max_age: float = MAX_AGE_DAYS
    """Days."""
    looks: bool = True
    """Whether asking stops in bands that are settled."""
    run_margin: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one run, with the options' defaults. None means that the profile decides."""

    models: tuple[str, ...] = ()
    profile: str | Mapping[str, Any] | None = None
    """Its name, path or entries; None for the project's default profile (config/profiles.py)."""
    prompts: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    strategies: tuple[str, ...] = ()
    record: str = "none"
    corpus: Path | None = None
    questions: Path | None = None
    base_url: str | None = None
    server: str | None = None
    """The name of the server that answers, under which its recordings are kept; None without one."""
    in_flight: int = MOST_IN_FLIGHT
    trials: int | None = None
    only_trial: str | None = None
    """The name of the only trial to measure: its number, or the id of its question or case."""
    repeats: int = 1
    seed: int | None = None
    min_rate: float | None = None
    labels: tuple[tuple[str, str], ...] = ()
    shard: Shard | None = None
    report: Path | None = None
    lock: bool = True
    page: bool = True
    parquet: bool = False
    """Whether to write the rows as results.parquet too: `longctx_parquet` in the file that configures pytest."""
    estimate: bool = False
    ask_only: bool = False
    canary: bool = True
    max_cost: float | None = None
    """USD."""
    model_profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Entries of model profiles, which come before those of files."""
    no_text: bool = False
    baseline: str | None = None
    base: str | None = None
    """The branch or commit that the change is judged against."""
    trust: str = "all"
    """`base` to accept only answers that are recorded there or that the run requests."""
    margin: float | None = None
    alpha: float = ALPHA
    on_inconclusive: str = "fail"
    max_age: float = MAX_AGE_DAYS
    """Days."""
    looks: bool = True
    judge_labels: Path | None = None
    """The file with what people say of answers that a judge graded; None without one."""
    fresh: str = ""
    """Why the gate begins a new body of evidence; empty if it does not."""
    patience: float = PATIENCE
    """Minutes that a server which has answered is waited for."""
    batch: bool = False
    batch_wait: float | None = None
    """Hours; None to wait until the batches end."""
    save_baseline: str | None = None
    """The name under which the finished run is saved as a baseline."""

    @property
    def gate(self) -> GateTerms:
        return GateTerms(margin=self.margin, alpha=self.alpha, max_age=self.max_age, looks=self.looks)

    def repeating_options(self) -> tuple[str, ...]:
        """Return the options of the command line that repeat the same trials with the same models and prompts."""
        repeated: dict[str, Sequence[str]] = {
            "profile": [self.profile] if isinstance(self.profile, str) else [],
            "model": self.models,
            "prompts": self.prompts,
            "shape": self.shapes,
            "strategy": self.strategies,
            "server": [self.server] if self.server else [],
        }
        return tuple(f"--ctx-{name}={value}" for name, values in repeated.items() for value in values)


DEFAULT = Settings()
OFF = ("", "0", "false", "no", "off")
"""The value of an environment variable that turns something off."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of pytest, which has it with --ctx- before its name, of the commands that take it, or of both."""

    name: str
    field: str
    """The field of `Settings` that it sets. Its default is the option's; a tuple takes several, a truth value none."""
    help: str
    metavar: str | None = None
    type: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    environment: str = ""
    """The variable that sets it; with `no-` in its name, the variable speaks of the opposite."""
    entry: str = ""
    """The entry of [tool.longctx] that sets it, likewise."""
    pytest: bool = True
    """Whether pytest has it; a run of pytest takes the others from the environment, [tool.longctx] or the profile."""

    @property
    def key(self) -> str:
        """The name of its attribute among parsed arguments."""
        return self.name.replace("-", "_")

    @property
    def is_flag(self) -> bool:
        return isinstance(getattr(DEFAULT, self.field), bool)

    @property
    def turns_off(self) -> bool:
        """Whether its name means the opposite of the environment variable and the table's entry."""
        return self.name.startswith("no-")

    @property
    def default(self) -> Any:
        """Its value if nobody gives it, as it is parsed."""
        default = getattr(DEFAULT, self.field)
        return False if self.is_flag else [*default] if isinstance(default, tuple) else default

    def add(self, to: Callable[..., Any], prefix: str = "--", **changed: Any) -> None:
        """Declare it to a parser, by its name with a prefix. changed: what is to differ, such as its help."""
        settings: dict[str, Any] = {"dest": (prefix + self.key).lstrip("-").replace("-", "_"), "help": self.help}
        if self.is_flag:
            settings["action"] = "store_true"
        else:
            several = {"action": "append"} if isinstance(self.default, list) else {}
            own = {"type": self.type, "choices": self.choices, "metavar": self.metavar}
            settings |= {name: value for name, value in own.items() if value is not None}
            settings |= several | {"default": self.default}
        to(f"{prefix}{self.name}", **(settings | changed))

    def setting(self, parsed: Any) -> Any:
        """Return what a parsed value sets its field to."""
        default = getattr(DEFAULT, self.field)
        if self.is_flag:
            return not parsed if default else parsed
        if isinstance(default, tuple):
            return (parsed,) if isinstance(parsed, str) else tuple(parsed or ())
        return parsed

    def of_environment(self, variables: Mapping[str, str]) -> Any:
        """Return the value that the environment gives it, as it is parsed; None if it gives none. Raises BadValue."""
        text = variables.get(self.environment) if self.environment else None
        if text is None or not (text or self.is_flag):
            return None
        if self.is_flag:
            return (text.lower() in OFF) == self.turns_off
        return one_of(self.environment, text, self.choices) if self.choices else text

    def of_table(self, table: ProjectSettings) -> Any:
        """Return the value that [tool.longctx] gives it, as it is parsed; None if it gives none."""
        value = getattr(table, self.entry) if self.entry else None
        return value is not self.turns_off if self.is_flag and value is not None else value


_DECLARED = (
    Option("model", "models", "model to measure, instead of the profile's (repeatable)", "NAME"),
    Option(
        "profile",
        "profile",
        "profile: a file in fixtures/profiles/ or a path (default: recorded, or the project's only one)",
        "NAME",
        entry="profile",
    ),
    Option(
        "prompts",
        "prompts",
        "prompt set: a folder in fixtures/prompts/ or a path, instead of the profile's (repeatable, to compare)",
        "DIR",
    ),
    Option(
        "shape",
        "shapes",
        f"shape of the requests, instead of the profile's: {', '.join(SHAPES)} (repeatable, to compare)",
        "NAME",
        choices=SHAPES,
    ),
    Option(
        "strategy",
        "strategies",
        "context-management strategy for test functions with a transcript, instead of the profile's: "
        "none, truncate, clear_tool_uses, compact or summary, some with -NUMBER after it, or your own Python file "
        "(repeatable, to compare)",
        "NAME",
    ),
    Option("trials", "trials", "trials per cell, instead of the profile's", "N", number(int, 1)),
    Option(
        "only",
        "only_trial",
        "only this trial of each cell, by its name in reports: its number, from 0, or the id of its question "
        "or case (longctx show CELL#ID prints it)",
        "ID",
        trial_name,
    ),
    Option("repeats", "repeats", "repetitions of each trial (default: 1)", "N", number(int, 1)),
    Option(
        "label",
        "labels",
        "attach a label to this run, such as steps=200; it is stored with every row (repeatable)",
        "NAME=VALUE",
        label,
    ),
    Option(
        "record",
        "record",
        "none: replay only (default). once: send trials without a recording. new_episodes: also stale ones. all: "
        "record everything again",
        choices=RECORD_MODES,
    ),
    Option("base-url", "base_url", "server that speaks the Messages API (default: the SDK's)", "URL", entry="base_url"),
    Option(
        "server",
        "server",
        "name of the server that answers, such as vllm-0.29: its recordings are kept under that name, apart from those "
        "of other servers",
        "NAME",
        server_name,
    ),
    Option(
        "concurrency",
        "in_flight",
        f"maximum number of concurrent requests (default: {DEFAULT.in_flight}); a run starts with {FIRST_IN_FLIGHT}",
        "N",
        number(int, 1),
        entry="concurrency",
    ),
    Option(
        "max-cost",
        "max_cost",
        f"spending cap in USD (default: max_cost of the profile, or {DEFAULT_CAP:g} if a model has prices)",
        "USD",
        number(float, 0),
    ),
    Option("estimate", "estimate", "print the number of requests and their estimated cost, then exit"),
    Option(
        "baseline",
        "baseline",
        "judge this run against an earlier one: a file in fixtures/baselines/, a path, or a run's folder. Exit status: "
        "12 invalid, 10 regression, 11 inconclusive",
        "NAME",
    ),
    Option("save-baseline", "save_baseline", "save this run as a new baseline, as longctx baseline save does", "NAME"),
    Option(
        "on-inconclusive",
        "on_inconclusive",
        "exit status of an inconclusive gate: fail = 11 (default), pass = 0",
        choices=("pass", "fail"),
        entry="on_inconclusive",
    ),
    Option(
        "fresh",
        "fresh",
        "judge this live run without the earlier runs of its change; the verdict prints the reason that you give",
        "WHY",
    ),
    Option(
        "judge-labels",
        "judge_labels",
        "labels of this run's answers (longctx data labels RUN): the verdict holds whatever its judge's errors are",
        "FILE",
        Path,
    ),
    Option(
        "batch",
        "batch",
        "with --ctx-record: send requests through the Message Batches API, at its price; no request is sent twice",
    ),
    Option(
        "shard",
        "shard",
        "run one part of the cells, such as 2/5, in a job of a matrix; longctx merge joins the parts, tests the "
        "minimum rates, and gives the verdict",
        "I/N",
        shard_argument,
    ),
    Option("report", "report", "folder for this run's rows and summary (default: reports/<time>)", "DIR", Path),
    Option(
        "corpus",
        "corpus",
        "the documents (default: fixtures/register)",
        "DIR",
        Path,
        entry="corpus",
        pytest=False,
    ),
    Option(
        "questions",
        "questions",
        "questions file (default: fixtures/questions/register.jsonl)",
        "FILE",
        Path,
        entry="questions",
        pytest=False,
    ),
    Option(
        "seed",
        "seed",
        "seed of the trials, instead of the profile's",
        "N",
        number(int, 0),
        pytest=False,
    ),
    Option("min-rate", "min_rate", "minimum rate of each cell", "RATE", number(float, 0, 1), pytest=False),
    Option(
        "no-lock",
        "lock",
        "continue without a lock if a folder cannot be locked; ensure that no other run is using it",
        entry="lock",
        pytest=False,
    ),
    Option(
        "no-page",
        "page",
        "write no index.html and no charts",
        environment="LONGCTX_PAGE",
        entry="page",
        pytest=False,
    ),
    Option(
        "ask-only",
        "ask_only",
        "send and record the requests, and stop before the tests",
        environment="LONGCTX_RECORD_ONLY",
        pytest=False,
    ),
    Option(
        "no-canary",
        "canary",
        "continue even if none of the first ten replies can be parsed",
        entry="trial_run",
        pytest=False,
    ),
    Option(
        "no-text",
        "no_text",
        "leave the text of replies out of the page",
        environment="LONGCTX_TEXT",
        entry="text",
        pytest=False,
    ),
    Option(
        "base",
        "base",
        "the branch or commit to compare the change with",
        "REVISION",
        environment="LONGCTX_BASE",
        entry="base",
        pytest=False,
    ),
    Option(
        "trust",
        "trust",
        "which recordings are accepted",
        choices=("all", "base"),
        environment="LONGCTX_TRUST",
        entry="trust",
        pytest=False,
    ),
    Option(
        "margin",
        "margin",
        f"largest acceptable drop (default: the profile's, or {MARGIN}, {100 * MARGIN:g} points)",
        "SHARE",
        share(),
        pytest=False,
    ),
    Option(
        "alpha",
        "alpha",
        f"probability of a false alarm in the whole run (default: {DEFAULT.alpha})",
        "P",
        share(),
        entry="alpha",
        pytest=False,
    ),
    Option(
        "max-age",
        "max_age",
        f"recordings of this age or older are not accepted for a changed model (default: {DEFAULT.max_age:g})",
        "DAYS",
        number(float, 0),
        entry="max_age",
        pytest=False,
    ),
    Option(
        "no-looks",
        "looks",
        "judge all trials at once; by default a gate looks at its evidence several times, and sends no more requests "
        "for bands that are settled",
        pytest=False,
    ),
    Option(
        "patience",
        "patience",
        f"minutes to wait for a server that has answered before (default: {DEFAULT.patience:g})",
        "MINUTES",
        number(float, 0),
        entry="patience",
        pytest=False,
    ),
    Option(
        "batch-wait",
        "batch_wait",
        "hours to wait for batches",
        "HOURS",
        number(float, 0),
        entry="batch_wait",
        pytest=False,
    ),
)
OPTIONS = {option.name: option for option in _DECLARED}
"""The options by their names, in the order in which pytest lists them."""
GATE = ("margin", "alpha", "on-inconclusive", "max-age")
"""The options that set the terms of a verdict."""
TERMS = tuple(OPTIONS[name].entry for name in GATE if OPTIONS[name].entry)
"""Their entries of [tool.longctx]; the base branch's count, as they do for profiles."""
LIVE = ("record", "base-url", "concurrency", "max-cost", "no-canary", "no-lock", "estimate")
"""The options of a command that sends requests as pytest does."""


def settings_of(parsed: Mapping[str, Any], prefix: str = "", names: Iterable[str] = OPTIONS) -> Settings:
    """Return the settings that parsed arguments give. prefix: the beginning of their attributes."""
    given = [OPTIONS[name] for name in names]
    return Settings(**{each.field: each.setting(parsed.get(prefix + each.key, each.default)) for each in given})


def of_arguments(given: Mapping[str, Any]) -> Settings:
    """Return the settings that a Run's arguments give, by the names of fields or of options. Raises UserError."""
    fields = [field.name for field in dataclasses.fields(Settings)]
    known = {option.key: option for option in _DECLARED if not option.is_flag}
    known |= {option.field: option for option in _DECLARED}
    settings = {}
    for name, value in given.items():
        if name not in known and name not in fields:
            raise UserError("unknown-argument", f"Run has no argument {name!r}. {did_you_mean(name, fields)}")
        option = known.get(name)
        settings[option.field if option else name] = _checked(name, option, value) if option else value
    return Settings(**settings)


def _checked(name: str, option: Option, value: Any) -> Any:
    """Return the value of an argument, checked as the option on a command line is. Raises UserError."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    if option.choices:
        one_of(name, str(value), option.choices)
    elif option.type:
        try:
            value = option.type(str(value))
        except BadValue as error:
            error.sentence = f"{name}: {error.sentence}"
            raise
    return (value,) if isinstance(getattr(DEFAULT, option.field), tuple) else value


def fill_in(parsed: argparse.Namespace, given: Mapping[str, Any], prefix: str = "") -> None:
    """Give options their values. given: by their names; a flag that is turned on stays on."""
    for name, value in given.items():
        option, key = OPTIONS[name], prefix + OPTIONS[name].key
        if value is not None:
            setattr(parsed, key, getattr(parsed, key, False) or value if option.is_flag else value)
