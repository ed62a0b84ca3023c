"""Adds the summary of a run to the page of a GitHub Actions job: the file that GITHUB_STEP_SUMMARY names."""

from __future__ import annotations

import os
from pathlib import Path


def add_step_summary(text: str) -> str | None:
    """Append Markdown to the step summary, if GITHUB_STEP_SUMMARY is set.

    Returns a sentence if that fails, rather than raising: the run is complete without it.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return None
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")  # what an earlier command wrote may not end with a newline
    except OSError as error:
        return (
            f"The summary could not be added to GITHUB_STEP_SUMMARY ({path}: {error.strerror}): "
            "it is in the run's summary.md."
        )
    return None
