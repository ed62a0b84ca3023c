"""Fixtures of a question file and the server of its review."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longctx.review.http import ReviewServer
from tests.review.examples import service, serving, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path)


@pytest.fixture
def server(path: Path) -> Iterator[ReviewServer]:
    with serving(service(path)) as server:
        yield server
