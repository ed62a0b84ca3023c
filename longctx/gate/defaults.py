"""The gate's default terms. This module imports nothing, so that the options can use it at no cost."""

MARGIN = 0.05
"""The non-inferiority margin: a drop smaller than this share of trials does not matter."""
ALPHA = 0.05
"""The probability of a false alarm in a whole run."""
MAX_AGE_DAYS = 7.0
"""The age in days from which a recording is not accepted for a changed model."""
