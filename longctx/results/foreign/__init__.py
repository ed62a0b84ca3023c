"""Files of other evaluation tools, read as they are: what a tool measured of each item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.fields import reason
from longctx.results.foreign import inspect_ai, lm_eval, promptfoo
from longctx.results.foreign.result import ForeignResult
from longctx.results.strict_json import first_value
from longctx.text import visible


def results_of_archive(path: Path) -> list[ForeignResult] | None:
    """Return the results of an .eval log of inspect_ai; None if the file is no archive. Raises UserError, OSError."""
    with path.open("rb") as file:
        if file.read(len(inspect_ai.MAGIC)) != inspect_ai.MAGIC:
            return None
    return _checked(path, inspect_ai.of_archive(path))


def results_of_text(path: Path, text: str) -> list[ForeignResult] | None:
    """Return the results of a file of inspect_ai, lm-evaluation-harness or promptfoo; None for other files.

    text: its content. Raises UserError.
    """
    try:
        first, end = first_value(text)
    except ValueError as error:
        if path.suffix != ".json":
            return None
        raise UserError(
            "bad-results-file", f"{path} is not valid JSON ({visible(reason(error))}): write it again."
        ) from None
    keys = {*_object(first)}
    try:
        if keys >= {"eval", "samples"}:
            return _checked(path, inspect_ai.of_log(first))
        if "results" in _object(_object(first).get("results")):
            return _checked(path, promptfoo.of_output(first))
        if keys >= {"doc_id", "doc"}:
            return _checked(path, lm_eval.of_lines(text))
    except ValueError as error:
        raise UserError(
            "bad-results-file", f"{path} cannot be read ({visible(reason(error))}): write it again with the tool."
        ) from None
    if "\n" in text[:end].strip():
        raise UserError(
            "unknown-results-file",
            f"{path} is not a log of inspect_ai, samples of lm-evaluation-harness or output of promptfoo: write "
            "one JSON object per line, with id and correct.",
        )
    return None


def _checked(path: Path, results: list[ForeignResult]) -> list[ForeignResult]:
    """Return the results. Raises UserError for none, and for one that occurs twice, which is no repeat."""
    if not results:
        raise UserError("no-imported-rows", f"{path} contains no results: write it again with the tool.")
    seen: set[object] = set()
    for result in results:
        key = result.id, result.number, *result.of.values()
        if key in seen:
            raise UserError("result-twice", f"{path} has the result {result.name} twice: keep one of each.")
        seen.add(key)
    return results


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
