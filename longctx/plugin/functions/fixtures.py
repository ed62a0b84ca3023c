"""What the fixtures of test functions give: each serves the trial that is running."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from longctx.errors import UserError
from longctx.functions.ask import Ask
from longctx.functions.cells import CaseItem
from longctx.functions.ctx import Ctx
from longctx.functions.draw import Draw
from longctx.functions.trial import FunctionTrial, TestMistake
from longctx.live.cost.money import check_cap
from longctx.plugin.selection import MARKER
from longctx.plugin.session import session_of, state_of

if TYPE_CHECKING:
    from longctx.config.models import ModelProfile
    from longctx.engine.run import Run
    from longctx.recording.tape import Tape


@dataclass(slots=True)
class FunctionState:
    """What the fixtures of all test functions of a process share."""

    run: Run
    tape: Tape
    current: FunctionTrial | None = None
    """The trial that is running."""
    case: CaseItem | None = None
    """The case of that trial."""
    models: dict[str, ModelProfile] = field(default_factory=dict)

    @classmethod
    def of(cls, config: pytest.Config) -> FunctionState:
        session = session_of(config)
        if session.of_fixtures is None:
            session.of_fixtures = cls(session.run, session.asking.tape if session.asking else session.run.answers())
        return session.of_fixtures

    def trial(self) -> FunctionTrial:
        """Return the trial that is running. Fails the test with a sentence if there is none."""
        if self.current is None:
            mistake = UserError(
                "not-in-a-trial",
                "The fixture ctx, and ask, draw, check, judge and case can only be used by a test that is marked "
                f"@pytest.mark.{MARKER}(trials=…), while it runs: mark the test, and do not use "
                "them in the setup of other fixtures.",
            )
            pytest.fail(str(mistake), pytrace=False)
        return self.current

    def model(self, name: str) -> ModelProfile:
        if name not in self.models:
            model, settings = self.run.plan.model(name), self.run.settings
            if settings.record != "none":
                check_cap(self.run.stated_cap, [model])
            self.models[name] = model
        return self.models[name]


def ctx(request: pytest.FixtureRequest) -> Ctx:
    state = FunctionState.of(request.config)
    draw: Any = CurrentDraw(state)
    return Ctx(Ask(state.trial, state.model), draw, CurrentCase(state), templates(request))


class CurrentDraw:
    """The draw of the trial that is running."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(Draw(self._state.trial(), self._state.run.workspace), name)


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


def templates(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Return a function from the name of a template to its text."""
    item = request.node

    def template(name: str) -> str:
        cell = state_of(item).cell
        assert cell is not None
        case = cell.case
        try:
            return case.wording.words[name]
        except KeyError:
            known = ", ".join(case.wording.words) or "none"
            raise TestMistake(
                UserError(
                    "no-such-template",
                    f"{case.scenario.family} uses the template {name!r}, but the prompt set "
                    f"{case.wording.prompt_set!r} has {known} for it: write fixtures/prompts/"
                    f"{case.wording.prompt_set}/{case.scenario.family}/{name}.txt.",
                )
            ) from None

    return template
