"""docs/planning.md: its first command prints what it shows."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.integration.pages import blocks, missing, ran


def test_the_page(checkout: Checkout) -> None:
    shown = iter(blocks("planning.md"))
    (kind, command), (_, text) = next(shown), next(shown)
    assert kind == "sh"
    output = ran(checkout, command.strip())
    assert not missing(text, output), output
