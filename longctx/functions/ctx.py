"""The value of the fixture `ctx`: all that a test function uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longctx.functions.answer import Answer
    from longctx.functions.ask import Ask
    from longctx.functions.draw import Draw


@dataclass(frozen=True, slots=True)
class Ctx:
    """What a test function draws, asks, checks and has judged.

    Example:
        >>> def test_refund_code(ctx, tokens):
        ...     code = ctx.draw.integer(10_000, 99_999)
        ...     text = ctx.draw.filler(tokens).insert(f"The refund code is {code}.")
        ...     assert ctx.ask(text, "What is the refund code?", max_tokens=24).integer() == code
    """

    ask: Ask
    """Sends a request to the model under test; in a replay, the recordings answer."""
    draw: Draw
    """Draws what a trial is about, the same for every model, prompt and length."""
    case: Any
    """The case of the trial: a line of the file that the marker names. Its fields are attributes."""
    prompt: Callable[[str], str]
    """Returns a template of the prompt set: `ctx.prompt("system")` reads fixtures/prompts/SET/TEST/system.txt."""

    def check(self, name: str, condition: object) -> bool | float:
        """Score one aspect of the trial without stopping: `ctx.check("cites", condition)`.

        A trial is correct if all checks hold. A number between 0 and 1 is partial credit: its mean is shown and gated,
        and the trial does not depend on it.
        """
        return self.ask.check(name, condition)

    def judge(self, prompt: str, **given: Any) -> Answer:
        """Ask the model that the profile names as `judge`, and return its answer.

        `ctx.judge(prompt, label=case.human).choice("YN")` also shows how often it agrees with a human's label.
        """
        return self.ask.judged(prompt, **given)
