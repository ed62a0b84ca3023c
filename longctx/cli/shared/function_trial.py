"""What a trial of a test function sends: pytest runs the function until it lacks a reply."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from longctx.config.models import as_lines
from longctx.errors import UserError, did_you_mean
from longctx.recording.trials import Exchange
from longctx.visible import visible
from longctx.vocabulary.shapes import as_shown

if TYPE_CHECKING:
    from longctx.engine.function_runs import ShowingRun
    from longctx.functions.measure import FunctionTrial, Lacking, Result

NEWLINE = "\n"
ANY = "any-model"
"""Stands for the model if none is named: most prompts do not depend on it."""


def show(options: argparse.Namespace) -> None:
    """Print the requests of the trial that the options name, and their recorded replies. Raises UserError."""
    test, _, rest = options.cell.partition("/")
    slug, _, trial = rest.partition("#")
    showing = _run(options, test, slug, trial or "0")
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
    _print(*showing.shown)


def _run(options: argparse.Namespace, test: str, slug: str, trial: str) -> ShowingRun:
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
        SelectedTests(run, [f"-k={test}"]).show(showing)
        if showing.slugs:
            break
    return showing


def _print(trial: FunctionTrial, result: Result) -> None:
    from longctx.functions.measure import reply_text
    from longctx.recording.apis import api_at, messages

    case = trial.case
    print(f"# trial: {trial.trial.identity}")
    print(f"# model: {case.model.model}")
    before: list[Any] = []
    issued: list[Exchange | Lacking] = [*trial.exchanges, *trial.lacking]
    for number, each in enumerate(issued, start=1):
        api = api_at(each.wanted.path) or messages
        request = api.as_request(each.body)
        turns = list(request["messages"])
        goes_on = bool(before) and turns[: len(before)] == before
        print(f"\n# request {number}{'' if each.model == case.model else f', to {each.model.model}'}")
        facts = {
            "max_tokens": api.most_tokens(each.body),
            "headers": as_lines(each.model.treatments).replace("\n", "; ") or None,
            "sha256 of the request": each.wanted.sha256,
        }
        for name, value in facts.items():
            if value is not None:
                print(f"# {name}: {value}")
        if (system := request.get("system")) and not goes_on:
            _part("system", as_shown(system))
        for turn in turns[len(before) :] if goes_on else turns:
            _part(turn["role"], as_shown(turn["content"]))
        before = turns
        if isinstance(each, Exchange):
            _part("reply", reply_text(each) if each.reply else f"{each.message}")
    print(f"\n# outcome: {visible(_outcome(result), keep=NEWLINE)}")


def _part(name: str, text: str) -> None:
    print(f"\n# {name}\n{visible(text, keep=NEWLINE)}")


def _outcome(result: Result) -> str:
    if result.kind == "suspended":
        return "none yet, since the last reply is not recorded"
    return f"{result.kind}{f': {result.why}' if result.why else ''}"
