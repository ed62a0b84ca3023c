"""The values of the fixtures of test functions: each serves the trial that is running."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.case import Case
from longctx.functions.cells import CaseItem
from longctx.functions.draw import Draw
from longctx.functions.trial import FunctionTrial, mistake
from longctx.vocabulary.answer import Answer

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.config.models import ModelProfile
    from longctx.recording.tape import Tape
    from longctx.workspace import Workspace


@dataclass(slots=True)
class FunctionState:
    """What the fixtures of all test functions share."""

    workspace: Workspace
    tape: Tape
    load: Callable[[str], ModelProfile]
    """Returns the profile of a model."""
    current: FunctionTrial | None = None
    """The trial that is running."""
    case: CaseItem | None = None
    """The case of that trial."""
    models: dict[str, ModelProfile] = field(default_factory=dict)

    def trial(self) -> FunctionTrial:
        """Return the trial that is running. Raises UserError if there is none."""
        if self.current is None:
            raise UserError(
                "not-in-a-trial",
                "The fixture ctx, and ask, draw, check, judge and case can only be used while a trial runs: by a test "
                "that is marked @pytest.mark.longctx(trials=…), and by its function-scoped fixtures before they yield.",
            )
        return self.current

    def model(self, name: str) -> ModelProfile:
        if name not in self.models:
            self.models[name] = self.load(name)
        return self.models[name]

    def item(self) -> CaseItem:
        """Return the case of the trial that is running. Raises UserError, and TestMistake if the test has no cases."""
        trial = self.trial()
        if self.case is None:
            raise mistake(
                "no-case",
                f"{trial.function} uses the fixture case, but its marker names no file: write cases='FILE.jsonl'.",
            )
        return self.case

    def ctx(self, cell: Callable[[], Cell]) -> Ctx:
        """Return the fixture `ctx`. cell: returns the cell whose templates it reads."""
        draw: Any = CurrentDraw(self)
        return Ctx(Ask(self.trial, self.model), draw, Case(self.item), templates(cell))


class CurrentDraw:
    """The draw of the trial that is running."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(Draw(self._state.trial(), self._state.workspace), name)


def templates(cell: Callable[[], Cell]) -> Callable[[str], str]:
    """Return a function from the name of a template to its text. cell: returns the cell that has them."""

    def template(name: str) -> str:
        of = cell()
        try:
            return of.wording.templates[name]
        except KeyError:
            known = ", ".join(of.wording.templates) or "none"
            raise mistake(
                "no-such-template",
                f"{of.point.test} uses the template {name!r}, but the prompt set "
                f"{of.wording.prompt_set!r} has {known} for it: write fixtures/prompts/"
                f"{of.wording.prompt_set}/{of.point.test}/{name}.txt.",
            ) from None

    return template


Check = Callable[[str, object], bool | float]
"""The fixture `check` scores one aspect of a trial without stopping.

Example:
    >>> def test_fee(ask: Ask, case: Case, check: Check):
    ...     check("answer", case.answer in ask(case.text, case.question).text)
"""


@dataclass(frozen=True, slots=True)
class Ctx:
    """The fixture `ctx`: the draws, requests, checks and judgements of a test function.

    Example:
        >>> def test_refund_code(ctx: Ctx, tokens: int):
        ...     code = ctx.draw.integer(10_000, 99_999)
        ...     text = ctx.draw.filler(tokens).insert(f"The refund code is {code}.", depth=0.5)
        ...     assert ctx.ask(text, "What is the refund code?", max_tokens=24).integer() == code
    """

    ask: Ask
    """Sends a request to the model under test."""
    draw: Draw
    """Draws random values, the same for every model, prompt and length."""
    case: Case
    """The trial's line of the file that the marker names."""
    prompt: Callable[[str], str]
    """Returns a template of the prompt set: `ctx.prompt("system")` reads fixtures/prompts/SET/TEST/system.txt."""

    def check(self, name: str, condition: object) -> bool | float:
        """Score one aspect of the trial without stopping: `ctx.check("cites", condition)`.

        A trial is correct if all checks hold. A number between 0 and 1 is partial credit: its mean is shown and gated,
        and the trial does not depend on it.
        """
        return self.ask.check(name, condition)

    def judge(self, prompt: str, **given: Any) -> Answer:
        """Send a prompt to the model that the profile names as `judge`, and return its answer.

        `ctx.judge(prompt, label=case.human).choice("YN")` also shows how often it agrees with a human's label.
        """
        return self.ask.judged(prompt, **given)
