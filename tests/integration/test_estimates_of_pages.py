"""docs/planning.md and docs/live-runs.md: what a plan and an estimate print."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.integration.pages import blocks, missing, ran


def test_the_plan(checkout: Checkout) -> None:
    shown = iter(blocks("planning.md"))
    (kind, command), (_, text) = next(shown), next(shown)
    assert kind == "sh"
    output = ran(checkout, command.strip())
    assert not missing(text, output), output


def test_the_estimate(checkout: Checkout) -> None:
    checkout.take("tests_longctx/test_collage.py")
    [command] = (text for kind, text in blocks("live-runs.md") if kind == "sh" and "--ctx-trials 10" in text)
    [text] = (text for kind, text in blocks("live-runs.md") if kind == "text" and "for 480 trials" in text)
    output = ran(checkout, command.strip())
    assert not missing(text, output), output
