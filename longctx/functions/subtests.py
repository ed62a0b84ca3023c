"""The fixture `subtests` of pytest, for a test function."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from longctx.functions.ask import Ask
from longctx.functions.cells import name_of
from longctx.functions.measure import is_failure, is_skip, reason


class Subtests:
    """The fixture `subtests` of pytest, for one run of a trial: each subtest is a check."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._held: dict[str, bool] = {}

    @contextlib.contextmanager
    def test(self, msg: str | None = None, **kwargs: Any) -> Iterator[None]:
        """Check what the block asserts. Without an error of the test, the trial goes on after it."""
        parts = [*([] if msg is None else [msg]), *(f"{name}-{value}" for name, value in kwargs.items())]
        name, trial = name_of("-".join(parts) or "subtest"), self._ask.trial
        held = True
        try:
            yield
        except BaseException as error:
            if is_skip(error):
                return
            if not is_failure(error):
                raise
            held = False
            trial.reasons.setdefault(name, reason(error))
        if name in self._held:  # of several blocks of one name, each must hold
            trial.checks.pop(name)
        self._held[name] = held and self._held.get(name, True)
        self._ask.check(name, self._held[name])
