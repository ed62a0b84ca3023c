"""What the structure keeps to. How many modules and lines there are is free."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.structure import FIGURES, Library, circles, main

BEFORE = {"__init__.py": "", "one.py": "first = 1\nsecond = 2\n", "part/other.py": ""}
WORSE = {
    "circles of imports": {"one.py": "from made import part\n", "part/__init__.py": "import made.one\n"},
    "names with family or scenario": {"one.py": "scenarios = BaseFamily = 1\n"},
    "names with one_request, lacking or wanted": {"one.py": "class OneRequest: ...\n"},
    "ignore[override]": {"one.py": "def name(): ...  # type: ignore[override]\n" * 2},
    "functions with more than 6 parameters, protocols apart": {"one.py": "def wide(a, b, c, d, *, e, f, g): ...\n"},
    "parameters and fields cell: Any, ask: Any": {"one.py": "def name(cell: Any): ...\n"},
}
"""A change of files for each figure, after which it is too high."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "made", BEFORE)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_that_is_too_high_fails_and_is_named(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(folder) == 0
    assert "WORSE" not in capsys.readouterr().out
    write(folder, WORSE[name])
    assert main(folder) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("WORSE") and line.endswith(f"  {name}")]
    assert name in lines[-1]


def test_more_modules_and_longer_ones_are_free(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = {f"part/one_{number}.py": "third = 3\n" * 2000 for number in range(400)}
    assert main(write(folder, more | {"part/one.py": ""})) == 0, "also a second module of a name"
    assert "lines" not in capsys.readouterr().out


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
    assert main(write(folder, files)) == 0
