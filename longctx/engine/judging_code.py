"""The code that judges, compared with that of the base branch: a change may weaken an assertion, also in a helper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from longctx.recording.base import Base
from longctx.text import some_of
from longctx.workspace import Workspace

MOST_FILES = 8
"""The most files that a sentence names."""


def changed_code(workspace: Workspace, revision: str) -> Iterator[str]:
    """Yield a phrase on the files of test code that differ from those of the base branch, if any do.

    revision: the base branch; empty if the run has none. These are the tests, the conftest.py files, and all other
    Python files in folders of tests. Raises UserError.
    """
    if not revision:
        return
    base = Base(revision, workspace.root, workspace.cassettes)
    files = [file for file in base.python_files_that_differ() if _judges(workspace, PurePosixPath(file))]
    if files:
        yield f"code that judges differs from {revision}: {some_of(files, MOST_FILES)}"


def _judges(workspace: Workspace, file: PurePosixPath) -> bool:
    if file.name == "conftest.py" or _is_test(file):
        return True
    folders = (workspace.root / folder for folder in file.parents if folder != PurePosixPath("."))
    return any(_is_test(PurePosixPath(each.name)) for folder in folders for each in folder.glob("*.py"))


def _is_test(file: PurePosixPath) -> bool:
    return file.match("test_*.py") or file.match("*_test.py")
