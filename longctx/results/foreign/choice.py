"""What a person chooses in a file of another tool, and the refusal of a file in which something is left to choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.results.foreign.outcome import Scale
from longctx.results.foreign.result import ForeignResult
from longctx.results.foreign.values import depth_in, error_in, listed, name_in, plain, short, shown, value_in
from longctx.text import visible

PLACE = "ROW"
"""What `--id` names for the place of a result in its file."""
MOST_OPTIONS = 5
"""The most commands that a refusal prints."""
Options = Sequence[Sequence[str]]
"""Alternatives that make a file readable: each is the words that a command lacks."""

NAMED: Mapping[str, tuple[str, Callable[[Mapping[str, Any], str], Any]]] = {
    "id": ("id", name_in),
    "correct": ("value", lambda fields, name: plain(value_in(fields, name))),
    "answer": ("answer", lambda fields, name: shown(value_in(fields, name))),
    "expected": ("expected", lambda fields, name: shown(value_in(fields, name))),
    "question": ("question", lambda fields, name: shown(value_in(fields, name))),
    "depth": ("depth", lambda fields, name: depth_named(value_in(fields, name), name)),
    "band": ("band", name_in),
    "cluster": ("cluster", name_in),
    "error": ("error", lambda fields, name: error_named(value_in(fields, name))),
}
"""The options that name a field: the attribute of a result that each fills, and how it is read."""


def error_named(value: object) -> str | None:
    """Return the error in a field that the person named, in which a number other than 0 is one, too."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value:
        return f"error {value:g}"
    return error_in(value)


def depth_named(value: object, name: str) -> float | None:
    """Return the depth in a field that the person named; None if it is empty. Raises ValueError."""
    depth = depth_in(value)
    if depth is None and value not in (None, ""):
        raise ValueError(f"its field {short(name)!r} is no depth: a number from 0 to 1, or to 100 percent")
    return depth


class Undecided(UserError):
    """A refusal that options answer, which are printed as whole commands."""

    def __init__(self, code: str, sentence: str, *, options: Options, instead: str = "") -> None:
        super().__init__(code, sentence)
        self.options = [[*words] for words in options]
        self.instead = instead
        """The option of the command that they replace."""
        self.commands: Sequence[str] = ()
        """The commands with these options, if the person gave one."""

    def amended(self, command: Sequence[str]) -> list[list[str]]:
        """Return a command with the words of each alternative, in place of what it says of the same."""
        return [[*_without(command, words, self.instead), *words] for words in self.options]

    def __str__(self) -> str:
        return "\n  ".join([super().__str__(), *self.commands])


def _without(command: Sequence[str], words: Sequence[str], instead: str) -> list[str]:
    """Return a command without the options that other words give or replace."""
    keys = {value.partition("=")[0] for option, value in pairwise(words) if option == "--select"}
    given = {word for word in words if word.startswith("--") and word != "--select"}
    given.add(instead)
    kept: list[str] = []
    rest = iter(command)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in given or (option == "--select" and equals and value.partition("=")[0] in keys):
            if not equals:
                next(rest, None)
        elif word == "--select":
            if (value := next(rest, "")).partition("=")[0] not in keys:
                kept += [word, value]
        else:
            kept.append(word)
    return kept


class OpenChoice(ValueError):
    """A record lacks what options can name."""

    def __init__(self, sentence: str, options: Options, instead: str = "") -> None:
        super().__init__(sentence)
        self.options, self.instead = options, instead


@dataclass(frozen=True, slots=True)
class Choice:
    """What to take from a file of another tool."""

    select: Mapping[str, str] = field(default_factory=dict)
    """Values of what tells several results of an item apart, as `--select` gives them."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Fields by the names of their options, as in NAMED."""
    rows: str = ""
    """The name of the list with the rows; empty to find it."""
    score: str = ""
    """How answers are scored (scoring.SCORES); empty if the file has outcomes."""
    scale: Scale = field(default_factory=Scale)

    def __bool__(self) -> bool:
        return bool(self.select or self.named or self.rows or self.score or self.scale)

    @property
    def by_place(self) -> bool:
        """Whether results are identified by their place."""
        return self.named.get("id") == PLACE

    def read(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the named fields of an item, by the attributes of its result. Raises ValueError."""
        return {
            NAMED[option][0]: NAMED[option][1](fields, name)
            for option, name in self.named.items()
            if not (option == "id" and name == PLACE)
        }

    def of(self, path: Path, results: Sequence[ForeignResult]) -> list[ForeignResult]:
        """Return the results that were chosen. Raises UserError unless they have one provider, prompt and scorer."""
        chosen = list(results)
        for key, value in self.select.items():
            found = [result for result in chosen if result.of.get(key) == value]
            if not found:
                raise not_there(path, key, value, _values(chosen))
            chosen = found
        several = {key: values for key, values in _values(chosen).items() if len(values) > 1}
        if several:
            raise several_results(path, several, [result.of for result in chosen])
        return chosen


def not_there(path: Path, key: str, value: str, values: Mapping[str, Sequence[str]]) -> UserError:
    """Return what to say of a selection that no result has. values: those that there are."""
    there = _choices(values)
    choose = f"choose one of {there}" if there else "leave out --select"
    options = [("--select", f"{key}={one}") for one in values.get(key, ())[:MOST_OPTIONS]]
    return Undecided("not-in-results", f"{path} has no {visible(key)}={short(value)}: {choose}.", options=options)


def several_results(path: Path, values: Mapping[str, Sequence[str]], of: Iterable[Mapping[str, str]]) -> Undecided:
    """Return what to say of several results per item. values: what tells them apart. of: that of each result."""
    together = dict.fromkeys(tuple((key, each.get(key, "-")) for key in values) for each in of)
    options = [
        [word for key, value in one for word in ("--select", f"{key}={value}")] for one in [*together][:MOST_OPTIONS]
    ]
    return Undecided(
        "choose-results",
        f"{path} contains several results per item: choose one with --select, among {_choices(values)}.",
        options=options,
    )


def _values(results: Sequence[ForeignResult]) -> dict[str, list[str]]:
    """Return the values of what has to be chosen, by its key."""
    return {key: [*dict.fromkeys(result.of[key] for result in results)] for key in results[0].of}


def _choices(values: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(listed([f"{key}={short(value)}" for value in of]) for key, of in values.items())
