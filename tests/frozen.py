"""A time that stands still, as libraries for tests make it: they replace the functions wherever a module holds them."""

from __future__ import annotations

import contextlib
import datetime
import sys
import time
from collections.abc import Iterator
from typing import Any
from unittest import mock

REAL = datetime.datetime
NAMES = ("time", "monotonic", "perf_counter")
LEFT_ALONE = ("threading", "queue")
"""Modules whose waiting such libraries let go on."""


class Then(REAL):
    """The moment at which the time stands still."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Then:
        return cls(2001, 2, 3, tzinfo=tz)


class Today(datetime.date):
    @classmethod
    def today(cls) -> Today:
        return cls(2001, 2, 3)


@contextlib.contextmanager
def frozen() -> Iterator[None]:
    """Freeze the time."""
    stands: dict[int, Any] = {id(getattr(time, name)): lambda: 981_158_400.0 for name in NAMES}
    stands |= {id(REAL): Then, id(datetime.date): Today}
    with contextlib.ExitStack() as stack:
        for module in [*sys.modules.values()]:
            if module.__name__ in (*LEFT_ALONE, __name__):
                continue
            for name, value in [*vars(module).items()]:
                if id(value) in stands:
                    stack.enter_context(mock.patch.object(module, name, stands[id(value)]))
        yield
