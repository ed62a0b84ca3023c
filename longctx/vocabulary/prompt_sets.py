"""The names of prompt sets."""

PROTOCOL = "protocol"
"""The default prompt set, which holds the protocols' own wording."""
EARLIER = "seed"
"""Its earlier name, which shipped recordings hold, and the digests of questions in them."""


def present_name(name: str) -> str:
    """Return the present name of a prompt set in a recording."""
    return PROTOCOL if name == EARLIER else name
