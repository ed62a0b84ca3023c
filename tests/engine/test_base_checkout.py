"""The copy of a project with the base branch's test code, and what counts as test code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from longctx.engine.base_checkout import make_checkout
from longctx.engine.judging_code import JudgingCode
from longctx.recording.base import Base
from tests.integration.conftest import needs_git

pytestmark = needs_git
FILES = {
    "pytest.ini": "[pytest]\n",
    "conftest.py": "",
    "product/core.py": "x = 1\n",
    "tests/test_it.py": "@mark(cases='./cases.jsonl')\ndef test_it(ask): ...\n",
    "tests/help/judging.py": "def judge(): ...\n",
    "tests/cases.jsonl": "{}\n",
    "tests/expected.json": "1",
    "tests/gone.py": "",
}


def git(folder: Path, *arguments: str) -> None:
    given = "-c", "user.name=t", "-c", "user.email=t@example.org"
    subprocess.run(["git", *given, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project that differs from its branch main."""
    folder = tmp_path / "project"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "tests/linked.py").symlink_to("help/judging.py")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "All")
    (folder / "product/core.py").write_text("x = 2\n")
    (folder / "tests/help/judging.py").write_text("def judge(): return True\n")
    (folder / "tests/gone.py").unlink()
    (folder / "tests/new.py").write_text("")
    (folder / "tests/judging.so").write_text("")
    (folder / "tests/__pycache__").mkdir()
    (folder / "tests/__pycache__/new.cpython-311.pyc").write_text("")
    (folder / "product/new.py").write_text("")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p lenient\n")
    (folder / "tests/cases.jsonl").write_text("{}\n{}\n")
    (folder / "tests/expected.json").write_text("2")
    (folder / "tests/new.json").write_text("2")
    return folder


def code_of(root: Path, *plugins: str) -> tuple[Base, JudgingCode]:
    base = Base("main", root, root / "cassettes")
    return base, JudgingCode.of(base, [root / name for name in plugins])


def test_test_code_is_tests_conftests_and_what_is_beside_or_below_tests(root: Path) -> None:
    _, code = code_of(root)
    assert code.there == {
        *("conftest.py", "tests/test_it.py", "tests/help/judging.py", "tests/gone.py", "tests/linked.py")
    }
    assert code.differ == ["tests/gone.py", "tests/help/judging.py", "tests/judging.so", "tests/new.py"]
    assert [*code.phrases] == [
        f"code that judges differs from main: {', '.join(code.differ)}",
        "data beside tests differ from main: tests/expected.json",
    ]


def test_a_plugin_of_the_project_is_test_code(root: Path) -> None:
    assert "product/new.py" in code_of(root, "product/new.py", "/usr/lib/other.py")[1].differ


def test_the_copy_has_the_test_code_of_the_base_and_the_product_of_the_change(root: Path, tmp_path: Path) -> None:
    base, code = code_of(root)
    copy = tmp_path / "copy"
    copy.mkdir()
    make_checkout(base, code, root, copy)
    assert (copy / "pytest.ini").read_text() == FILES["pytest.ini"]
    assert (copy / "tests/help/judging.py").read_text() == FILES["tests/help/judging.py"]
    assert (copy / "tests/linked.py").read_text() == FILES["tests/help/judging.py"]
    assert (copy / "tests/gone.py").is_file()
    assert not (copy / "tests/new.py").exists()
    assert not (copy / "tests/judging.so").exists()
    assert not (copy / ".git").exists()
    assert (copy / "product/core.py").read_text() == "x = 2\n"
    assert (copy / "tests/cases.jsonl").read_text() == "{}\n{}\n"
    assert (copy / "tests/expected.json").read_text() == "1"
    assert not (copy / "tests/test_it.py").is_symlink(), "a resolved path must not lead to the change's helpers"
    assert code.files_of(base, ["test_it", "test_new"]) == {"test_it": "tests/test_it.py"}


def test_a_link_in_the_place_of_a_folder_of_tests_is_not_followed(root: Path, tmp_path: Path) -> None:
    (root / "tests").rename(root / "other")
    (root / "tests").symlink_to("other")
    base, code = code_of(root)
    copy = tmp_path / "copy"
    copy.mkdir()
    make_checkout(base, code, root, copy)
    assert not (copy / "tests").is_symlink()
    assert (copy / "tests/help/judging.py").read_text() == FILES["tests/help/judging.py"]
