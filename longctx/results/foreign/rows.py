"""Rows that a person or a program wrote: an item's id and its outcome, under any names, with any fields besides."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from longctx.results.foreign.choice import MOST_OPTIONS, PLACE, Choice, OpenChoice
from longctx.results.foreign.outcome import is_lower_better
from longctx.results.foreign.result import NOTHING, ForeignResult
from longctx.results.foreign.telling import is_repeat
from longctx.results.foreign.values import (
    PLAIN,
    QUESTIONS,
    depth_in,
    digest_of,
    error_in,
    listed,
    name_in,
    name_of,
    plain,
    question_in,
    shown,
    value_in,
)
from longctx.results.making import maker_of
from longctx.results.records import likely_id

OPTIONAL = "band", "cluster", "cost", "guessing"
"""The fields that count, and may be left out, so that a misspelt one would go unnoticed."""
OUTCOMES = "correct", "score"
ERRORS = "error", "exception"
"""The fields whose text says that a row was not measured."""
ASKED = *QUESTIONS, "name"
"""The fields of what is asked, which rows that are paired by their place must share."""
LIKE_AN_OUTCOME = re.compile(
    r".*(?:correct|judg|pass|success|score|acc|match|right|f1|metric|rouge|exact|feedback|eval|reward|grade)",
    re.IGNORECASE,
)
ANSWERS = """actual_output prediction predictions pred output response completion generated_text model_answer
model_output answer answers""".split()
"""The names of fields with answers, the likeliest first."""
EXPECTED = """expected expected_output expected_answer target targets ground_truth reference references outputs gold
label labels answers answer""".split()
"""The names of fields with what is expected, the likeliest first."""


READ = (
    "id",
    "value",
    "band",
    "cluster",
    "cost",
    "guessing",
    "answer",
    "expected",
    "error",
    "document",
    "of",
    "question",
    "depth",
)
make_result = maker_of(ForeignResult, READ)


@dataclass(slots=True)
class RowReader:
    """Reads rows one after another, and remembers what their fields are."""

    choice: Choice
    place: int = 0
    """The number of the last row, from 1."""
    outcome: str = ""
    """The field of the outcome."""
    answer: str = "answer"
    expected: str = "expected"
    """The fields that are compared if answers are scored."""
    numbered: bool = False
    """Whether rows without an id are numbered by their place."""
    seen: dict[str, dict[str, None]] = field(default_factory=dict)
    """The values of the fields that are selected."""
    repeats: tuple[str, ...] = ()
    """The fields that count repeats."""
    also: tuple[str, ...] = ()
    """Other fields that look like outcomes."""
    is_by_place: bool = False
    """Whether their place identifies the rows."""
    _checked: set[tuple[str, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.is_by_place = self.numbered or self.choice.by_place

    def read(self, record: Mapping[str, Any]) -> ForeignResult | None:
        """Return the result of a row; None of one that is not selected. Raises ValueError."""
        self.place += 1
        for key, value in self.choice.select.items():
            try:
                found = value_in(record, key)
            except ValueError:
                found = "-"
            there = name_of(str(found)) if isinstance(found, PLAIN) else "-"
            self.seen.setdefault(key, {})[there] = None
            if there != value:
                return None
        if (names := tuple(record)) not in self._checked:
            self._check(record)
            self._checked.add(names)
        named = self.choice.named
        error = None
        for name in ERRORS:
            if name in record and (error := error_in(record[name])):
                break
        result = make_result(
            self._id(record),
            None if error else self._value(record),
            name_in(record, "band") if "band" in record and "band" not in named else "all",
            name_in(record, "cluster") if record.get("cluster") not in (None, "") else None,
            _amount(record, "cost") if "cost" in record else None,
            _amount(record, "guessing", below=1) if "guessing" in record else None,
            shown(record["answer"]) if "answer" in record else None,
            shown(record["expected"]) if "expected" in record else None,
            error,
            digest_of([record[name] for name in ASKED if name in record]) if self.is_by_place else None,
            {name: str(record.get(name)) for name in self.repeats} if self.repeats else NOTHING,
            question_in(record),
            depth_in(record["depth"]) if "depth" in record else None,
        )
        if named:
            changes = {key: value for key, value in self.choice.read(record).items() if key not in ("value", "id")}
            result = replace(result, **{**changes, "error": error or changes.get("error")})
        return result

    def _id(self, record: Mapping[str, Any]) -> str:
        return f"row {self.place}" if self.is_by_place else name_in(record, self.choice.named.get("id", "id"))

    def _value(self, record: Mapping[str, Any]) -> object:
        named = self.choice.named
        if self.choice.score:
            from longctx.results.foreign.scoring import score

            return score(self.choice.score, value_in(record, self.answer), value_in(record, self.expected))
        if "correct" in named:
            return plain(value_in(record, named["correct"]))
        return plain(record[OUTCOMES[0] if OUTCOMES[0] in record else OUTCOMES[1]])

    def _check(self, record: Mapping[str, Any]) -> None:
        """Take up which fields there are. Raises ValueError if the result cannot be found in them."""
        named = self.choice.named
        outcomes = [name for name in OUTCOMES if name in record]
        has_id = "id" in record or self.numbered or "id" in named
        if self.choice.score:
            missing = [name for name in ("answer", "expected") if name not in record and name not in named]
        else:
            missing = ["correct"] if not outcomes and "correct" not in named else []
        missing = [*([] if has_id else ["id"]), *missing]
        if missing:
            raise _not_understood(record, missing, self.choice)
        if len(outcomes) > 1 and "correct" not in named and not self.choice.score:
            raise OpenChoice(
                "it has both correct and score: name one of them, as in --correct score",
                [("--correct", name) for name in outcomes],
            )
        for name in OPTIONAL:
            if (
                name not in record
                and name not in named
                and (wrong := next((key for key in record if _near(key, name)), None))
            ):
                raise ValueError(f"it has no field {name!r}, but {wrong!r}: rename it")
        self.answer, self.expected = named.get("answer", "answer"), named.get("expected", "expected")
        if not self.outcome:
            self.outcome = "" if self.choice.score else named.get("correct") or outcomes[0]
            self.also = tuple(
                name
                for name in record
                if name not in (self.outcome, *named.values()) and _is_like_an_outcome(name, record[name])
            )
        self.repeats = tuple(dict.fromkeys([*self.repeats, *filter(is_repeat, record)]))


def _not_understood(record: Mapping[str, Any], missing: Sequence[str], choice: Choice) -> OpenChoice:
    """Say which fields there are, and which options name them."""
    outcomes = [name for name, value in _flat(record) if _is_like_an_outcome(name, value)]
    likely = {"id": [likely_id(record) or PLACE], "correct": outcomes, **_compared(record, choice)}
    needed = [*missing]
    if "correct" in missing and not outcomes and likely["answer"] and likely["expected"]:
        needed = [name for name in (*missing, "answer", "expected") if name != "correct" and name not in choice.named]
        several = isinstance(expected := record[likely["expected"][0]], list) and len(expected) > 1
        needed, likely["score"] = [*needed, "score"], ["share" if several else "contains"]
    alternatives = product(*(likely[name][:MOST_OPTIONS] for name in needed))
    options = [
        [word for name, value in zip(needed, values, strict=True) for word in (f"--{name}", value)]
        for values in islice(alternatives, MOST_OPTIONS)
    ]
    advice = " ".join(options[0]) if options else " and ".join(f"--{name} FIELD" for name in missing)
    scores = "; --score contains, share or exact compares --answer with --expected" if "correct" in missing else ""
    place = f"; --id {PLACE} numbers rows by their place" if "id" in missing else ""
    return OpenChoice(
        f"it has no field {' and no field '.join(map(repr, missing))}, only {listed([*record]) or 'none'}. Options "
        f"name them: {advice}; --answer, --expected, --band, --cluster and --error name others{scores}{place}",
        options,
    )


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield the fields of a record and of the objects in it, by dotted names."""
    for name, value in record.items():
        yield from (
            ((f"{name}.{inner}", part) for inner, part in value.items()) if isinstance(value, dict) else [(name, value)]
        )


def _compared(record: Mapping[str, Any], choice: Choice) -> dict[str, list[str]]:
    """Return the fields that may have the answer, and what is expected."""
    answers = [choice.named["answer"]] if "answer" in choice.named else [name for name in ANSWERS if name in record]
    others = [name for name in EXPECTED if name in record and name not in answers[:1]]
    return {"answer": answers[:1], "expected": [choice.named.get("expected", name) for name in others[:1]]}


def _is_like_an_outcome(name: str, value: object) -> bool:
    if not (LIKE_AN_OUTCOME.match(name) or is_lower_better(name)) or name in ERRORS:
        return False
    if isinstance(value, str):
        return value.strip().rstrip("%").replace(",", ".", 1).replace(".", "", 1).isdecimal() or value.lower() in (
            *("true", "false", "yes", "no", "c", "i"),
        )
    return isinstance(value, int | float)


@functools.lru_cache(maxsize=10_000)
def _near(key: str, name: str) -> bool:
    """Return whether a name is misspelt: one letter of a long one, else two letters that changed places, or an s."""
    key = key.lower()
    if abs(len(key) - len(name)) > 1:
        return False
    same = next((index for index, (one, other) in enumerate(zip(key, name, strict=False)) if one != other), len(name))
    ours, theirs = key[same:], name[same:]
    swapped = ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]
    one_letter = ours[1:] == theirs[1:] or ours[1:] == theirs or ours == theirs[1:]
    return key in (name, f"{name}s") or swapped or (one_letter and len(name) > len("cost"))


def _amount(record: Mapping[str, Any], name: str, below: float = math.inf) -> float | None:
    value = record.get(name)
    if value in (None, ""):
        return None
    try:
        amount = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        amount = math.nan
    if not 0 <= amount < below:
        raise ValueError(f"its field {name!r} is no number from 0{f', below {below}' if below < math.inf else ''}")
    return amount
