"""A copy of the project whose test code is that of the base branch, and whose product is that of the change.

Test code, data beside it and the files that configure pytest are written from git. All else is links to the project
itself, so that the copy is small, and a product module is the change's own.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from longctx import pytest_file
from longctx.engine.judging_code import JudgingCode
from longctx.recording.base import Base

PASSED_OVER = ".git", "__pycache__"
"""What the copy lacks: compiled modules of the change must not stand in for the base's."""


def make_checkout(base: Base, code: JudgingCode, root: Path, copy: Path) -> None:
    """Make the copy in an empty folder. root: the project's folder. Raises OSError and UserError."""
    settings = [name for name in pytest_file.NAMES if name in base.tree]
    written = sorted({*code.there, *code.data, *settings})
    left_out = {*written, *code.here, *pytest_file.NAMES}
    folders = {str(folder) for name in left_out for folder in PurePosixPath(name).parents}
    _mirror(root, copy, "", left_out, folders)
    entries = [base.tree[name] for name in written]
    for name, entry, content in zip(written, entries, base.contents(entries), strict=True):
        path = copy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.is_link:
            path.symlink_to(os.fsdecode(content))
        else:
            path.write_bytes(content)


def _mirror(root: Path, copy: Path, below: str, left_out: Collection[str], folders: Collection[str]) -> None:
    """Fill a folder of the copy with links. left_out: what gets none. folders: those that are not links themselves."""
    (copy / below).mkdir(exist_ok=True)
    with os.scandir(root / below) as found:
        entries = list(found)
    for entry in entries:
        name = f"{below}/{entry.name}" if below else entry.name
        if entry.name in PASSED_OVER or name in left_out:
            continue
        if name not in folders:
            (copy / name).symlink_to(root / name)
        elif entry.is_dir(follow_symlinks=False):
            _mirror(root, copy, name, left_out, folders)
