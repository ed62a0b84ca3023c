"""The tests' misbehaving server in a process of its own, so that it does not take part in what is measured."""

from __future__ import annotations

import contextlib
import multiprocessing
import random
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from tests.misbehaving import FAULTS, Body, MisbehavingServer, Reaction, Script


@dataclass(slots=True)
class Seen:
    """What the server saw. reactions: the time by its clock, in seconds, and the kind. paid: answers by digest."""

    reactions: list[tuple[float, str]]
    paid: dict[str, int]
    most_open: int


class Remote:
    """The simulated server in the other process."""

    def __init__(self, pipe: Connection, url: str) -> None:
        self._pipe, self.url = pipe, url

    def seen(self) -> Seen:
        self._pipe.send("seen")
        return Seen(*self._pipe.recv())


@contextlib.contextmanager
def serving(*, faults: float = 0.0, seed: int = 0, **options: Any) -> Iterator[Remote]:
    """Serve while entered. faults: the share of answers that are faulty, in every way; options: of the server."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, faults, seed, options), daemon=True)
    process.start()
    try:
        yield Remote(here, here.recv())
    finally:
        here.send("over")
        process.join()


def _serve(pipe: Connection, faults: float, seed: int, options: dict[str, Any]) -> None:
    with MisbehavingServer(_script(faults, seed), **options) as server:
        pipe.send(server.url)
        while pipe.recv() == "seen":
            pipe.send((list(server.reactions), dict(server.paid), server.most_open))


def _script(faults: float, seed: int) -> Script:
    lots = random.Random(seed)

    def react(number: int, body: Body) -> Reaction:
        return Reaction(lots.choice(FAULTS) if lots.random() < faults else "right")

    return react
