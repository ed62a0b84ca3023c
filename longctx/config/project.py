"""The settings of a project for all of its runs: the table [tool.longctx] of pyproject.toml."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from longctx.errors import BadValue, UserError

TABLE = "tool.longctx"
NAME = "pyproject.toml"
FIRST_IN_FLIGHT, MOST_IN_FLIGHT = 16, 32
"""The number of concurrent requests that a run starts with, and the most unless a user sets another maximum."""
PATIENCE = 30.0
"""The minutes for which a server that has answered is waited for, unless a user states others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """The entries of the table. The command line, the environment and the profile come before them."""

    profile: str | None = None
    """The profile of runs that name none."""
    base_url: str | None = None
    """The server, as `--ctx-base-url`."""
    concurrency: int | None = None
    """The maximum number of concurrent requests, as `--ctx-concurrency`."""
    corpus: Path | None = None
    """The folder of documents that replaces that of every table."""
    questions: Path | None = None
    """The questions about that corpus, a file of JSON lines."""
    lock: bool = True
    """Whether folders are locked; false for file systems that cannot, if no other run uses them meanwhile."""
    page: bool = True
    """Whether a run writes index.html and its charts. `LONGCTX_PAGE`."""
    text: bool = True
    """Whether cassettes and reports keep replies; a run without text cannot be replayed. `LONGCTX_TEXT`."""
    keep_runs: int = 10
    """How many runs reports/ keeps; older ones are removed when a run ends. 0 keeps all."""
    trial_run: bool = True
    """Whether a run stops if none of the first replies of a test and model can be parsed."""
    base: str | None = None
    """The branch or commit that a change is judged against. `LONGCTX_BASE`."""
    trust: Literal["all", "base"] | None = None
    """`base` accepts only answers that are recorded on the base, or that the run requests. `LONGCTX_TRUST`."""
    alpha: float | None = None
    """The probability of a false alarm in a whole gated run; 0.05 by default."""
    on_inconclusive: Literal["pass", "fail"] | None = None
    """Whether an inconclusive gate passes; `--ctx-on-inconclusive`."""
    max_age: float | None = None
    """Days from which a recording is too old for a changed model; 7 by default."""
    retired: Mapping[str, str] = field(default_factory=dict)
    """Why cases of the baseline were retired, by `TEST#CASE`, `TEST/CELL#CASE` or `TEST/CELL`."""
    patience: float | None = None
    """Minutes that a run waits for a server that has answered before; 30 by default."""
    batch_wait: float | None = None
    """Hours that a run waits for its batches, which continue if it ends; by default until they end."""


NO_SETTINGS = ProjectSettings()


@functools.cache
def project_settings(root: Path) -> ProjectSettings:
    """Return the settings of the project in a folder. Raises UserError."""
    try:
        text = (root / NAME).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # pytest itself reports a file that it cannot read
        return NO_SETTINGS
    return settings_in(text, str(root / NAME))


def settings_in(text: str, source: str) -> ProjectSettings:
    """Return the settings in the text of a file. source: its name, for errors. Raises UserError."""
    if "longctx" not in text:  # most projects' files need not be parsed
        return NO_SETTINGS
    try:
        table: Any = tomllib.loads(text).get("tool", {}).get("longctx")
    except (tomllib.TOMLDecodeError, AttributeError):
        return NO_SETTINGS
    return NO_SETTINGS if table is None else _checked(table, source)


def _checked(table: Any, source: str) -> ProjectSettings:
    from pydantic import TypeAdapter, ValidationError

    from longctx.errors import did_you_mean

    if not isinstance(table, dict):
        raise UserError("bad-project-settings", f"{source}: [{TABLE}] is not a table: write its entries below it.")
    names = [each.name for each in fields(ProjectSettings)]
    if strange := next((name for name in table if name not in names), None):
        raise UserError(
            "unknown-project-setting", f"{source}: [{TABLE}] has no entry {strange!r}. {did_you_mean(strange, names)}"
        )
    try:
        settings = TypeAdapter(ProjectSettings).validate_python(table)
    except ValidationError as error:
        first = error.errors()[0]
        entry = ".".join(map(str, first["loc"]))
        raise UserError("bad-project-settings", f"{source}: [{TABLE}] {entry}: {first['msg']}.") from None
    return _in_bounds(settings, source)


def _in_bounds(settings: ProjectSettings, source: str) -> ProjectSettings:
    """Return the settings. Raises UserError if a number is out of bounds, or a case is retired without a reason."""
    bounds = {
        "concurrency": (1, None),
        "keep_runs": (0, None),
        "max_age": (0, None),
        "batch_wait": (0, None),
        "patience": (0, None),
        "alpha": (0, 1),
    }
    for name, (least, most) in bounds.items():
        value = getattr(settings, name)
        if value is not None and (value < least or (most is not None and not least < value < most)):
            allowed = f"between {least} and {most}" if most is not None else f"{least} or more"
            raise UserError("bad-project-settings", f"{source}: [{TABLE}] {name} is {value}: use a number {allowed}.")
    if bare := next((name for name, reason in settings.retired.items() if not reason.strip()), None):
        raise UserError(
            "bad-project-settings",
            f"{source}: [{TABLE}] retired: {bare!r} has no reason: write why the case was retired.",
        )
    return settings


MOST_SHARDS = 256
"""The most shards: as many as a matrix of GitHub may have jobs."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `of` parts."""

    number: int
    """Its number, from 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_argument(text: str) -> Shard:
    """Parse NUMBER/OF, as an argparse type."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST_SHARDS):
        raise BadValue(
            "bad-shard",
            f"{text!r} is not a shard: write NUMBER/OF, such as 2/5 for the second of five, with at most "
            f"{MOST_SHARDS}.",
        )
    return Shard(int(number), int(of))


def shards_of(tokens: Mapping[str, int], of: int) -> dict[str, int]:
    """Return the shard, from 1, of each name: the largest first, each to the shard that has the fewest tokens so far.

    tokens: the tokens of one prompt for each name.
    """
    taken = dict.fromkeys(range(1, of + 1), 0)
    dealt: dict[str, int] = {}
    for name in sorted(tokens, key=lambda name: (-tokens[name], name)):
        dealt[name] = min(taken, key=taken.__getitem__)
        taken[dealt[name]] += tokens[name]
    return dealt
