"""The verdicts on live runs: a line for each in cassettes/verdicts.jsonl, with the answers that it judged first.

A line is data that somebody else may have written: one that is cut, edited or of the future does not count.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longctx.json_lines import append_line, read_lines
from longctx.links import inside
from longctx.results.baseline_file import LETTERS

NAME = "verdicts.jsonl"
VERDICTS = ("pass", "regression", "inconclusive", "invalid")
SHORT = 12
"""The characters of the digest of a request, and of that of a line."""
AHEAD = datetime.timedelta(days=1)
"""How far the clock of another machine may be ahead."""


@dataclass(frozen=True, slots=True)
class JudgedBand:
    """The answers in one band that a run was the first to judge: an entry of each field but the verdict per answer."""

    requests: Sequence[str]
    """The first characters of the digest of the trial's first request."""
    judged_by: Sequence[str]
    """What judged the answer, as the column of its row."""
    answers: Sequence[str]
    """What identifies the answer."""
    before: str
    """The letter of the baseline's first answer."""
    after: str
    """The letter of the answer."""
    verdict: str
    credits: Mapping[str, int] = field(default_factory=dict)
    """The partial credits in thousandths, by the place of the answer."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """One line: a live run and its verdict."""

    run: str
    at: str
    """When it was judged, ISO 8601, UTC."""
    version: str
    baseline: str
    subject: str
    server: str
    model_returned: str
    k: int
    """Which run of its change it was."""
    level: float
    asked: int
    """The answers that it was sent."""
    of: int
    """The trials that it has."""
    verdict: str
    fresh: str
    """Why a new body of evidence begins with it; empty if none does."""
    bands: Mapping[str, JudgedBand]

    @property
    def order(self) -> tuple[str, str]:
        return self.at, self.run


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """What the file of a project says."""

    runs: Sequence[JudgedRun] = ()
    """In the order in which they were judged."""
    refused: str = ""
    """A sentence on the lines that do not count; empty if all do."""
    exists: bool = False


def read_verdicts(cassettes: Path, now: str) -> JudgedRuns:
    """Return the verdicts on live runs. now: the time in ISO 8601."""
    path = cassettes / NAME
    try:
        lines, cut_short = read_lines(inside(path, cassettes))
    except OSError as error:
        return JudgedRuns(refused=_refused(path, [f"it cannot be read ({error.strerror or error})"]), exists=True)
    runs: dict[tuple[str, str], JudgedRun] = {}
    faults = ["the last line was cut short"] if cut_short else []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            run = _parsed(line, now)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            faults.append(f"line {number}: {error}")
        else:
            runs[run.order] = run
    ordered = tuple(sorted(runs.values(), key=lambda run: run.order))
    return JudgedRuns(ordered, _refused(path, faults) if faults else "", bool(lines) or cut_short)


def _refused(path: Path, faults: Sequence[str]) -> str:
    named = "; ".join(faults[:3]) + (f" and {len(faults) - 3:,} more" if len(faults) > 3 else "")
    return (
        f"{os.path.relpath(path)} has verdicts that do not count ({named}), so this run counts as the first known of "
        "its change as far as they go: restore the file from version control."
    )


def append_verdict(cassettes: Path, run: JudgedRun) -> None:
    """Append the line of a run. Raises OSError."""
    append_line(cassettes / NAME, line_of(run))


def line_of(run: JudgedRun) -> bytes:
    data = {name: getattr(run, name) for name in JudgedRun.__dataclass_fields__ if name != "bands"}
    data["bands"] = {
        name: {
            "requests": list(band.requests),
            "judged_by": list(band.judged_by),
            "answers": list(band.answers),
            "before": band.before,
            "after": band.after,
            "verdict": band.verdict,
            **({"credits": dict(band.credits)} if band.credits else {}),
        }
        for name, band in run.bands.items()
    }
    return json.dumps(data | {"check": _check(data)}, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _check(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:SHORT]


def _parsed(line: bytes, now: str) -> JudgedRun:
    """Return the run of a line. Raises one of Python's own errors if it is none."""
    data = json.loads(line)
    check = data.pop("check")
    if check != _check(data):
        raise ValueError("it was edited")
    if datetime.datetime.fromisoformat(data["at"]) > datetime.datetime.fromisoformat(now) + AHEAD:
        raise ValueError(f"it is from the future ({data['at'][:10]})")
    texts = "run", "at", "version", "baseline", "subject", "server", "model_returned", "verdict", "fresh"
    _require(all(isinstance(data[name], str) for name in texts), "a field is not text")
    _require(data["verdict"] in VERDICTS, "its verdict is none")
    _require(all(type(data[name]) is int and data[name] >= 0 for name in ("k", "asked", "of")), "a number is none")
    _require(isinstance(data["level"], float), "its level is not a number")
    bands = {str(name): _band(band) for name, band in data["bands"].items()}
    return JudgedRun(**{name: data[name] for name in JudgedRun.__dataclass_fields__ if name != "bands"}, bands=bands)


def _band(data: Mapping[str, Any]) -> JudgedBand:
    lists = [data[name] for name in ("requests", "judged_by", "answers")]
    for each in lists:
        _require(isinstance(each, list) and all(isinstance(text, str) for text in each), "a list is not of texts")
    letters = data["before"], data["after"]
    _require(all(isinstance(each, str) and {*each} <= LETTERS.keys() for each in letters), "a letter is unknown")
    _require(len({len(each) for each in (*lists, *letters)}) == 1, "its lists differ in length")
    credit = data.get("credits", {})
    _require(all(type(of) is int and 0 <= of <= 1000 and place.isdecimal() for place, of in credit.items()), "a credit")
    requests, judged_by, answers = lists
    return JudgedBand(requests, judged_by, answers, *letters, str(data["verdict"]), credit)


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise ValueError(fault)
