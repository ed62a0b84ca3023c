"""Makes names of files of the names of models and prompt sets."""

from __future__ import annotations

import hashlib
import re

from longctx.errors import UserError

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
            f"{name[:LONGEST]!r} cannot be the name of a model: it names files, so give one of at most {LONGEST} "
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
