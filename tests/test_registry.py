"""The tests of the registry, and their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.protocols import ORDER
from longctx.registry import in_order, known_protocols, protocol_named, shipped
from longctx.workspace import Workspace
from tests.here import HERE
from tests.refusals import refused

OWN = """
from longctx import Axes, protocol

class OwnAxes(Axes):
    def cells(self):
        yield {{"number": 1}}

@protocol(axes=OwnAxes, title="Mine", templates={{"system": ()}}, size=lambda cell, tokens: 1, report={report!r})
def {name}(ask, number: int):
    ask("text", expected="")
"""


INI = "[pytest]\nlongctx_protocols = {}\n"


def project(folder: Path, setting: str, file: str = "pytest.ini", text: str = INI) -> Workspace:
    (folder / file).write_text(text.format(setting))
    return Workspace(folder)


def test_those_of_longctx_come_first() -> None:
    assert list(known_protocols(HERE)) == list(shipped())


def test_each_that_comes_with_longctx_has_its_place_its_prompts_and_its_tests() -> None:
    """A module of longctx/protocols/ that ORDER does not name would never be collected."""
    modules = (HERE.root / "longctx/protocols").glob("*.py")
    assert sorted(ORDER) == sorted(path.stem for path in modules if "\n@protocol(" in path.read_text(encoding="utf-8"))
    parts = "fixtures/prompts/protocol/{}", "tests_longctx/test_{}.py", "tests/protocols/test_{}.py"
    needed = [part.format(name) for name in ORDER for part in parts]
    assert [path for path in needed if not (HERE.root / path).exists()] == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pytest.ini", "[pytest]\nlongctx_protocols =\n    {}\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\nlongctx_protocols = ["{}"]\n'),
        ("setup.cfg", "[tool:pytest]\nlongctx_protocols = {}\n"),
    ],
)
def test_a_project_names_its_own(tmp_path: Path, file: str, text: str) -> None:
    module = f"own_{file.partition('.')[0]}"
    (tmp_path / f"{module}.py").write_text(OWN.format(name=module, report=None))
    known = known_protocols(project(tmp_path, module, file, text))
    assert list(known) == [*shipped(), module]
    assert known[module].title == "Mine"


@pytest.mark.parametrize(
    ("setting", "code", "name"),
    [
        ("no_such_module", "protocol-not-usable", "ModuleNotFoundError"),
        ("longctx.errors", "protocol-not-usable", "TypeError"),
        ("own_no_module", "protocol-not-usable", "nowhere:REPORT"),
        ("own_no_class", "protocol-not-usable", "own_no_class:REPROT"),
        ("longctx.protocols.passkey", "protocol-name-taken", "passkey"),
    ],
)
def test_a_mistake_is_a_sentence(tmp_path: Path, setting: str, code: str, name: str) -> None:
    for own, report in (("own_no_module", "nowhere:REPORT"), ("own_no_class", "own_no_class:REPROT")):
        (tmp_path / f"{own}.py").write_text(OWN.format(name=own, report=report))
    with refused(code, setting, name):
        known_protocols(project(tmp_path, setting))


def test_an_unknown_name_is_suggested() -> None:
    with refused("unknown-protocol", "paskey", "'passkey'", "longctx_protocols"):
        protocol_named(HERE, "paskey")


@pytest.mark.parametrize("rows", [["control", "mine", "passkey", "line_retrieval", "mine", "alone", "passkey"], []])
def test_tests_are_in_the_protocols_order_and_a_user_s_own_after_them(rows: list[str]) -> None:
    ordered = [("line_retrieval", 3), ("passkey", 2), ("passkey", 6), ("control", 0), ("mine", 1), ("mine", 4)]
    assert [(rows[place], place) for place in in_order(rows)] == ([*ordered, ("alone", 5)] if rows else [])


def test_what_makes_trials_harder_is_an_entry_of_the_table() -> None:
    declared = {name: test.axes for name, test in shipped().items() if test.axes.difficulty}
    assert declared
    assert all(axes.difficulty in axes.model_fields for axes in declared.values())
