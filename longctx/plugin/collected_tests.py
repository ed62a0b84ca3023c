"""What the tests of a project ask for, by collecting them, so that a command finds recordings that none asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from longctx.authoring.written import Writing
from longctx.engine.run import Run
from longctx.errors import UserError
from longctx.plugin.asking.nested import Nested, silent
from longctx.plugin.run import GivenRun
from longctx.plugin.selected_tests import USUAL
from longctx.plugin.selection import MARKER
from longctx.plugin.session import state_of

if TYPE_CHECKING:
    from pathlib import Path

    from longctx.cases.case import Case
    from longctx.workspace import Workspace


ANY = "claude-haiku-5-5"
"""A model of known window, for a profile that names none: recordings of all models are looked at."""
NO_MODEL = "[no-model]"


@dataclass(slots=True)
class AskedFor:
    """What tests ask for: the files of their cells, without the folder of the model."""

    files: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)
    """The names of the tests."""
    unknown: set[str] = field(default_factory=set)
    """The names of those of which a cell is not known, since they have a mistake or a profile leaves them out."""


class _Collecting(Nested):
    def __init__(self, asked: AskedFor) -> None:
        super().__init__()
        self._asked = asked

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if item.get_closest_marker(MARKER) is None:
                continue
            cell = state_of(item).cell
            case = cell.case if cell else _case_in(item)
            name = item.function.__name__ if isinstance(item, pytest.Function) else item.name
            self._asked.tests |= {name, *([case.cell.test] if case else [])}
            if case:
                self._asked.files.add(case.file.partition("/")[2])
            else:
                self._asked.unknown |= {name, name.removeprefix("test_")}


def _case_in(item: pytest.Item) -> Case | None:
    """Return the case that a test measures by the fixture `measure`."""
    found: Case | None = getattr(item, "callspec", None) and item.callspec.params.get("scenario")  # type: ignore[attr-defined]
    return found


def asked_for(workspace: Workspace) -> AskedFor:
    """Return what the tests of the project ask for under each of its profiles. Raises UserError."""
    asked = AskedFor()
    profiles: list[str | None] = [path.stem for path in sorted(workspace.own("profiles").glob("*.toml"))]
    for profile in profiles or [None]:
        why = _collect(workspace, profile, asked, "" if profile else ANY)
        if NO_MODEL in why:
            why = _collect(workspace, profile, asked, ANY)
        if why:
            raise UserError(
                "tests-not-collected",
                "Which recordings no test asks for is not known, since the tests cannot be collected"
                f"{f' under the profile {profile}' if profile else ''}: {why}",
            )
    return asked


def orphans(workspace: Workspace) -> list[tuple[Path, str]]:
    """Return the recordings that no test of the project asks for, each with the reason. Raises UserError."""
    asked = asked_for(workspace)
    found = []
    for path in sorted(workspace.cassettes.glob("*/*/*.jsonl")):
        _, test, name = path.relative_to(workspace.cassettes).parts
        if f"{test}/{name}" not in asked.files and test not in asked.unknown and test != Writing.test:
            found.append(
                (path, "no cell of the test is recorded there" if test in asked.tests else "no test of this name")
            )
    return found


def _collect(workspace: Workspace, profile: str | None, asked: AskedFor, model: str) -> str:
    """Collect all tests of the project; return why that cannot be done, empty if it was."""
    collecting = _Collecting(asked)
    given = GivenRun(Run(profile, model or (), root=workspace.root))
    with silent():
        code = pytest.main([*USUAL, "--collect-only"], plugins=[given, collecting])
    if given.mistake:
        return str(given.mistake)
    if collecting.uncollected:
        return ": ".join(next(iter(collecting.uncollected.items())))
    return "" if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else f"status {int(code)} of pytest"
