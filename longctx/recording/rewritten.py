"""Messages requests as the providers' clients rewrite them, put back as the API itself takes them.

Bedrock and Vertex have the model in the path, and the API's version in the body. Everything else stays the same.
"""

from __future__ import annotations

import json
import re
from typing import Any

from longctx.recording.request import PATH

MODEL_IN_PATH = re.compile(r"/model/(.+)/invoke$|/publishers/anthropic/models/(?!count-tokens:)([^/]+):rawPredict$")
"""The paths of Bedrock, and of Vertex, whose way to count tokens looks like a model."""


def messages_body(path: str, content: bytes) -> dict[str, Any] | None:
    """The body of a Messages request, its model in it; None for any other request. path: without escapes."""
    if path.endswith(PATH):
        plain: dict[str, Any] = json.loads(content)
        return plain
    if match := MODEL_IN_PATH.search(path):
        body: dict[str, Any] = json.loads(content)
        body.pop("anthropic_version", None)
        return body | {"model": match[1] or match[2]}
    return None
