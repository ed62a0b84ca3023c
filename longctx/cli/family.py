"""`family new` writes a family to start from; `family check` holds families against what each of them must do."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared.output import say
from longctx.errors import UserError, did_you_mean
from longctx.files import write_file
from longctx.links import inside
from longctx.registry import SETTING
from longctx.vocabulary.scenario import Reply, Scenario, Words

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.engine.run import Run

TRIALS = 3
"""The trials of each scenario that are checked."""
FACTOR = 2.0
"""By how much the estimate of a prompt's tokens may differ from its characters divided by four."""
FORMS = "{}", "<Answer>{}</Answer>", "Final Answer: [{}]"
"""How an expected answer is given: alone, or as multiple choice and graph walks ask for it."""
SMALL = 200
"""The tokens below which sizes are not compared."""
PROMPTS = {
    "sentence": "The river is calm, and the boats lie in the harbour.",
    "needle": "The number of the boat that leaves tonight is {number}.",
    "question": "What is the number of the boat that leaves tonight? Answer with the number alone.",
}
TEST = '''"""The profile's [{name}] tables give the grid."""

import pytest

from {name} import {scenario}


@pytest.mark.longctx(family={scenario})
def test_{name}(scenario, measure):
    measure(scenario)
'''
PROFILE = """about = "{title}, small."

[{name}]
sentences = [20, 100]
trials = 20
"""
PROBE = """
import hashlib, sys
from longctx import Run
from longctx.cli.family import fitted
run = Run(profile=sys.argv[1], model=sys.argv[2], root=sys.argv[3])
for case in run.plan.cases_of(sys.argv[4]):
    for index in list(case.scenario.indices(case.trials))[:int(sys.argv[5])]:
        trial = fitted(case.scenario, case.wording.words).build(case.wording.words, case.seed, index)
        print(hashlib.sha256(f"{trial.system}\\0{trial.user}\\0{trial.expected}".encode()).hexdigest())
"""
"""A program that prints the digests of trials as another process builds them."""


def add(commands: Any) -> None:
    parser = commands.add_parser("family", help="a family of your own: write one to start from, or check it")
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    new = tasks.add_parser(
        "new",
        help="write a family to start from",
        description="Writes the module, the prompts, a test and a profile. Never overwrites existing files.",
    )
    new.add_argument("name", metavar="NAME", help="lower-case letters, digits and underscores: boat_numbers")
    new.set_defaults(run=run_new, passes_on=False)
    check = tasks.add_parser(
        "check",
        help="check that a family does what every family must do",
        description="Builds trials of the profile's tables: they must be the same in another process, be judged "
        "correct by their own expected answer and not by another, keep their names, and be of about the estimated "
        "size. Exit status 1 if one is not.",
    )
    check.add_argument("name", metavar="NAME", help="the family")
    check.add_argument("--profile", metavar="NAME", help="the profile with its tables (default: the project's)")
    check.set_defaults(run=run_check, passes_on=False)


def run_new(options: argparse.Namespace, _: list[str]) -> int:
    name, root = options.name, options.workspace.root
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise UserError(
            "bad-family-name",
            f"{name!r} is not a valid name for a family: use lower-case letters, digits and underscores.",
        )
    words = name.split("_")
    scenario = "".join(word.capitalize() for word in words)
    fields = {"name": name, "scenario": scenario, "grid": f"{scenario}Grid", "title": " ".join(words).capitalize()}
    template = (Path(__file__).parent / "family_template.txt").read_text(encoding="utf-8")
    files = {
        f"{name}.py": template.format(**fields),
        **{f"fixtures/prompts/protocol/{name}/{part}.txt": f"{text}\n" for part, text in PROMPTS.items()},
        f"tests_longctx/test_{name}.py": TEST.format(**fields),
        f"fixtures/profiles/{name}.toml": PROFILE.format(**fields),
    }
    if existing := next((file for file in files if (root / file).exists()), None):
        raise UserError("file-exists", f"{root / existing} already exists: choose another name for the family.")
    for file, text in files.items():
        inside(root / file, root)
        write_file(root / file, functools.partial(Path.write_text, data=text, encoding="utf-8"))
        say(f"{file}: written")
    say(
        f"Next: name it in pytest.ini ({SETTING} = {name}:FAMILY, and pythonpath = .), then\n"
        f"  longctx family check {name} --profile {name}\n"
        f"  pytest tests_longctx/test_{name}.py --ctx-profile={name} --ctx-model=NAME --ctx-estimate"
    )
    return 0


def run_check(options: argparse.Namespace, _: list[str]) -> int:
    from longctx.engine.run import Run

    run = Run(options.profile, "a-model", root=options.workspace.root)
    if options.name not in run.plan.families:
        raise UserError(
            "unknown-family",
            f"There is no family {options.name!r}. {did_you_mean(options.name, list(run.plan.families))}",
        )
    cases = run.plan.cases_of(options.name)
    if not cases:
        raise UserError(
            "family-without-table",
            f"The profile {run.plan.profile_name!r} has no [{options.name}] table, whose scenarios are checked: add "
            "one.",
        )
    found = [*(fault for case in cases for fault in faults(case)), *_not_pure(run, options.name)]
    for fault in found:
        say(fault)
    trials = sum(min(TRIALS, case.size) for case in cases)
    say(f"{options.name}: {len(cases):,} scenarios, {trials:,} trials checked, {len(found):,} faults.")
    return 1 if found else 0


def faults(case: Case) -> Iterator[str]:
    """Yield a sentence on each thing that a scenario does not do as it must."""
    scenario, words = case.scenario, case.wording.words
    try:
        given = {field.name: getattr(scenario, field.name) for field in dataclasses.fields(scenario) if field.kw_only}
        if type(scenario).from_slug(scenario.slug, **given).params != scenario.params:
            yield f"{scenario.slug}: its name does not give its parameters back."
    except ValueError as error:
        yield f"{scenario.slug}: its name cannot be read back: {error}"
    scenario = fitted(scenario, words)
    trials = [scenario.build(words, case.seed, index) for index in list(scenario.indices(case.trials))[:TRIALS]]
    for number, trial in enumerate(trials):
        again = scenario.build(words, case.seed, scenario.indices(case.trials)[number])
        if dataclasses.replace(again, facts=None) != dataclasses.replace(trial, facts=None):  # facts may lack an ==
            yield f"{scenario.slug}, trial {number}: it is not the same when it is built again."
        judged = [scenario.judge(trial, _reply(form.format(trial.expected))).kind for form in FORMS]
        if "correct" not in judged:
            yield f"{scenario.slug}, trial {number}: its own expected answer {trial.expected!r} is judged {judged[0]}."
        if scenario.judge(trial, _reply("")).kind == "correct":
            yield f"{scenario.slug}, trial {number}: an empty reply is judged correct."
        if not 0 <= trial.depth <= 1:
            yield f"{scenario.slug}, trial {number}: its depth {trial.depth} is not between 0 and 1."
        estimated, seen = scenario.size_tokens(case.model.tokens.model_dump()), len(trial.user) / 4
        if seen > SMALL and not 1 / FACTOR <= estimated / seen <= FACTOR:
            yield f"{scenario.slug}: size_tokens says {estimated:,}, and a prompt has about {seen:,.0f} tokens."
    if len({trial.user for trial in trials}) < len(trials):
        yield f"{scenario.slug}: two of its trials ask the same."


def fitted(scenario: Scenario, words: Words) -> Scenario:
    """Return a scenario fitted to a tokenizer of four characters a token, if its family counts a model's tokens."""
    texts = type(scenario).probes(words)
    if not texts:
        return scenario
    return scenario.fit(type(scenario).token_values({name: len(text) // 4 for name, text in texts.items()}))


def _not_pure(run: Run, family: str) -> Iterator[str]:
    """Yield a sentence if another process builds other trials."""
    arguments = [run.plan.profile_name, "a-model", str(run.workspace.root), family, str(TRIALS)]
    seen = {
        subprocess.run(  # noqa: S603  # Python itself, on the user's own family
            [sys.executable, "-c", PROBE, *arguments],
            capture_output=True,
            text=True,
            check=True,
            cwd=run.workspace.root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ).stdout
        for seed in ("1", "2")
    }
    if len(seen) > 1:
        yield "Two processes build other trials: take everything random from self.stream, and iterate over no set."


def _reply(text: str) -> Reply:
    return Reply(text, "end_turn", "a-model", input_tokens=10)
