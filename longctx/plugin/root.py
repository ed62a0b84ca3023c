"""The project of a run: the root that pytest determined, and the tests in it."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from longctx.errors import UserError
from longctx.pytest_file import root_around


def check_root(config: pytest.Config) -> None:
    """Raise UserError if the run would read and write in another project than that of its tests.

    pytest takes the value of an option that is not joined by an equals sign for one more path, and may determine the
    root from it.
    """
    option = config.option
    if option.rootdir or option.inifilename or option.pyargs:
        return
    start = config.invocation_params.dir
    has_paths = config.args_source is config.ArgsSource.ARGS
    folders = [_folder(start, path) for path in config.args] if has_paths and config.args else [start]
    common = Path(os.path.commonpath(folders))
    expected = root_around(common)
    projects = list(dict.fromkeys(filter(None, map(root_around, folders))))
    if expected is None and len(projects) > 1:
        raise UserError(
            "tests-in-two-projects",
            f"The tests are in two projects, {projects[0]} and {projects[1]}: run one at a time, or add "
            "--rootdir=PATH.",
        )
    expected = expected or Path(os.path.commonpath([start, common]))
    if config.rootpath != expected:
        raise UserError(
            "root-is-elsewhere",
            f"The tests are in {expected}, but pytest uses {config.rootpath} as the root of the project, because it "
            "takes an option's value after a space for a path. Write the value with an equals sign, such as "
            "--ctx-profile=PATH, or add --rootdir=PATH.",
        )


def _folder(start: Path, argument: str) -> Path:
    """Return the folder of an argument, which is a path or the id of a test."""
    path = Path(os.path.normpath(start / argument.split("::")[0]))
    return path if path.is_dir() else path.parent


def collect_project_by_default(config: pytest.Config) -> None:
    """If no path was given, collect what pytest collects in the project's root."""
    if config.args_source is not config.ArgsSource.INVOCATION_DIR:
        return
    root = config.rootpath
    named = (sorted(glob.iglob(path, root_dir=root, recursive=True)) for path in config.getini("testpaths"))  # noqa: PTH207
    config.args = [str(root / path) for paths in named for path in paths] or [str(root)]
