"""The restoring of Messages requests that the clients of other providers have rewritten.

Those of Bedrock and Vertex move the model to the path and add the API's version to the body, and Bedrock's copies the
betas there. The rest is unchanged.
"""

from __future__ import annotations

import json
import re
from typing import Any

from longctx.recording.apis.messages import PATH

MODEL_IN_PATH = re.compile(r"/model/(.+)/invoke$|/publishers/anthropic/models/(?!count-tokens:)([^/]+):rawPredict$")
"""The paths of Bedrock and of Vertex. Vertex's path for counting tokens looks like a model's and is excluded."""


def is_messages_path(path: str) -> bool:
    """Return whether a Messages request goes to this path. path: without escapes."""
    return path.endswith(PATH) or bool(MODEL_IN_PATH.search(path))


def messages_body(path: str, content: bytes, betas: str = "") -> dict[str, Any] | None:
    """Return the body of a Messages request with its model; None for any other request.

    path: without escapes. betas: the value of its header.
    """
    if path.endswith(PATH):
        plain: dict[str, Any] = json.loads(content)
        return plain
    if match := MODEL_IN_PATH.search(path):
        body: dict[str, Any] = json.loads(content)
        body.pop("anthropic_version", None)
        if betas and body.get("anthropic_beta") == betas.split(","):
            del body["anthropic_beta"]
        return body | {"model": match[1] or match[2]}
    return None
