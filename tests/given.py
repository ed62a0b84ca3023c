"""What tests of many modules are given: the wording of the protocol, replies, prices, servers and files."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longctx.config.models import Prices
from longctx.config.prompts import PromptSet, Wording
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.point import Templates
from tests.here import HERE
from tests.servers import Script, SimulatedServer, right


@functools.cache
def wording_of(kind: Any) -> Wording:
    """Return the protocol's wording of a kind of cell."""
    return PromptSet.open(HERE, "protocol").wording(kind)


def words_of(kind: Any) -> Templates:
    return wording_of(kind).templates


def reply(text: str, stop_reason: str | None = "end_turn", **changed: Any) -> Answer:
    made = Answer(text, stop_reason, "some-model", 100, 0, 16, 0.5, "2026-11-22T00:00:00+00:00", "0" * 64)
    return dataclasses.replace(made, **changed)


def dollars(given: float = 0, got: float = 0, **more: Any) -> Prices:
    """Return prices in USD per million tokens of input and of output, of the first day of 2026."""
    return Prices(input=given, output=got, dated=datetime.date(2026, 1, 1), **more)


def served(script: Script = right, kind: Any = SimulatedServer) -> Any:
    """Return a fixture: a server of a kind, which answers as the script says."""

    @pytest.fixture
    def server() -> Iterator[SimulatedServer]:
        with kind(script=script) as server:
            yield server

    return server


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def json_lines(path: Path, *values: object) -> Path:
    """Write a file with a line for each value. A text is written as it is."""
    return written(path, "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in values))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of each file by its path in the folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
