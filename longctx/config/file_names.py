"""Names of models and servers as names of files and folders."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from longctx.errors import UserError

OF_SERVER = ",server="
"""What precedes the name of a server in a folder of recordings."""
LONGEST = 200
"""The most characters of a name; file systems take names of 255 bytes."""


def slug(name: str) -> str:
    """Return a name as a file name: model ids may contain slashes and colons."""
    return re.sub(r"[^A-Za-z0-9._@+-]+", "_", name)


def check_name(name: str) -> None:
    """Raise UserError for the name of a model that is empty, begins with a dot, such as `..`, or is too long."""
    if not name or name.startswith(".") or len(name) > LONGEST:
        raise UserError(
            "bad-name",
            f"{name[:LONGEST]!r} cannot be the name of a model: it is part of file names, so choose one of at most "
            f"{LONGEST} "
            "characters that does not begin with a dot.",
        )


def file_name(name: str) -> str:
    """Return a file name that no other name has. A name that cannot be a file name gets its digest at the end.

    No model at all is the empty name. Raises UserError as `check_name` does for any other.
    """
    if name:
        check_name(name)
    plain = slug(name)
    if plain == name:
        return name
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def folder_of(model: str, server: str = "") -> str:
    """Return the name of the folder of a model's recordings, or of those of a server with a name.

    No name of a model is a folder with a comma.
    """
    return f"{file_name(model)}{OF_SERVER}{server}" if server else file_name(model)


def servers_in(folders: Iterable[str], model: str) -> list[str]:
    """Return the names of the servers among these folders that have recordings of a model; empty for one without."""
    own = file_name(model)
    split = (folder.partition(OF_SERVER) for folder in folders)
    return sorted(server for name, _, server in split if name == own)


def servers_sentence(names: Sequence[str]) -> str:
    """Return servers in words, such as `the servers f16, q4_0 and one without a name`."""
    named = [name for name in names if name]
    listed = f"the {'server' if len(named) == 1 else 'servers'} {', '.join(named)}" if named else ""
    without = ["a server without a name"] if "" in names else []
    return " and ".join(filter(None, [listed, *without]))
