"""The workspace: whose data is read, and where what is written goes."""

from pathlib import Path

import pytest

from longctx.errors import UserError
from longctx.workspace import Workspace, packaged


def test_a_project_is_the_closest_folder_that_configures_pytest(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert Workspace.around(deep) == Workspace.around(tmp_path) == Workspace(tmp_path)
    (deep / "pyproject.toml").touch()
    assert Workspace.around(deep) == Workspace(deep)


def test_without_such_a_file_a_folder_is_its_own_project(tmp_path: Path) -> None:
    assert Workspace.around(tmp_path) == Workspace(tmp_path)


def test_what_the_project_lacks_comes_with_longctx(mine: Workspace) -> None:
    assert mine.find("profiles", "smoke.toml") == packaged() / "profiles" / "smoke.toml"
    own = mine.own("profiles", "smoke.toml")
    own.touch()
    assert mine.find("profiles", "smoke.toml") == mine.resolve("profiles", "smoke") == own
    assert mine.toml("profiles", "neither") is None
    assert mine.find("profiles", "neither.toml") == mine.own("profiles", "neither.toml")


def test_what_there_is_is_listed_once(mine: Workspace) -> None:
    for name in ("smoke", "zebra"):
        mine.own("profiles", f"{name}.toml").touch()
    found = mine.list("profiles", "*.toml")
    assert mine.own("profiles", "smoke.toml") in found
    assert packaged() / "profiles" / "smoke.toml" not in found
    assert packaged() / "profiles" / "paper.toml" in found
    assert found[-1] == mine.own("profiles", "zebra.toml")


def test_a_path_means_itself(mine: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.touch()
    assert mine.resolve("profiles", str(path)) == path


def test_a_mistyped_name_is_suggested(mine: Workspace) -> None:
    with pytest.raises(UserError, match=r"^No profile 'smok': Did you mean 'smoke'\? Or give the path"):
        mine.resolve("profiles", "smok")


def test_an_unknown_name_is_told_what_there_is(mine: Workspace) -> None:
    mine.own("profiles", "zebra.toml").touch()
    with pytest.raises(UserError, match=r"^No profile 'x': There are: .*paper, .*zebra\. Or give the path"):
        mine.resolve("profiles", "x")


def test_a_path_of_another_kind_of_file_is_refused(mine: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.touch()
    with pytest.raises(UserError, match=r"path of a \.toml file"):
        mine.resolve("profiles", str(path))


def test_a_baseline_is_found_by_name_or_path(mine: Workspace, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No baseline 'mian': There are: none"):
        mine.find_baseline("mian")
    mine.own("baselines", "main.jsonl").touch()
    assert mine.find_baseline("main") == mine.own("baselines", "main.jsonl")
    assert mine.find_baseline(str(tmp_path)) == tmp_path
    with pytest.raises(UserError, match=r"No baseline 'mian': Did you mean 'main'\?.*python -m longctx baseline save"):
        mine.find_baseline("mian")
