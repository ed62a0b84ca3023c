"""The figures of the structure: none may rise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.structure import FIGURES, NUMBERS, Library, circles, main, measured

BEFORE = {"__init__.py": "", "one.py": "first = 1\nsecond = 2\n", "part/other.py": ""}
WORSE = {
    "modules": {"two.py": ""},
    "lines of the longest module": {"one.py": "first = 1\nsecond = 2\nthird = 3\n"},
    "lines": {"part/other.py": "third = 3\n"},
    "circles of imports": {"one.py": "from made import part\n", "part/__init__.py": "import made.one\n"},
    "names with family or scenario": {"one.py": "scenarios = BaseFamily = 1\n"},
    "names with one_request, lacking or wanted": {"one.py": "class OneRequest: ...\n"},
    "ignore[override]": {"one.py": "def name(): ...  # type: ignore[override]\n"},
    "classes LivePass, FunctionAsker, LiveLooks, FunctionLooks": {"one.py": "class LivePass: ...\n"},
    "file names that two modules have": {"part/one.py": ""},
    "functions with more than 6 parameters, protocols apart": {"one.py": "def wide(a, b, c, d, *, e, f, g): ...\n"},
    "modules of review, trust, try_out and plain_tests": {"review/page.py": ""},
    "parameters and fields cell: Any, ask: Any": {"one.py": "def name(cell: Any): ...\n"},
}
"""A change of files for each figure, after which it is higher."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "made", BEFORE)


@pytest.fixture
def numbers(folder: Path) -> Path:
    file = folder.with_name("numbers.json")
    file.write_text(json.dumps(measured(Library(folder))))
    return file


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_that_rises_fails_and_is_named(
    name: str, folder: Path, numbers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], folder, numbers) == 0
    assert "WORSE" not in capsys.readouterr().out
    write(folder, WORSE[name])
    assert main([], folder, numbers) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("WORSE") and line.endswith(f"  {name}")]
    assert name in lines[-1]


def test_writing_lowers_the_numbers_and_raises_none(folder: Path, numbers: Path) -> None:
    before = json.loads(numbers.read_text())
    write(folder, {"one.py": "family = 1\n"})
    assert main(["--write"], folder, numbers) == 1
    assert json.loads(numbers.read_text()) == before | {"lines of the longest module": 1, "lines": 1}
    write(folder, {"one.py": ""})
    assert main(["--write"], folder, numbers) == 0


def test_names_of_others_do_not_count(folder: Path) -> None:
    write(folder, {"one.py": "def known(connection): return connection.family\n"})
    assert FIGURES["names with family or scenario"][0](Library(folder)) == 0
    write(folder, {"two.py": "class Test:\n    family: str\n"})
    assert FIGURES["names with family or scenario"][0](Library(folder)) == 2, "a field of this name is defined"


def test_a_circle_has_all_modules_that_import_each_other() -> None:
    imports = {"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": ["e"], "e": ["d"], "f": ["a"]}
    assert circles(imports) == [{"a", "b", "c"}, {"d", "e"}]


def test_parameters_of_protocols_and_self_are_free(folder: Path) -> None:
    files = {
        "protocols/one.py": "def wide(a, b, c, d, e, f, g): ...\n",
        "two.py": "def few(self, a, b, c, d, e, f): ...\n",
    }
    assert measured(Library(write(folder, files)))["functions with more than 6 parameters, protocols apart"] == 0


def test_each_figure_has_its_number() -> None:
    assert [*json.loads(NUMBERS.read_text(encoding="utf-8"))] == [*FIGURES]
