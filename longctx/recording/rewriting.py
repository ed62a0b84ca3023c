"""What a project makes of requests before they are compared, and of answers before they are recorded and judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REQUEST = "pytest_longctx_request"
"""The hook that returns the body that is compared."""


ANSWER = "pytest_longctx_answer"
"""The hook that returns the answer that is recorded."""


class Rewriting:
    """Both stay as they are; the plugin has one that calls the hooks of a project."""

    @property
    def names(self) -> tuple[str, ...]:
        """The hooks that are implemented."""
        return ()

    def compared(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body whose digest identifies a request of a test function; what is sent is unchanged."""
        return dict(body)

    def redacted(self, content: bytes, path: str) -> bytes:
        """Return an answer of the API at a path as it is recorded and judged."""
        return content
