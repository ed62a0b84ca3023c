"""The "too hard" filter: questions that a model misses even with the right section alone are not sent in a collage.

A filter is made once, for one model and one bank of questions, from a run of the control `right`. Its file is
committed, so that it never changes between two runs that are compared.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from longctx import clocks
from longctx.config.file_names import file_name
from longctx.config.project_files import first_fault
from longctx.conflicts import TAKE_ONE_SIDE, check_no_conflict
from longctx.errors import UserError
from longctx.files import write_file
from longctx.links import inside
from longctx.vocabulary.bank import LIVING
from longctx.workspace import Workspace


class Filter(BaseModel):
    """The ids of the questions that the control answered right (`kept`) and wrong (`dropped`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    model: str
    bank: str
    """The digest of the bank, or `questions` in the filter of all banks that are drawn with the present version, whose
    questions go by their ids and their digests. A question that the control did not ask, or that has no readable
    answer, is in neither, and not asked in a collage."""
    made: datetime.date
    run: str
    """The control's name."""
    kept: tuple[str, ...]
    dropped: tuple[str, ...]


def filter_path(workspace: Workspace, model: str, bank: str) -> Path:
    path = workspace.own("questions", "filters", f"{file_name(model)}-{bank[:12]}.json")
    return inside(path, workspace.root)


def load_filter(workspace: Workspace, model: str, bank: str) -> Filter | None:
    """Load the filter of a model for the bank with that digest; None if there is none. Raises UserError."""
    path = filter_path(workspace, model, bank)
    if not path.is_file():
        return None
    try:
        return Filter.model_validate_json(path.read_bytes())
    except ValidationError as error:
        check_no_conflict(path, f"a filter belongs to one run: {TAKE_ONE_SIDE}")
        fault = first_fault(Filter, error, "the file")
        raise UserError("bad-filter", f"{path} is not a filter: {fault} Restore it from version control.") from None


def choose_filter(workspace: Workspace, frozen: Sequence[Filter] | None, model: str, bank: str) -> Filter | None:
    """Choose the filter for a model and the bank with that digest, if any. Raises UserError.

    frozen: the filters of a baseline, which replace the model's own; None without a baseline. A model that the baseline
    does not know gets the filter of its only model. The reason: both runs of a gate must ask the same questions, and
    with filters of their own each would drop what it finds hard.
    """
    if frozen is None:
        return load_filter(workspace, model, bank)
    matching = [candidate for candidate in frozen if candidate.bank[:12] == bank[:12]]
    own = [candidate for candidate in matching if candidate.model == model]
    if len(matching) > 1 and not own:
        raise UserError(
            "several-filters",
            f"The baseline has filters of {', '.join(each.model for each in matching)}, but none of {model}, so it is "
            "not clear which questions to use. Gate against a baseline of one model.",
        )
    return next(iter(own or matching), None)


def keeps_none(asked: int) -> str:
    """Return the clause on what a filter would do that keeps none of so many questions."""
    return f"it would keep none of {asked:,} questions, and leave none for collages."


def make_filter(workspace: Workspace, model: str, bank: str, run: str, correct: Mapping[str, bool]) -> Path:
    """Write the filter of a model and return its path. correct: whether each question was answered right, by its id.

    A filter by question gains those that it does not know, and changes nothing else. Raises UserError if there is a
    filter of the bank already, since runs may have been made with it, or if it would keep nothing.
    """
    path = filter_path(workspace, model, bank)
    known = load_filter(workspace, model, bank) if bank == LIVING else None
    if known:
        correct = {**correct, **dict.fromkeys(known.kept, True), **dict.fromkeys(known.dropped, False)}
    elif path.exists():
        raise UserError(
            "filter-exists",
            f"{path} already exists, and runs may depend on it. Delete it to make a new one, unless you still compare "
            "with those runs.",
        )
    if not any(correct.values()):
        raise UserError("filter-keeps-nothing", f"No filter is made: {keeps_none(len(correct))}")
    made = Filter(
        model=model,
        bank=bank,
        made=clocks.now().date(),
        run=run,
        kept=tuple(sorted(name for name, right in correct.items() if right)),
        dropped=tuple(sorted(name for name, right in correct.items() if not right)),
    )
    text = json.dumps(made.model_dump(mode="json"), indent=1) + "\n"
    write_file(path, lambda part: part.write_text(text, encoding="utf-8"))
    return path


def question_of(item: str | None, version: int) -> tuple[str, str]:
    """Return what names the question of a row in a filter, and the key of that filter.

    version: that of the row's test, which is that of its bank.
    """
    question, _, bank = str(item).rpartition("@")
    return (question, bank) if version == 1 else (str(item), LIVING)


def undecided(known: Filter, questions: Iterable[str]) -> list[str]:
    """Return the questions that the filter neither keeps nor drops."""
    decided = {*known.kept, *known.dropped}
    return [question for question in questions if question not in decided]
