"""The output of commands: sentences while they work, and files, which are overwritten only with --force."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from longctx.errors import UserError
from longctx.files import check_is_no_file
from longctx.gate.defaults import DEFAULT_CAP


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


ROOM = 1.25
"""How many times its estimated price a printed command may spend."""


def following(words: Sequence[str], base_url: str | None = None, usd: float = 0.0) -> str:
    """Return the line on the command that comes next, which runs as it is printed.

    words: the command. base_url: the server that the person named, which a run of pytest is told, too. usd: what the
    run costs: above the default cap, the command has a cap of its own.
    """
    served = [f"--ctx-base-url={base_url}"] if base_url else []
    capped = [f"--ctx-max-cost={math.ceil(ROOM * usd)}"] if ROOM * usd > DEFAULT_CAP else []
    return f"Next: {shlex.join([*words, *served, *capped])}"
