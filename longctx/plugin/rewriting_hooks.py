"""The hooks that rewrite what is compared and what is recorded; what they return is checked."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest

from longctx.errors import UserError
from longctx.recording.rewriting import ANSWER, REQUEST, Rewriting


def is_implemented(config: pytest.Config, hook: str) -> bool:
    return bool(getattr(config.hook, hook).get_hookimpls())


class RewritingByHooks(Rewriting):
    """Lets the hooks of a project return what is compared and what is recorded. Raises UserError."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(hook for hook in (REQUEST, ANSWER) if is_implemented(self._config, hook))

    def compared(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return dict(body) if REQUEST not in self.names else self._called(REQUEST, body=copy.deepcopy(dict(body)))

    def redacted(self, content: bytes, path: str) -> bytes:
        if ANSWER not in self.names:
            return content
        from longctx.recording.apis import is_answer

        given = self._called(ANSWER, answer=json.loads(content))
        redacted = json.dumps(given, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if not is_answer(path, redacted):
            raise UserError(
                "hook-gives-no-answer",
                f"The hook {ANSWER} does not return an answer of the API at {path}: keep its format.",
            )
        return redacted

    def _called(self, hook: str, **given: dict[str, Any]) -> dict[str, Any]:
        [before] = given.values()
        try:
            found = getattr(self._config.hook, hook)(config=self._config, **given)
            if found is not None and not isinstance(found, Mapping):
                raise TypeError(f"it returns {type(found).__name__} instead of a dict")
            json.dumps(found)
        except Exception as error:
            raise UserError("hook-failed", f"The hook {hook} failed: {type(error).__name__}: {error}.") from None
        return before if found is None else dict(found)
