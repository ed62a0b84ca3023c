"""The "too hard" filter: questions that a model misses even with the right section alone are not asked in a collage.

A filter is made once, for one model and one bank of questions, from a run of the control `right`, and then stands in a
file that is committed: it never moves between two runs that are compared.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from longctx.config.folders import file_of, first_fault
from longctx.conflicts import TAKE_ONE_SIDE, check_no_conflict
from longctx.errors import UserError
from longctx.files import write_file
from longctx.workspace import Workspace


class Filter(BaseModel):
    """Ids of the questions that the control asked: `kept` were answered right, `dropped` were not. run: its name.

    A question that the control did not ask, or that has no readable answer, is in neither, and not asked in a collage.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    bank: str
    made: datetime.date
    run: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]


def filter_path(workspace: Workspace, model: str, bank: str) -> Path:
    return file_of(workspace.own("questions", "filters"), model, f"-{bank[:12]}.json", _model_in)


def _model_in(path: Path) -> str | None:
    """The model that a filter is of; None where the file is no filter, which `load_filter` says."""
    try:
        return Filter.model_validate_json(path.read_bytes()).model
    except ValidationError:
        return None


def load_filter(workspace: Workspace, model: str, bank: str) -> Filter | None:
    """The filter of a model for the bank of that digest; None where none was made. Raises UserError."""
    path = filter_path(workspace, model, bank)
    if not path.is_file():
        return None
    try:
        return Filter.model_validate_json(path.read_bytes())
    except ValidationError as error:
        check_no_conflict(path, f"a filter is of one run: {TAKE_ONE_SIDE}")
        fault = first_fault(Filter, error, "the file")
        raise UserError("bad-filter", f"{path} is not a filter: {fault} Restore it from version control.") from None


def choose_filter(workspace: Workspace, frozen: Sequence[Filter] | None, model: str, bank: str) -> Filter | None:
    """The filter that counts for a model and the bank of that digest, if any. Raises UserError.

    frozen: the filters of a baseline, which count instead of the model's own; None without a baseline. Of a model that
    the baseline knows nothing of, that of the only one it knows. Both runs of a gate ask the same questions: with a
    filter of its own, each would drop what it finds hard.
    """
    if frozen is None:
        return load_filter(workspace, model, bank)
    found = [one for one in frozen if one.bank[:12] == bank[:12]]
    own = [one for one in found if one.model == model]
    if len(found) > 1 and not own:
        raise UserError(
            "several-filters",
            f"The baseline has filters of {', '.join(one.model for one in found)}, but none of {model}, so "
            "that it is not clear which questions to ask. Gate against a baseline of one model.",
        )
    return next(iter(own or found), None)


def keeps_none(asked: int) -> str:
    return f"it would keep none of {asked:,} questions, and leave a collage nothing to ask."


def make_filter(workspace: Workspace, model: str, bank: str, run: str, correct: Mapping[str, bool]) -> Path:
    """Write the filter of a model from question id -> right or wrong with its section alone.

    Raises UserError where there is one, which must not move under runs that were made with it, and where it would keep
    nothing.
    """
    path = filter_path(workspace, model, bank)
    if path.exists():
        raise UserError(
            "filter-exists",
            f"{path} already exists, and runs may have been made with it. Delete it first if you compare with none "
            "of them.",
        )
    if not any(correct.values()):
        raise UserError("filter-keeps-nothing", f"No filter is made: {keeps_none(len(correct))}")
    made = Filter(
        model=model,
        bank=bank,
        made=datetime.datetime.now(datetime.UTC).date(),
        run=run,
        kept=tuple(sorted(name for name, right in correct.items() if right)),
        dropped=tuple(sorted(name for name, right in correct.items() if not right)),
    )
    text = json.dumps(made.model_dump(mode="json"), indent=1) + "\n"
    write_file(path, lambda part: part.write_text(text, encoding="utf-8"))
    return path
