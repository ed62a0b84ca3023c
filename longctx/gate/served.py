"""What was found about two servers of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longctx.gate.tokens import TokenPairs
from longctx.gate.verdict import RunVerdict
from longctx.results.row import Row
from longctx.results.server_says import ServerSays
from longctx.results.trial_view import View


@dataclass(frozen=True, slots=True)
class Side:
    """One of both servers."""

    role: str
    """`old` or `new`."""
    name: str
    """The name of the server, under which its recordings are kept; that of a baseline."""
    url: str = ""
    """The address of a live server; empty for what is recorded."""
    baseline: Path | None = None

    shown: str = ""
    """What was given, without a password."""


FLOOR = 0.3
"""The accuracy of the old server below which a band has nothing to lose."""

TestAndBand = tuple[str, str]
"""A test and its band, which is a length."""


@dataclass(frozen=True, slots=True)
class Noise:
    """How much the old server differs from itself: trials that were asked twice."""

    trials: int
    replies: int | None
    """How many replies differ; None if their texts are not known."""
    outcomes: int


@dataclass(frozen=True, slots=True)
class Room:
    """What the first trials of a band say of the old server."""

    correct: int
    n: int

    @property
    def kind(self) -> str:
        """`hard` below FLOOR, `easy` if all are right; empty if there is room for a loss and for a gain."""
        if not self.n or self.correct / self.n < FLOOR:
            return "hard"
        return "easy" if self.correct == self.n else ""


@dataclass(frozen=True, slots=True)
class ServedRows:
    """The rows of one server, with their views."""

    rows: Sequence[Row] = ()
    views: Sequence[View] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What was found about two servers."""

    sides: tuple[Side, Side]
    says: tuple[ServerSays, ServerSays]
    measured: tuple[ServedRows, ServedRows]
    tokens: TokenPairs
    noise: Noise
    rooms: Mapping[TestAndBand, Room]
    """By test and band, in the order of the profile."""
    difficulty: Mapping[str, str]
    """By test, the entry of its table that makes its trials harder; empty if it declares none."""
    left_out: int
    """The cells that the old server cannot hold, or has no answer of."""
    unsent: Sequence[str]
    """Sentences on live servers to which nothing was sent, since everything is recorded."""
    verdict: RunVerdict
    recorded: Sequence[str] = ()
    """The days of the old and of the new recordings."""
    faults: Sequence[str] = ()
    """Why the comparison is invalid whatever the bands show, each without its full stop."""
    unfinished: Sequence[str] = ()
    """Sentences on live sides that did not answer everything, and how to go on."""
