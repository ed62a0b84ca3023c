"""What the fixtures of test functions give: each serves the trial that is running."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.cells import CaseItem
from longctx.functions.ctx import Ctx
from longctx.functions.draw import Draw
from longctx.functions.trial import FunctionTrial, TestMistake

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.config.models import ModelProfile
    from longctx.recording.tape import Tape
    from longctx.workspace import Workspace

NAMES = ("ctx", "ask", "draw", "case", "check", "judge", "prompt")
"""The fixtures of longctx: `ctx`, and its attributes."""


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
                "The fixture ctx, and ask, draw, check, judge and case can only be used by a test that is marked "
                "@pytest.mark.longctx(trials=…), while it runs: mark the test, and do not use "
                "them in the setup of other fixtures.",
            )
        return self.current

    def model(self, name: str) -> ModelProfile:
        if name not in self.models:
            self.models[name] = self.load(name)
        return self.models[name]

    def ctx(self, case: Callable[[], Case]) -> Ctx:
        """Return the fixture `ctx`. case: returns the cell whose templates it reads."""
        draw: Any = CurrentDraw(self)
        return Ctx(Ask(self.trial, self.model), draw, CurrentCase(self), templates(case))


def given(ctx: Ctx, name: str) -> Any:
    """Return one of longctx's fixtures, by its name."""
    return ctx if name == "ctx" else getattr(ctx, name)


class CurrentDraw:
    """The draw of the trial that is running."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(Draw(self._state.trial(), self._state.workspace), name)


class CurrentCase:
    """The case of the trial that is running: its fields are attributes and items."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def _item(self) -> CaseItem:
        trial = self._state.trial()
        if self._state.case is None:
            raise TestMistake(
                UserError(
                    "no-case",
                    f"{trial.function} uses the fixture case, but its marker names no file: write cases='FILE.jsonl'.",
                )
            )
        return self._state.case

    def __getattr__(self, name: str) -> Any:
        item = self._item()
        return item[name] if name in item else getattr(item, name)  # a field may be named as a method of dicts is

    def __contains__(self, name: object) -> bool:
        return name in self._item()

    def __iter__(self) -> Iterator[str]:
        return iter(self._item())

    def __getitem__(self, name: str) -> Any:
        return self._item()[name]


def templates(case: Callable[[], Case]) -> Callable[[str], str]:
    """Return a function from the name of a template to its text. case: returns the cell that has them."""

    def template(name: str) -> str:
        of = case()
        try:
            return of.wording.words[name]
        except KeyError:
            known = ", ".join(of.wording.words) or "none"
            raise TestMistake(
                UserError(
                    "no-such-template",
                    f"{of.scenario.family} uses the template {name!r}, but the prompt set "
                    f"{of.wording.prompt_set!r} has {known} for it: write fixtures/prompts/"
                    f"{of.wording.prompt_set}/{of.scenario.family}/{name}.txt.",
                )
            ) from None

    return template
