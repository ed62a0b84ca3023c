"""A run whose output a test reads while it runs, so that it can act on what the run has said."""

from __future__ import annotations

import os
from typing import Self

from tests.integration.conftest import Checkout, Result


class Listening:
    """A run of pytest, or of `longctx` if that is its first argument. Entering the context starts it."""

    def __init__(self, checkout: Checkout, *arguments: str, env: dict[str, str] | None = None) -> None:
        self._checkout, self._arguments, self._env, self._said = checkout, arguments, env, ""
        self._pipe = checkout.file("output")
        os.mkfifo(self._pipe)

    def __enter__(self) -> Self:
        if self._arguments[0] == "longctx":
            self.pid = self._checkout.start_longctx(*self._arguments[1:], terminal=str(self._pipe))
        else:
            self.pid = self._checkout.start(*self._arguments, env=self._env, terminal=str(self._pipe))
        self._output = self._pipe.open(encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._output.close()
        self._pipe.unlink()

    def until(self, text: str) -> None:
        """Return once the run has said this in a line."""
        for line in self._output:
            self._said += line
            if text in line:
                return
        raise AssertionError(f"the run has ended and said {self._said}")

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def end(self) -> Result:
        self._said += self._output.read()
        return Result(self._checkout.launcher.wait(), self._said, "")
