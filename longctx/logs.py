"""The log of longctx, for debugging: with LONGCTX_DEBUG=1 on stderr, or at pytest's `log_level`.

No text of prompts and replies is logged, and no key.
"""

from __future__ import annotations

import logging
import os

LOG = logging.getLogger("longctx")
DEBUG = "LONGCTX_DEBUG"
"""The environment variable that turns the log on."""


def start() -> None:
    """Write the log to stderr if the environment requests it."""
    if os.environ.get(DEBUG, "0") in ("", "0") or LOG.handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s longctx: %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
