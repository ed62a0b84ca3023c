"""`show`: print the exact prompt of a trial, and what a run measured of it."""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from longctx.cells.cell import Cell, Trial
from longctx.cli.shared_options import add_bank_name, declare
from longctx.config.models import header_lines, load_model
from longctx.config.prompts import PromptSet
from longctx.corpus.documents import word_for
from longctx.corpus.question_bank import load_bank
from longctx.errors import UserError, did_you_mean
from longctx.recording.request import digest_of, request_body
from longctx.recording.trials import Exchange
from longctx.registry import known_protocols
from longctx.results import trial_of_run
from longctx.text import count, visible
from longctx.vocabulary.point import PROTOCOL, name_of_test
from longctx.vocabulary.shapes import SHAPES, TEXT, Shape, as_shown
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.engine.function_runs import ShowingRun
    from longctx.functions.measure import Result
    from longctx.functions.trial import FunctionTrial
    from longctx.recording.request import Request

CELL = re.compile(r"(\w+)/([\w.+-]+)(?:#([\w.:@+-]+))?")
LIKE = "Write PROTOCOL/PARAMETERS[#TRIAL], such as line_retrieval/lines-20-block_size-5#3."
"""How people name a trial: TEST/PARAMETERS#TRIAL."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="print the prompt of a trial",
        description="Prints the requests of a trial, and with --run its answers. CELL[#TRIAL] is like "
        "line_retrieval/lines-20#3, passkey/window-4096-k-1024 or test_refund_code/tokens-2000#3; trials count from 0, "
        "and a case is named by its id. A test function is run by pytest until a reply is not recorded. With RUN, its "
        "conversation, checks and reply are printed.",
    )
    parser.add_argument("run_folder", type=Path, nargs="?", metavar="RUN", help="the same as --run RUN")
    parser.add_argument(
        "cell", metavar="CELL[#TRIAL]", nargs="?", default="", help="what to show; trial 0 if none is given"
    )
    parser.add_argument(
        "--orphans",
        action="store_true",
        help="list the recordings that no test of the project uses under any of its profiles, with their sizes, "
        "without deleting any",
    )
    parser.add_argument("--model", default=None, metavar="NAME", help="model (required if the prompt depends on it)")
    parser.add_argument("--prompts", default=None, metavar="NAME", help="prompt set (default: protocol, or RUN's)")
    parser.add_argument(
        "--shape", choices=SHAPES, default=None, metavar="NAME", help="shape of the request (default: text, or RUN's)"
    )
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="seed of the trials (default: 0, or RUN's)")
    parser.add_argument(
        "--run",
        type=Path,
        default=None,
        dest="folder",
        metavar="RUN",
        help="also print this run's result for the trial",
    )
    declare(parser, "corpus", "questions")
    add_bank_name(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.orphans:
        _print_orphans(options.workspace)
        return 0
    if not options.cell:
        options.cell, options.run_folder = str(options.run_folder or ""), None
    if not options.cell:
        raise UserError("nothing-to-show", "Name a CELL[#TRIAL] to show, or use --orphans.")
    if None not in (options.folder, options.run_folder):
        raise UserError("two-runs-to-show", "Two runs are named, one of them by --run: keep one.")
    options.folder = options.folder or options.run_folder
    if options.folder is not None:
        return _run_with(options)
    if _is_of_function(options):
        show_function(options)
        return 0
    shape = options.shape or TEXT
    _print(_find(options, options.model, options.prompts or PROTOCOL, options.seed or 0, shape), options.model)
    return 0


def _is_of_function(options: argparse.Namespace) -> bool:
    """Return whether a trial of a test function is to be shown, by its name."""
    match = CELL.fullmatch(options.cell)
    return match is not None and match[1].startswith("test_") and match[1] not in known_protocols(options.workspace)


def _print_orphans(workspace: Workspace) -> None:
    """Print the recordings that no test asks for."""
    from longctx.plugin.selected_tests import orphans

    rows: list[tuple[str, str, str, str]] = []
    total = 0
    for path, why in orphans(workspace):
        content = path.read_bytes()
        total += len(content)
        rows.append((str(path.relative_to(workspace.root)), f"{len(content.splitlines()):,}", f"{len(content):,}", why))
    if not rows:
        print("A test of the project uses every recording.")
        return
    print(tabulate(rows, headers=["recordings", "answers", "bytes", "why"], disable_numparse=True))
    print(
        f"{count(len(rows), 'file')} of {total:,} bytes. Options such as --ctx-shape may still use some of them: check "
        "before you delete any."
    )


def _run_with(options: argparse.Namespace) -> int:
    """Print what a run measured of the trial, then the prompt if it can be built again."""
    models = {options.model, load_model(options.workspace, options.model).model} if options.model else set()
    prompt_set = Path(options.prompts).resolve().name if options.prompts else None
    replies = trial_of_run.find_trial(options.folder, options.cell, models, prompt_set, options.seed, options.shape)
    declared = name_of_test(replies[0][0].test) in known_protocols(options.workspace)
    for row_and_reply in replies:
        print("\n".join(trial_of_run.trial_lines(row_and_reply, excerpts=not declared)), end="\n\n")
    if not declared:  # what it sends is known only when it runs
        return 0
    wordings = {(row.prompt_set, row.seed, row.shape) for row, _ in replies}
    models_asked = {row.model for row, _ in replies}
    if len(wordings) > 1:
        print("# prompt: they differ in prompts, shapes or seeds: select one with --prompts, --shape or --seed.")
        return 0
    [(prompts, seed, shape)] = wordings
    model = options.model or (models_asked.pop() if len(models_asked) == 1 else None)
    try:
        trial = _find(options, model, options.prompts or prompts, seed, shape)
        built = trial.build()
    except UserError as error:
        print(f"# prompt: {error}")
        return 0
    now = digest_of(built, trial.cell.model)
    if model and any(row.prompt_sha256 not in (None, now) for row, _ in replies):
        print("# prompt: not exactly as sent: prompts, documents, max_tokens or model profile differ from the run's.")
    _print(trial, model)
    return 0


def _print(trial: Trial, model: str | None) -> None:
    built = trial.build()
    facts = {
        "trial": built.identity,
        "expected": built.expected,
        "depth": f"{built.depth:.3f}",
        "tokens from the needle to the end": built.distance_from_end,
        **built.recorded,
        **trial.cell.point.items.facts,
        "about, in tokens": f"{trial.cell.size_tokens:,}",
        "max_tokens, unless a profile sets it": trial.cell.reply_tokens,
        "headers": header_lines(trial.cell.model.treatments).replace("\n", "; ") or None,
        "sha256 of that request": digest_of(built, trial.cell.model) if model else None,
    }
    for name, value in facts.items():
        if value is not None:
            print(f"# {name}: {value}")
    if system := trial.cell.model.system_prompt(built.system):
        print(f"\n# system\n{system}")
    *turns, last = request_body(built, trial.cell.model)["messages"]
    for turn in [*turns, last]:
        is_prefill = turn is last and turn["role"] == "assistant"
        print(f"\n# {'prefill' if is_prefill else turn['role']}\n{as_shown(turn['content'])}")


def _find(options: argparse.Namespace, model: str | None, prompts: str, seed: int, shape: Shape) -> Trial:
    """Return the question that CELL[#TRIAL] names. Raises UserError."""
    name = options.cell
    match = CELL.fullmatch(name)
    known = known_protocols(options.workspace)
    if match is None or match[1] not in known:
        if Path(name).is_dir():
            raise UserError("no-cell-given", f"{name} is a folder: add a trial of its run. {LIKE}")
        raise UserError(
            "not-a-cell",
            f"{name!r} is not a trial of a protocol. {LIKE} {did_you_mean(name.partition('/')[0], [*known])} For a "
            f"trial of your own test, also name the run that measured it, as in longctx show reports/latest {name}.",
        )
    test = known[match[1]].cell
    documents = {}
    if known[match[1]].documents:
        documents["bank"] = functools.partial(
            load_bank, options.workspace, options.corpus, options.questions, model or "", options.bank
        )
    try:
        point = test.from_slug(match[2], **documents)
    except ValueError as error:
        raise UserError("bad-cell-parameters", f"{name!r}: {error}") from None
    document = word_for(options.workspace, options.corpus, options.bank)
    wording = PromptSet.open(options.workspace, prompts).wording(test, document)
    if model is None and test.declared.counts:
        raise UserError(
            "tokenizer-unknown", f"{name!r} depends on the model's tokenizer: name the model with --model NAME."
        )
    built = match[3] or "0"
    cell = Cell(
        load_model(options.workspace, model or "any-model"),
        wording,
        point,
        seed,
        trials=1,
        only_trial=built,
        shape=shape,
    )
    fitted = cell.fitted()
    return Trial(fitted, fitted.point.index_of(built))


NEWLINE = "\n"
ANY = "any-model"
"""Stands for the model if none is named: most prompts do not depend on it."""


def show_function(options: argparse.Namespace) -> None:
    """Print the requests of the trial that the options name, and their recorded replies. Raises UserError."""
    test, _, rest = options.cell.partition("/")
    slug, _, trial = rest.partition("#")
    showing = _run_function(options, test, slug, trial or "0")
    if not showing.slugs:
        raise UserError(
            "no-such-test",
            f"No test function {test!r} was found in the project's tests, or its profile leaves it out: "
            "look for it with pytest --collect-only.",
        )
    if slug not in showing.slugs:
        raise UserError(
            "no-such-cell", f"{test} has no cell {slug!r}. {did_you_mean(slug, list(dict.fromkeys(showing.slugs)))}"
        )
    if showing.shown is None:
        assert showing.mistake is not None
        raise showing.mistake
    _print_function(*showing.shown)


def _run_function(options: argparse.Namespace, test: str, slug: str, trial: str) -> ShowingRun:
    """Run the trial, under the project's profile if that has the test."""
    from longctx.engine.function_runs import ShowingRun
    from longctx.engine.run import Run
    from longctx.plugin.selected_tests import SelectedTests

    model = options.model or ()
    profiles: list[Mapping[str, Any] | None] = [None, {"models": [model or ANY]}]
    for profile in profiles:
        given: dict[str, Any] = {"seed": options.seed, "only_trial": trial}
        given |= {"shapes": (options.shape,)} if options.shape else {}
        run = Run(profile, model, options.prompts or (), root=options.workspace.root, **given)
        if profile is None and not (run.plan.own and (model or run.plan.own.models)):
            continue
        showing = ShowingRun(run.tape(), slug)
        SelectedTests(run, [f"-k={test}"]).run_functions(showing)
        if showing.slugs:
            break
    return showing


def _print_function(trial: FunctionTrial, result: Result) -> None:
    from longctx.functions.measure import answer_text
    from longctx.recording.apis import api_at, messages

    cell = trial.cell
    print(f"# trial: {trial.trial.identity}")
    print(f"# model: {cell.model.model}")
    before: list[Any] = []
    issued: list[Exchange | Request] = [*trial.exchanges, *trial.unanswered]
    for number, each in enumerate(issued, start=1):
        api = api_at(each.place.path) or messages
        request = api.as_request(each.body)
        turns = list(request["messages"])
        goes_on = bool(before) and turns[: len(before)] == before
        print(f"\n# request {number}{'' if each.model == cell.model else f', to {each.model.model}'}")
        facts = {
            "max_tokens": api.most_tokens(each.body),
            "headers": header_lines(each.model.treatments).replace("\n", "; ") or None,
            "sha256 of the request": each.place.sha256,
        }
        for name, value in facts.items():
            if value is not None:
                print(f"# {name}: {value}")
        if (system := request.get("system")) and not goes_on:
            _print_part("system", as_shown(system))
        for turn in turns[len(before) :] if goes_on else turns:
            _print_part(turn["role"], as_shown(turn["content"]))
        before = turns
        if isinstance(each, Exchange):
            _print_part("reply", answer_text(each.answer) if each.answer else f"{each.message}")
    print(f"\n# outcome: {visible(_outcome_of_function(result), keep=NEWLINE)}")


def _print_part(name: str, text: str) -> None:
    print(f"\n# {name}\n{visible(text, keep=NEWLINE)}")


def _outcome_of_function(result: Result) -> str:
    if result.kind == "suspended":
        return "none yet, since the last reply is not recorded"
    return f"{result.kind}{f': {result.why}' if result.why else ''}"
