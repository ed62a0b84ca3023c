"""The verdicts that a project keeps, and answers that are wrong now and then."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.integration.conftest import Checkout
from tests.integration.functions import codes
from tests.servers import Script, message

VERDICTS = "cassettes/verdicts.jsonl"


def wrong_every(number: int) -> Script:
    """Return a script that answers every so many requests wrongly."""
    came = itertools.count(1)

    return lambda body: (200, {}, message("1, please", body)) if next(came) % number == 0 else codes(body)


def lines(project: Checkout) -> list[dict[str, Any]]:
    file = project.file(VERDICTS)
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
