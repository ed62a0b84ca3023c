"""The names of prompt sets."""

PROTOCOL = "protocol"
"""The default prompt set, which holds the protocols' own wording."""
EARLIER = "seed"
"""Its earlier name, which recordings, runs, baselines, profiles and folders may still use."""


def present_name(name: str) -> str:
    """Return the present name of a prompt set that may be given by its earlier one."""
    return PROTOCOL if name == EARLIER else name
