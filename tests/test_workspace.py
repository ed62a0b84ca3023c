"""The workspace: where data is read from and written to."""

from pathlib import Path

import pytest

from longctx.workspace import Workspace, packaged
from tests.refusals import refused

ROOTS = {
    "pytest.ini": "",
    ".pytest.toml": "",
    "pyproject.toml": '[project]\nname = "p"\n[tool.pytest.ini_options]\n',
    "tox.ini": "[tox]\n[pytest]\n",
    "setup.cfg": "[tool:pytest]\n",
}
NO_ROOTS = {"pyproject.toml": "[tool.ruff]\n", "tox.ini": "[tox]\n", "setup.cfg": "[metadata]\n", "setup.py": ""}


def rootdir(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return what pytest itself determines as the project's root."""
    monkeypatch.chdir(folder)
    config = pytest.Config.fromdictargs({}, [])
    config._ensure_unconfigure()
    return config.rootpath


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize("beside", NO_ROOTS)
def test_a_project_is_what_pytest_takes_for_its_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, beside: str
) -> None:
    """The closest folder that configures pytest; a file that could and does not is passed over."""
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep.parent / beside).write_text(NO_ROOTS[beside])
    (tmp_path / name).write_text(ROOTS[name])
    assert Workspace.around(deep) == Workspace.around(tmp_path) == Workspace(tmp_path)
    assert rootdir(deep, monkeypatch) == tmp_path


@pytest.mark.parametrize("name", NO_ROOTS)
def test_a_project_that_does_not_configure_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The root is the folder of the closest pyproject.toml, or else setup.py, as pytest determines it."""
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep.parent / name).write_text(NO_ROOTS[name])
    workspace = Workspace.around(deep)
    assert workspace == Workspace(deep.parent if name in ("pyproject.toml", "setup.py") else deep)
    assert rootdir(deep, monkeypatch) == workspace.root


def test_a_file_of_pytests_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool\n")
    with refused("bad-pytest-file", "pyproject.toml"):
        Workspace.around(tmp_path)


def test_without_such_a_file_a_folder_is_its_own_project(tmp_path: Path) -> None:
    assert Workspace.around(tmp_path) == Workspace(tmp_path)


def test_what_the_project_lacks_comes_with_longctx(mine: Workspace) -> None:
    assert mine.find("profiles", "smoke.toml") == packaged() / "profiles" / "smoke.toml"
    own = mine.own("profiles", "smoke.toml")
    own.touch()
    assert mine.find("profiles", "smoke.toml") == mine.find_profile("smoke") == own
    assert mine.find("profiles", "neither.toml") == mine.own("profiles", "neither.toml")


def test_what_there_is_is_listed_once(mine: Workspace) -> None:
    for name in ("smoke", "zebra"):
        mine.own("profiles", f"{name}.toml").touch()
    listed = mine.list("profiles", "*.toml")
    assert mine.own("profiles", "smoke.toml") in listed
    assert packaged() / "profiles" / "smoke.toml" not in listed
    assert packaged() / "profiles" / "paper.toml" in listed
    assert listed[-1] == mine.own("profiles", "zebra.toml")


def test_a_path_means_itself(mine: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.touch()
    assert mine.find_profile(str(path)) == path


def test_a_mistyped_name_is_suggested(mine: Workspace) -> None:
    with refused("unknown-profile", "smok", "'smoke'"):
        mine.find_profile("smok")


def test_an_unknown_name_is_told_what_there_is(mine: Workspace) -> None:
    mine.own("profiles", "zebra.toml").touch()
    with refused("unknown-profile", "paper", "zebra"):
        mine.find_profile("x")


def test_a_path_of_another_kind_of_file_is_refused(mine: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.touch()
    with refused("unknown-profile"):
        mine.find_profile(str(path))


def test_a_baseline_is_found_by_name_or_path(mine: Workspace, tmp_path: Path) -> None:
    with refused("unknown-baseline", "mian"):
        mine.find_baseline("mian")
    mine.own("baselines", "main.jsonl").touch()
    assert mine.find_baseline("main") == mine.own("baselines", "main.jsonl")
    assert mine.find_baseline(str(tmp_path)) == tmp_path
    with refused("unknown-baseline", "mian", "'main'"):
        mine.find_baseline("mian")
