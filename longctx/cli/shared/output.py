"""The output of commands: sentences while they work, and files, which are overwritten only with --force."""

from __future__ import annotations

import sys
from pathlib import Path

from longctx.errors import UserError
from longctx.files import check_is_no_file


def say(sentence: str) -> None:
    """Print a sentence at once, also if a program reads the output."""
    print(sentence, flush=True)


def tell_unread(folder: Path) -> None:
    """Print which files of a folder of documents are not read, if there are any. Raises UserError."""
    from longctx.corpus.reading import unread

    if sentence := unread(folder):
        print(sentence, file=sys.stderr)


def check_free_folder(option: str, folder: Path) -> None:
    """Raise UserError if the folder that an option names cannot be filled because it is a file or not empty."""
    check_is_no_file(option, folder)
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError("folder-not-empty", f"{option} {folder} is not empty: give another folder, or delete it first.")
