"""The verdict on results of any harness, as a function: what `longctx gate OLD NEW` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.gate.rules import MARGIN, exit_status
from longctx.gate.verdict import Rules, give_verdict
from longctx.report.gate_lines import lost_answers, views_of_file
from longctx.report.headline import headline, last_line
from longctx.report.verdict_data import with_words
from longctx.report.verdict_document import verdict_document
from longctx.results.foreign.choice import Choice
from longctx.results.foreign.outcome import Scale
from longctx.results.imported import (
    NOT_CHECKED,
    Loaded,
    check_comparable,
    load_imported,
    rows_given,
    with_unmeasured,
    without_collector,
)
from longctx.vocabulary.both import Both

FIELDS = "id", "correct", "answer", "expected", "question", "depth", "error", "band", "cluster"
Results = str | Path | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The verdict on two sets of results.

    Example:
        >>> FileVerdict("pass", "Gate: pass", {"verdict": "pass"}, ()).verdict
        'pass'
    """

    verdict: str
    """`pass`, `regression`, `inconclusive` or `invalid`."""
    text: str
    """What `longctx gate` prints."""
    data: Mapping[str, Any]
    """What `longctx gate --out gate.json` writes."""
    understood: tuple[str, ...]
    """How `before` and `after` were interpreted, one sentence each."""

    def __str__(self) -> str:
        return self.text


@without_collector()
def verdict_of(
    before: Results,
    after: Results,
    margin: float = MARGIN,
    *,
    guessing: float = 0.0,
    subset: bool = False,
    read: Mapping[str, Any] | None = None,
) -> FileVerdict:
    """Return the verdict that `longctx gate OLD NEW` prints, for results of your own harness.

    Args:
        before: The earlier results: a file in any format that the command reads, or a list of dictionaries, each with
            `id` and `correct` or `score`.
        after: The new results, in the same forms.
        margin: The largest acceptable drop of accuracy in a band: 0.05 is 5 percentage points.
        guessing: The accuracy of random guessing, from 0 to 1.
        subset: Whether `after` deliberately covers only part of `before`. Otherwise, missing trials count as not
            measured.
        read: Options of the command that control how the results are read, such as `{"id": "index", "scale": (1, 5)}`:
            `id`, `correct`, `answer`, `expected`, `question`, `depth`, `error`, `band`, `cluster`, `rows`, `score`,
            `scale`, `lower_is_better`, and a dictionary `select`.

    Raises:
        UserError: The results cannot be read, or how to read them is ambiguous.

    Example:
        >>> before = [{"id": n, "correct": True} for n in range(60)]
        >>> verdict_of(before, [{**row, "correct": row["id"] > 20} for row in before]).verdict
        'regression'
    """
    choice = _choice(read or {})
    names = Both(before, after).map(_name)
    loaded = Both(*(_loaded(results, name, choice) for results, name in zip((before, after), names, strict=True)))
    check_comparable(loaded.before, loaded.after, names, choice)
    rows = loaded.map(lambda each: each.rows)
    rows = rows if subset else Both(rows.before, with_unmeasured(rows.before, rows.after))
    judged = give_verdict(rows.before, rows.after, Rules(margin=margin, subset=subset), {}, guessing)
    lost = lost_answers(judged, rows.before, rows.after, views_of_file(loaded.after.questions))
    document = verdict_document(judged, names.before.name, [NOT_CHECKED], lost=lost)
    data = with_words(judged, (names.before.name, names.before.stem), [NOT_CHECKED], document)
    understood = tuple(each.understood for each in loaded)
    status = exit_status(judged.verdict, failed=False, on_inconclusive="fail")
    text = f"{document.brief}\n\n{last_line(headline(judged), status)}\n"
    return FileVerdict(judged.verdict, text, {**data, "understood": [*understood]}, understood)


def _choice(read: Mapping[str, Any]) -> Choice:
    """Return what to take from both. Raises UserError for an option that is none."""
    known = (*FIELDS, "rows", "score", "scale", "lower_is_better", "select")
    if unknown := next((name for name in read if name not in known), None):
        raise UserError("no-such-option", f"The argument read has no option {unknown!r}: use {', '.join(known)}.")
    lowest, highest = read.get("scale", (0.0, 1.0))
    named = {name: read[name] for name in FIELDS if name in read}
    scale = Scale(lowest, highest, read.get("lower_is_better"))
    return Choice(read.get("select", {}), named, read.get("rows", ""), read.get("score", ""), scale)


def _name(results: Results) -> Path:
    return Path(results) if isinstance(results, str | Path) else Path("rows")


def _loaded(results: Results, name: Path, choice: Choice) -> Loaded:
    return load_imported(name, choice) if isinstance(results, str | Path) else rows_given(name, results, choice)
