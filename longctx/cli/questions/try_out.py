"""`questions try`: put the questions of a file to a model with the right section, a wrong one, and none."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx import clocks
from longctx.authoring.unreadable import sentences
from longctx.cli.questions.filter import answered, readable
from longctx.cli.shared_options import add_task, declare, print_at_once, print_estimate, print_noticed, settings_of
from longctx.config.arguments import number
from longctx.corpus.filters import filter_path, keeps_none, load_filter, make_filter, undecided
from longctx.engine.settings import LIVE
from longctx.errors import UserError
from longctx.vocabulary.bank import LIVING
from longctx.vocabulary.point import PROTOCOL
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.corpus.question_bank import QuestionSet
    from longctx.engine.finish import Finished
    from longctx.results.row import Row


def add(tasks: Any) -> None:
    text = "try questions on a model with their right section, a wrong one and none, to keep the useful ones"
    parser = add_task(tasks, "try", text, ". Recorded answers are replayed; --record once sends the other requests.")
    parser.add_argument("questions", type=Path, metavar="FILE", help="JSON lines, one question each")
    declare(parser, "corpus")
    option = parser.add_argument
    option("--model", required=True, metavar="NAME", help="the model that answers")
    option("--prompts", default=PROTOCOL, metavar="NAME", help="prompt set (default: protocol)")
    option("--trials", type=number(int, 1), metavar="N", help="number of questions (default: all)")
    declare(parser, "repeats")
    option(
        "--longest",
        type=number(int, 1),
        default=5000,
        metavar="N",
        help="tokens of the longest section asked about (default: 5000)",
    )
    option(
        "--max-tokens",
        type=number(int, 1),
        default=3000,
        metavar="N",
        help="the most tokens of an answer (default: 3000)",
    )
    declare(parser, *LIVE, "ask-only", "no-page")
    declare(parser, "report", help="folder of the run (default: reports/questions-<time>)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.config.models import misspelled
    from longctx.corpus.documents import load_corpus
    from longctx.corpus.question_bank import load_questions
    from longctx.engine.run import Run
    from longctx.files import check_free_folder, check_writable

    documents = options.corpus or options.workspace.find("register")
    print_noticed(documents)
    questions = load_questions(options.questions, load_corpus(documents))
    now = f"questions-{clocks.local():%Y-%m-%dT%H-%M-%S-%f}"
    folder = options.report or options.workspace.reports / now
    check_free_folder("--report", folder)
    controls = {
        "trials": options.trials or len(questions.questions),
        "longest": options.longest,
        "max_tokens": options.max_tokens,
    }
    settings = dataclasses.replace(
        settings_of(options),
        profile={"control": controls},
        models=(options.model,),
        prompts=(options.prompts,),
        questions=options.questions,
        report=folder,
        estimate=False,
        ask_only=False,
    )
    run = Run.with_settings(settings, options.workspace.root, say=print_at_once)
    for sentence in misspelled(options.workspace, [options.model]):
        print_at_once(sentence)
    if options.estimate:
        print_estimate(run)
        return 0
    complete = True
    if options.record != "none":
        check_writable(folder)
        complete = run.ask().complete
        run.keep_failures()
    if options.ask_only:
        return 0 if complete else 1
    measured = run.measure()
    for problem in dict.fromkeys(measured.problems):
        print_at_once(f"invalid: {problem}")
    has_filter = _write_report(options.workspace, measured.finish(), questions, options.max_tokens)
    return 0 if has_filter and not measured.problems else 1


def _write_report(workspace: Workspace, finished: Finished, questions: QuestionSet, room: int) -> bool:
    """Print a short report on the questions, and write the whole to the run's folder; return whether there is a filter.

    room: max_tokens of an answer. Raises UserError.
    """
    from longctx.authoring.items import as_csv, document, quality, warnings
    from longctx.report.document import as_terminal
    from longctx.report.markdown_document import as_markdown
    from longctx.report.text import trials_sentence

    rows, folder = finished.record.rows, finished.record.folder
    result = quality(rows, {question.id: question.fact for question in questions.questions})
    subjects = answered(rows, result.prompt_set)
    if not subjects:
        raise UserError(
            "controls-not-measured",
            f"No question was measured with its right section: {'; '.join(_causes(rows))}. The reasons are above. In "
            "this command the options --ctx-record and --ctx-base-url are called --record and --base-url.",
        )
    if len(subjects) > 1:
        raise UserError("several-subjects", f"{folder} contains several models or prompt sets: use one of each.")
    [((model, bank), answers)] = subjects.items()
    gaps = _causes(rows)
    asked_of_all = _not_asked_clause(len(questions.questions) - len(answers))
    made = _filter(workspace, (model, bank), folder, answers, result.prompt_set, "" if gaps else asked_of_all)
    known = load_filter(workspace, model, bank)
    notes = [
        trials_sentence(finished.summary),
        *(f"Not measured: {cause}." for cause in gaps),
        *sentences(workspace, finished.record.seen(), room),
        made,
        *(f"Warning: {warning}" for warning in warnings(result, sum(readable(answers).values()) if known else None)),
    ]
    title = f"Questions of {questions.name} on {result.model}, prompts {result.prompt_set}"
    asked = {question.id: question.question for question in questions.questions}
    (folder / "questions.md").write_text(as_markdown(document(title, result, notes, asked, short=False)), "utf-8")
    (folder / "questions.csv").write_text(as_csv(result, asked), "utf-8")
    print(f"\n{as_terminal(document(title, result, notes, asked, short=True))}")
    print(
        f"All questions: {os.path.relpath(folder)}/questions.md, for a spreadsheet questions.csv, the run index.html."
    )
    return known is not None


def _causes(rows: Sequence[Row]) -> list[str]:
    """Return the causes why trials were not measured, with their numbers."""
    return [
        f"{number:,} trials {cause}" for cause, number in Counter(row.error for row in rows if row.error).most_common()
    ]


def _not_asked_clause(number: int) -> str:
    """Return the end of a sentence on the questions that were not sent."""
    return f"; the {number:,} others were not sent, and are left out of collages" if number else "; all were sent"


def _filter(
    workspace: Workspace,
    subject: tuple[str, str],
    folder: Path,
    answers: Mapping[str, bool | None],
    prompts: str,
    others: str,
) -> str:
    """Make the filter if there is none yet, and return a sentence on it. A filter that runs have used never changes.

    subject: the model and the bank. others: the end of the sentence, on the questions that were not sent; empty if
    answers are missing.
    """
    model, bank = subject
    correct = readable(answers)
    unread = len(answers) - len(correct)
    kept = f"{sum(correct.values()):,} of {len(correct):,} questions are answered right with their section alone"
    path = os.path.relpath(filter_path(workspace, model, bank))
    living = bank == LIVING
    existing = load_filter(workspace, model, bank)
    if existing and not (living and others and undecided(existing, correct)):
        asked = len(existing.kept) + len(existing.dropped)
        return f"The filter: {kept}. {path} exists already and stays: it keeps {len(existing.kept):,} of {asked:,}."
    if not others:
        return f"No filter is made while answers are missing, because a filter never changes: {kept}. Run this again."
    if unread and not living:
        command = f"longctx data filter {os.path.relpath(folder)} --prompts {prompts}"
        return (
            f"No filter is made, because a filter never changes: {unread:,} of {len(answers):,} questions "
            f"{'has' if unread == 1 else 'have'} no readable answer with {'its' if unread == 1 else 'their'} "
            f"section alone"
            + (f"; {kept}. To make one of the others alone: {command}." if any(correct.values()) else ".")
        )
    if not (existing or any(correct.values())):
        return f"No filter is made: {keeps_none(len(correct))}"
    make_filter(workspace, model, bank, folder.resolve().name, correct)
    return f"The filter: {kept}, and kept for collages{others}. Commit {path}."
