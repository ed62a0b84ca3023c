"""`questions write`: have a model write questions about each section of documents, and check them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import (
    add_task,
    declare,
    next_command,
    print_at_once,
    print_estimate,
    print_noticed,
    settings_of,
)
from longctx.config.arguments import number
from longctx.engine.settings import LIVE
from longctx.errors import UserError
from longctx.vocabulary.point import PROTOCOL

if TYPE_CHECKING:
    from longctx.authoring.faults import Finding
    from longctx.authoring.written import Written, WrittenFiles
    from longctx.cells.cell import Cell
    from longctx.corpus.documents import Corpus
    from longctx.recording.tape import Tape

TOKENS_A_QUESTION = 600
"""The most tokens of a reply: 3000 for the notebook's five questions."""


def add(tasks: Any) -> None:
    text = "write questions about your documents with a model"
    parser = add_task(
        tasks,
        "write",
        text,
        ": it reads each section once, with two examples. Answers are recorded in cassettes/, so the same command "
        "makes the same file again. Unusable questions are kept in FILE's .dropped.jsonl, with the reason.",
    )
    option = parser.add_argument
    option("--corpus", type=Path, required=True, metavar="DIR", help="a folder of documents, or one of them")
    option("--model", required=True, metavar="NAME", help="the model that writes")
    option("--out", type=Path, required=True, metavar="FILE", help="the file to write: JSON lines, one question each")
    option(
        "--per-section", type=number(int, 2, 20), default=5, metavar="N", help="questions about a section (default: 5)"
    )
    option("--limit", type=number(int, 1), metavar="N", help="only the first N sections")
    option("--prompts", default=PROTOCOL, metavar="NAME", help="prompt set with a folder writing/ (default: protocol)")
    option(
        "--max-tokens", type=number(int, 1), metavar="N", help="the most tokens of a reply (default: 600 a question)"
    )
    option("--force", action="store_true", help="overwrite a file that was reviewed or changed")
    declare(parser, *LIVE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.authoring.faults import check
    from longctx.authoring.written import WrittenFiles
    from longctx.corpus.documents import load_corpus
    from longctx.engine.run import Run

    files = WrittenFiles.at(options.out)
    settings = replace(settings_of(options), estimate=False)
    run = Run.with_settings(settings, options.workspace.root, say=print_at_once)
    corpus = load_corpus(options.corpus)
    print_noticed(options.corpus)
    cells = _cells(corpus, options)
    if options.estimate:
        print_estimate(run, cells)
        return 0
    if not options.force:
        files.check_unchanged(_read(run.tape(), cells))
    if options.record != "none" and (unasked := run.ask(cells).unasked):
        print(f"{len(unasked):,} cannot be sent. The first: {unasked[0][1].message}")
    tape = run.tape()
    written = _read(tape, cells)
    if not written:
        raise UserError(
            "no-section-answered",
            f"No section has an answer, so {options.out} was not written. {_how_to_record(tape, cells)}",
        )
    files.write(written)
    trials = [trial for batch in written for trial in batch.questions]
    print(_table(written, len(cells), options.per_section, check(corpus, trials), files))
    if len(written) < len(cells):
        print(f"{len(cells) - len(written):,} of {len(cells):,} sections have no answer. {_how_to_record(tape, cells)}")
    if not trials:
        print(_unusable(written, files, cells[0].point.max_tokens))
    else:
        print(
            next_command(["longctx", "data", "questions", "check", str(options.out), "--corpus", str(options.corpus)])
        )
    return 0 if trials and len(written) == len(cells) else 1


def _cells(corpus: Corpus, options: argparse.Namespace) -> list[Cell]:
    """Return a cell for each section. Raises UserError."""
    from longctx.authoring.writing import Writing
    from longctx.cells.cell import Cell
    from longctx.config.models import load_model
    from longctx.config.prompts import PromptSet
    from longctx.corpus.documents import word_for
    from longctx.vocabulary.bank import Section

    model, document = load_model(options.workspace, options.model), word_for(options.workspace, options.corpus)
    wording = PromptSet.open(options.workspace, options.prompts).wording(Writing, document)
    room = options.max_tokens or TOKENS_A_QUESTION * options.per_section
    return [
        Cell(
            model,
            wording,
            Writing(options.per_section, max_tokens=room, section=Section(section.id, section.text, section.tokens)),
            seed=0,
            trials=1,
        )
        for section in corpus.sections[: options.limit]
    ]


def _read(tape: Tape, cells: Sequence[Cell]) -> list[Written]:
    """Return what was written about each section that has an answer on the tape. Raises TapeError."""
    from longctx.authoring.writing import Writing
    from longctx.authoring.written import read_reply
    from longctx.recording.request import Place

    written = []
    for cell in cells:
        assert isinstance(cell.point, Writing)
        [trial] = cell.each_trial()
        if answer := tape.reply(Place.of(trial, trial.build())):
            provenance = (
                f"written by {cell.model.model}, prompts {cell.wording.prompt_set} ({cell.wording.digest}), "
                f"recorded {answer.recorded_at[:10]}"
            )
            point, document = cell.point, cell.wording.document
            written.append(read_reply(point.section.id, answer, point.per_section, provenance, document))
    return written


def _how_to_record(tape: Tape, cells: Sequence[Cell]) -> str:
    from longctx.recording.request import Place

    statuses = {tape.status(Place.of(trial, trial.build())) for cell in cells for trial in cell.each_trial()}
    server = "(and --base-url URL for your own server)"
    if "stale" in statuses:
        return (
            "The prompt or the request changed since they were recorded: record again with --record new_episodes "
            f"{server}."
        )
    return f"Record with --record once {server}."


def _table(
    written: Sequence[Written], sections: int, per_section: int, findings: Sequence[Finding], files: WrittenFiles
) -> str:
    """Return the numbers of sections, questions, parts of replies and faults as a table in text."""
    from tabulate import tabulate

    trials = [trial for batch in written for trial in batch.questions]
    dropped = Counter(drop.reason for batch in written for drop in batch.dropped)
    faults = Counter(finding.kind for finding in findings)
    rows: list[tuple[str, int, object]] = [
        ("sections", sections, ""),
        ("answered", len(written), ""),
        ("questions requested", per_section * len(written), ""),
        ("questions written", len(trials), files.questions if trials else ""),
        ("  numerical", sum(trial.numerical for trial in trials), ""),
        ("questions missing from the replies", sum(batch.missing for batch in written), ""),
        ("parts of replies dropped", dropped.total(), files.dropped if dropped else ""),
        *((f"  {reason}", count, "") for reason, count in dropped.most_common()),
        *([("faults found", len(findings), "listed by questions check" if findings else "")] if trials else []),
        *((f"  {kind}", count, "") for kind, count in faults.most_common()),
    ]
    return tabulate(rows, tablefmt="plain", intfmt=",", preserve_whitespace=True)


def _unusable(written: Sequence[Written], files: WrittenFiles, room: int) -> str:
    """Return sentences on what to do if no reply could be used. room: max_tokens of a reply."""
    from longctx.authoring.unreadable import excerpt

    dropped = [drop for batch in written for drop in batch.dropped]
    helps = ["another model", "another wording (--prompts DIR, with your own writing/)"]
    if any(drop.reason == "cut off" for drop in dropped):
        helps.insert(0, f"a longer reply (--max-tokens, {room} now)")
    return (
        f"{files.questions} was not written: no reply is usable. They are in {files.dropped}; "
        f"the first: “{excerpt(dropped[0].raw)}”\nFix: {'; '.join(helps)}. Record again with --record new_episodes."
    )
