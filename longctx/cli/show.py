"""`show`: the exact prompt of a trial, before a cent is spent."""

from __future__ import annotations

import argparse
import re
from typing import Any

from longctx.ask.case import Case, Question
from longctx.ask.request import digest, request_body
from longctx.config.models import load_model
from longctx.config.prompts import PromptSet
from longctx.corpus.bank import load_bank
from longctx.errors import UserError
from longctx.scenarios import FAMILIES, Collage, Control


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="print the prompt of a trial",
        description="Prints what a model would be sent. SCENARIO[#TRIAL] is like line_retrieval/lines-20#3 "
        "or passkey/window-4096-k-1024; trials count from 0.",
    )
    parser.add_argument("scenario", metavar="SCENARIO[#TRIAL]")
    parser.add_argument("--model", default=None, metavar="NAME", help="needed where the prompt depends on the model")
    parser.add_argument("--prompts", default="seed", metavar="DIR", help="prompt set (default: seed)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the trials (default: 0)")
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    question = find(options.scenario, options.model, options.prompts, options.seed)
    trial = question.build()
    model = question.case.model
    facts = {
        "trial": trial.identity,
        "expected": trial.expected,
        "depth": f"{trial.depth:.3f}",
        "tokens from the needle to the end": trial.distance_from_end,
        **trial.recorded,
        "about, in tokens": f"{question.case.size_tokens:,}",
        "max_tokens": trial.max_tokens,
        "sha256 of the request": digest(request_body(trial, model)) if options.model else None,
    }
    for name, value in facts.items():
        if value is not None:
            print(f"# {name}: {value}")
    if trial.system:
        print(f"\n# system\n{trial.system}")
    print(f"\n# user\n{trial.user}")
    return 0


def find(name: str, model: str | None, prompts: str, seed: int) -> Question:
    """The question that SCENARIO[#TRIAL] means. Raises UserError."""
    match = re.fullmatch(r"(\w+)/([\w.-]+)(?:#(\d+))?", name)
    if match is None or match[1] not in FAMILIES:
        raise UserError(
            f"{name!r} is no scenario: write FAMILY/PARAMETERS[#TRIAL], like line_retrieval/lines-20-block_size-5#3. "
            f"The families are {', '.join(FAMILIES)}."
        )
    family = FAMILIES[match[1]]
    given = {"bank": lambda: load_bank(None, None, model or "")} if family in (Collage, Control) else {}
    try:
        scenario = family.from_slug(match[2], **given)
    except ValueError as error:
        raise UserError(f"{name!r}: {error}") from None
    wording = PromptSet.open(prompts).wording(family)
    if model is None and family.probes(wording.words):
        raise UserError(f"{name!r} depends on the model's tokenizer: say which model with --model NAME.")
    index = int(match[3] or 0)
    case = Case(load_model(model or "any-model"), wording, scenario, seed, trials=1, only_trial=index)
    return Question(case.fitted(), index)
