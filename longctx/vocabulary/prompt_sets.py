"""The names of prompt sets."""

PROTOCOL = "protocol"
"""The prompt set that holds the protocols' own wording, and that is asked in unless another is named."""
EARLIER = "seed"
"""What it was called before: recordings, runs, baselines, profiles and folders may still say so."""


def present_name(name: str) -> str:
    """A prompt set's name as it is today."""
    return PROTOCOL if name == EARLIER else name
