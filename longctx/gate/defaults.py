"""What a gate holds a run to unless told otherwise. Stands alone, so that the options can name it at no cost."""

MARGIN = 0.05
"""A drop of so much does not matter."""
ALPHA = 0.05
"""The chance of a false alarm over all of a run."""
MAX_AGE_DAYS = 7.0
"""How old a recording may be that speaks for a changed model."""
