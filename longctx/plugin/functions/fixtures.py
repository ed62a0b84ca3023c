"""What pytest's fixtures of test functions share in a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from longctx.engine.functions import loader
from longctx.errors import UserError
from longctx.functions.fixtures import FunctionState, Subtests
from longctx.plugin.session import session_of, state_of

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.functions.fixtures import Ctx
    from longctx.functions.measure import FunctionTrial


class SharedState(FunctionState):
    """What the fixtures of all test functions of a process share. A test that uses them in no trial fails."""

    def trial(self) -> FunctionTrial:
        try:
            return super().trial()
        except UserError as mistake:
            pytest.fail(str(mistake), pytrace=False)


def shared(config: pytest.Config) -> FunctionState:
    """Return what the fixtures of this process share."""
    session = session_of(config)
    if session.of_fixtures is None:
        tape = session.asking.tape if session.asking else session.run.answers()
        session.of_fixtures = SharedState(session.run.workspace, tape, loader(session.run))
    return session.of_fixtures


def subtests(request: pytest.FixtureRequest) -> Subtests:
    return Subtests(request.getfixturevalue("ctx").ask)


def ctx(request: pytest.FixtureRequest) -> Ctx:
    item = request.node

    def case() -> Case:
        cell = state_of(item).cell
        assert cell is not None
        return cell.case

    return shared(request.config).ctx(case)
