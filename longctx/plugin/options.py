"""The plugin's command-line options, and their values as typed settings."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longctx.config.arguments import RECORD_MODES, add_gate_options, add_no_looks, number, one_of, price, share
from longctx.config.project import TERMS, fill_in, project_settings
from longctx.config.shards import shard
from longctx.engine.settings import Settings
from longctx.errors import BadValue, closest
from longctx.gate.defaults import DEFAULT_CAP, GATE_DEFAULTS, MARGIN
from longctx.links import inside
from longctx.plugin.session import session_of
from longctx.vocabulary.shapes import SHAPES
from longctx.workspace import Workspace

DEFAULT = Settings()
OFF = ("", "0", "false", "no", "off")
"""What an environment variable holds that turns something off."""
ALSO = ("--ctx-record-mode", "--ctx-project-tests")
MARKERS = (
    "longctx(trials, **arguments): the function is run once per trial, and asks a model. The profile's table with the "
    """function's name replaces these arguments:
    trials=60: how many items are drawn, or how many of the cases are asked; a dict gives the number for each band
    cases="cases.jsonl": a file with one item per line, in JSON, instead of drawn items
    id_field="_id": the field of the cases that identifies each, instead of id
    cluster="document": the field of the cases that names what items share
    same_context=True: the cases of a cell begin alike, and share the prompt cache
    share=4: how many drawn items, one after another, share what draw.shared() draws
    repeats=3: how often each item is asked
    models=["NAME"]: the models to measure
    prompts=["NAME"]: prompt sets, by name or path
    shapes=["text"]: the shapes in which ask(context, question) asks
    strategies=["none"]: the strategies of context management under which a transcript is asked about
    min_rate=0.9: a cell whose rate is significantly lower fails
    guessing=0.5: the rate that guessing reaches, above which a baseline must be
    bands={"short": 4000}: the gate's bands, each with the largest length in it
    gated=False: leaves the function out of the gate
    version=2: raise it whenever the test draws other items
    allowed_hosts=["db.example:5432"]: the hosts that the code under test may connect to
    axes=Lines: a pydantic model whose `cells` yields the test's parameters; its fields are entries of the table""",
)
"""What `pytest --markers` prints of the marker."""
CONCURRENCY = 4
"""The most requests that are in flight at once by default."""
OF_PYPROJECT = "{} in [tool.longctx] of pyproject.toml"
DEPRECATED: dict[str, tuple[dict[str, Any], str]] = {
    "--ctx-in-flight": (
        {"dest": "ctx_concurrency", "type": number(int, 1), "default": argparse.SUPPRESS},
        "--ctx-concurrency",
    ),
    "--ctx-trial": (
        {"dest": "ctx_only", "type": lambda text: _trial(text), "default": argparse.SUPPRESS},
        "--ctx-only",
    ),
    "--ctx-corpus": ({"type": Path, "default": None}, OF_PYPROJECT.format("corpus")),
    "--ctx-questions": ({"type": Path, "default": None}, OF_PYPROJECT.format("questions")),
    "--ctx-seed": ({"type": number(int, 0), "default": None}, "seed in the profile"),
    "--ctx-min-rate": ({"type": number(float, 0, 1), "default": None}, "min_rate in the profile's table or the marker"),
    "--ctx-no-lock": ({"action": "store_true"}, OF_PYPROJECT.format("lock = false")),
    "--ctx-no-page": (
        {"action": "store_true"},
        f"LONGCTX_PAGE=0 in the environment, or {OF_PYPROJECT.format('page = false')}",
    ),
    "--ctx-ask-only": ({"action": "store_true"}, "LONGCTX_RECORD_ONLY=1 in the environment"),
    "--ctx-no-canary": ({"action": "store_true"}, OF_PYPROJECT.format("trial_run = false")),
    "--ctx-price": ({"action": "append", "type": price, "default": []}, "[prices] in the model's profile"),
    "--ctx-no-text": (
        {"action": "store_true"},
        f"LONGCTX_TEXT=0 in the environment, or {OF_PYPROJECT.format('text = false')}",
    ),
    "--ctx-base": ({"default": None}, "LONGCTX_BASE in the environment"),
    "--ctx-trust": ({"choices": ("all", "base"), "default": "all"}, "LONGCTX_TRUST in the environment"),
    "--ctx-margin": ({"type": share(), "default": None}, "margin in the profile"),
    "--ctx-alpha": ({"type": share(), "default": DEFAULT.alpha}, OF_PYPROJECT.format("alpha")),
    "--ctx-max-age": ({"type": number(float, 0), "default": DEFAULT.max_age}, OF_PYPROJECT.format("max_age")),
    "--ctx-no-looks": ({"action": "store_true"}, 'looks = "once" in the profile'),
    "--ctx-batch-wait": ({"type": number(float, 0), "default": None}, OF_PYPROJECT.format("batch_wait")),
}
"""The options of the version before, which still work in this one, with what replaces each."""
REMOVED = {"--ctx-early-stop": "a gate that asks stops early by default, and --ctx-no-looks turns that off"}
"""The options of earlier versions, and what to use in their place."""


def add(parser: pytest.Parser | _Names) -> None:
    parser.addini(
        "longctx_protocols",
        "modules of this project with protocols, functions that are declared by @longctx.protocol",
        type="args",
        default=[],
    )
    parser.addini(
        "longctx_families",
        "replaced by longctx_protocols",
        type="args",
        default=[],
    )
    parser.addini(
        "longctx_allowed_hosts",
        "hosts that marked tests may connect to beside this machine, such as db.example.com or *.example.com:443",
        type="args",
        default=[],
    )
    parser.addini(
        "longctx_parquet",
        "also write the rows of a run as results.parquet, which needs pyarrow",
        type="bool",
        default=False,
    )
    group = parser.getgroup("longctx", "longctx")
    option = group.addoption
    option(
        "--ctx-model",
        action="append",
        default=[],
        metavar="NAME",
        help="model to measure, instead of the profile's (repeatable)",
    )
    option(
        "--ctx-profile",
        default=None,
        metavar="NAME",
        help="what is run: a file in fixtures/profiles/ or a path (default: recorded, or the project's only one)",
    )
    option(
        "--ctx-prompts",
        action="append",
        default=[],
        metavar="DIR",
        help="prompt set: a folder in fixtures/prompts/ or a path, instead of the profile's (repeatable, to compare)",
    )
    option(
        "--ctx-shape",
        action="append",
        choices=SHAPES,
        default=[],
        metavar="NAME",
        help=f"shape of the requests, instead of the profile's: {', '.join(SHAPES)} (repeatable, to compare)",
    )
    option(
        "--ctx-strategy",
        action="append",
        default=[],
        metavar="NAME",
        help="context-management strategy for test functions that ask about a transcript, instead of the profile's: "
        "none, truncate, clear_tool_uses, compact or summary, some with -NUMBER after it, or a Python file of your own "
        "(repeatable, to compare)",
    )
    option(
        "--ctx-trials",
        type=number(int, 1),
        default=None,
        metavar="N",
        help="trials per cell, instead of the profile's",
    )
    option(
        "--ctx-only",
        type=_trial,
        default=None,
        metavar="ID",
        help="only this trial of each cell, by its name in reports: its number, from 0, or the id of its question "
        "or case (longctx show SCENARIO#ID prints it)",
    )
    option("--ctx-repeats", type=number(int, 1), default=1, metavar="N", help="repetitions of each trial (default: 1)")
    option(
        "--ctx-label",
        action="append",
        type=_label,
        default=[],
        metavar="NAME=VALUE",
        help="attach a label to this run, such as steps=200; it is stored with every row (repeatable)",
    )
    option(
        "--ctx-record",
        "--ctx-record-mode",
        dest="ctx_record",
        choices=RECORD_MODES,
        default="none",
        help="none: replay only (default). once: send the requests of trials without a recording. new_episodes: also "
        "of those with only a stale one. all: re-record everything",
    )
    option(
        "--ctx-base-url", default=None, metavar="URL", help="server that speaks the Messages API (default: the SDK's)"
    )
    option(
        "--ctx-concurrency",
        type=number(int, 1),
        default=CONCURRENCY,
        metavar="N",
        help=f"maximum number of concurrent requests (default: {CONCURRENCY})",
    )
    option(
        "--ctx-max-cost",
        type=number(float, 0),
        default=None,
        metavar="USD",
        help=f"spending cap in USD (default: max_cost of the profile, or {DEFAULT_CAP:g} if a model has prices)",
    )
    option(
        "--ctx-estimate",
        action="store_true",
        help="print the number of requests and their estimated cost, then exit",
    )
    option(
        "--ctx-baseline",
        default=None,
        metavar="NAME",
        help="give a verdict on this run against an earlier one: a file of fixtures/baselines/, a path, or a run's "
        "folder. Exit status: 12 invalid, 10 regression, 11 inconclusive",
    )
    option(
        "--ctx-save-baseline",
        default=None,
        metavar="NAME",
        help="save this run as a new baseline, as longctx baseline save does",
    )
    option(
        "--ctx-on-inconclusive",
        choices=("pass", "fail"),
        default="fail",
        help="exit status of an inconclusive gate: fail = 11 (default), pass = 0",
    )
    option(
        "--ctx-batch",
        action="store_true",
        help="with --ctx-record: send requests through the Message Batches API, at its price; no request is sent twice",
    )
    option(
        "--ctx-shard",
        type=shard,
        default=None,
        metavar="I/N",
        help="run one part of the cells, such as 2/5, in a job of a matrix; longctx merge joins the parts, tests the "
        "minimum rates, and gives the verdict",
    )
    option(
        "--ctx-report",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder for this run's rows and summary (default: reports/<time>)",
    )
    for name, (settings, _) in DEPRECATED.items():
        option(name, **settings, help=argparse.SUPPRESS)
    option("--ctx-project-tests", action="store_true", help=argparse.SUPPRESS)  # for the commands that run tests


class _Names:
    """Collects the names of options, in the place of pytest's parser."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def addini(self, name: str, help: str, **_: Any) -> None:
        """Ignore a setting."""

    def getgroup(self, name: str, description: str) -> _Names:
        return self

    def addoption(self, name: str, *_: str, **settings: Any) -> None:
        if settings.get("help") is not argparse.SUPPRESS:
            self.names.append(name)


@functools.cache
def names() -> tuple[str, ...]:
    """Return the names of the options."""
    collected = _Names()
    add(collected)
    return tuple(collected.names)


def suggest(parser: pytest.Parser, arguments: Iterable[str]) -> None:
    """Have pytest's error on an unknown option say which option of longctx was probably meant."""
    known = {*names(), *DEPRECATED, *ALSO}
    for name in (argument.partition("=")[0] for argument in arguments):
        if name in known:
            continue
        meant = closest(name, names()) if name.startswith("--ctx-") else f"--ctx-{name[2:]}"
        if name in REMOVED:
            parser.extra_info["longctx"] = f"{name} was removed: {REMOVED[name]}"
        elif name.startswith("--") and meant in names():
            parser.extra_info["longctx"] = f"there is no option {name}. Did you mean {meant}?"


def deprecations(config: pytest.Config) -> Iterator[str]:
    """Yield a sentence for each option of the version before that is given, in a file of the project too."""
    given = [argument.partition("=")[0] for argument in (*_given(config), *map(str, config.getini("addopts") or ()))]
    for name, (_, instead) in DEPRECATED.items():
        if name in given:
            yield f"{name} is deprecated, and will be removed in the next version: use {instead}."


def fill(config: pytest.Config) -> None:
    """Give options that were left out the values of the environment, or of [tool.longctx] in pyproject.toml.

    Raises UserError.
    """
    option, here = config.option, project_settings(config.rootpath)
    option.ctx_ask_only |= _is_on("LONGCTX_RECORD_ONLY", False)
    option.ctx_no_text |= not _is_on("LONGCTX_TEXT", here.text)
    option.ctx_no_page |= not _is_on("LONGCTX_PAGE", here.page)
    trust = os.environ.get("LONGCTX_TRUST") or (here.trust if option.ctx_baseline is not None else None)
    if trust and not is_typed(config, "--ctx-trust"):
        option.ctx_trust = one_of("LONGCTX_TRUST", trust, ("all", "base"))
    of_base = option.ctx_baseline is not None and (option.ctx_base or os.environ.get("LONGCTX_BASE"))
    names = ["profile", "base_url", "corpus", "questions", "concurrency", "lock", "trial_run"]
    names += ["batch_wait"] if option.ctx_batch else []
    names += [] if of_base else TERMS
    stated = GATE_DEFAULTS | {"concurrency": CONCURRENCY}

    def given(name: str) -> bool:
        value = getattr(option, f"ctx_{name}")
        return value != stated.get(name) or is_typed(config, f"--ctx-{name.replace('_', '-')}")

    fill_in(option, here, names, given, "ctx_")


def _is_on(variable: str, default: bool) -> bool:
    """Return whether an environment variable turns something on, by default what a file of the project says."""
    value = os.environ.get(variable)
    return default if value is None else value.lower() not in OFF


def read(config: pytest.Config) -> Settings:
    option = config.option
    return Settings(
        models=tuple(option.ctx_model),
        profile=option.ctx_profile,
        prompts=tuple(option.ctx_prompts),
        shapes=tuple(option.ctx_shape),
        strategies=tuple(option.ctx_strategy),
        record=option.ctx_record,
        corpus=option.ctx_corpus,
        questions=option.ctx_questions,
        base_url=option.ctx_base_url,
        in_flight=option.ctx_concurrency,
        trials=option.ctx_trials,
        only_trial=option.ctx_only,
        repeats=option.ctx_repeats,
        seed=option.ctx_seed,
        min_rate=option.ctx_min_rate,
        labels=tuple(option.ctx_label),
        shard=option.ctx_shard,
        report=option.ctx_report,
        lock=not option.ctx_no_lock,
        page=not option.ctx_no_page,
        parquet=config.getini("longctx_parquet"),
        estimate=option.ctx_estimate,
        ask_only=option.ctx_ask_only,
        canary=not option.ctx_no_canary,
        max_cost=option.ctx_max_cost,
        prices=tuple(option.ctx_price),
        no_text=option.ctx_no_text,
        baseline=option.ctx_baseline,
        base=option.ctx_base,
        trust=option.ctx_trust,
        margin=option.ctx_margin,
        alpha=option.ctx_alpha,
        on_inconclusive=option.ctx_on_inconclusive,
        max_age=option.ctx_max_age,
        looks=not option.ctx_no_looks,
        batch=option.ctx_batch,
        batch_wait=option.ctx_batch_wait,
        save_baseline=option.ctx_save_baseline,
    )


def choose_base(config: pytest.Config) -> None:
    """Let the base that the person gave, in an option or LONGCTX_BASE, count before that of a file of the project."""
    option = config.option
    needed = option.ctx_baseline is not None or option.ctx_trust == "base"
    if needed and option.ctx_base not in typed(config, "--ctx-base"):
        of_file = option.ctx_base or project_settings(config.rootpath).base
        option.ctx_base = os.environ.get("LONGCTX_BASE") or of_file


def take_terms_of_base(config: pytest.Config) -> None:
    """Let a gate keep to the terms that the base branch's file of pytest's options has, where the person typed none.

    Raises UserError.
    """
    option = config.option
    stated = [
        name
        for name in ("margin", "alpha", "on_inconclusive", "max_age", "no_looks")
        if not is_typed(config, f"--ctx-{name.replace('_', '-')}")
    ]
    default = GATE_DEFAULTS | {"no_looks": False}
    if option.ctx_baseline is None or not option.ctx_base:
        return
    here, workspace = project_settings(config.rootpath), Workspace(config.rootpath)
    if not any(getattr(here, name) for name in TERMS) and all(
        getattr(option, f"ctx_{name}") == default[name] for name in stated
    ):
        return
    from longctx.engine.base_terms import addopts_at, project_settings_at

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_gate_options(parser.add_argument, "--ctx-", MARGIN, DEFAULT.alpha, DEFAULT.max_age)
    add_no_looks(parser.add_argument, "--ctx-no-looks")
    addopts = addopts_at(workspace, config.inipath, option.ctx_base) if config.inipath else ""
    given, _ = parser.parse_known_args(shlex.split(addopts) if isinstance(addopts, str) else addopts)
    there = project_settings_at(workspace, option.ctx_base)
    for name in stated:
        value = getattr(given, f"ctx_{name}")
        of_file = getattr(there, name, None)
        setattr(option, f"ctx_{name}", of_file if value == default[name] and of_file is not None else value)


def typed(config: pytest.Config, option: str) -> list[str]:
    """Return an option's values that the person gave: on the command line, or in PYTEST_ADDOPTS.

    Other values are in a file of the project, such as `addopts` of pytest.ini, which somebody else may have written.
    """
    given = _given(config)
    joined = [argument.partition("=")[2] for argument in given if argument.startswith(f"{option}=")]
    return joined + [value for name, value in itertools.pairwise(given) if name == option]


def is_typed(config: pytest.Config, *flags: str) -> bool:
    """Return whether the person gave any of these options, rather than a file of the project."""
    return any(argument.partition("=")[0] in flags for argument in _given(config))


def _given(config: pytest.Config) -> list[str]:
    return [*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *map(str, config.invocation_params.args)]


def check_paths(config: pytest.Config) -> None:
    """Raise UserError if a file of the project, such as pytest.ini, gives an option a path outside the project."""
    for name in ("profile", "prompts", "corpus", "questions", "baseline", "report"):
        values = getattr(config.option, f"ctx_{name}")
        for value in map(str, values if isinstance(values, list) else filter(None, [values])):
            if value != Path(value).name and value not in typed(config, f"--ctx-{name}"):
                inside(Path(value), config.rootpath)


def any_given(config: pytest.Config) -> bool:
    """Return whether any option differs from its default; what pyproject.toml sets for all runs does not count."""
    session = session_of(config)
    if session.any_given is None:
        session.any_given = dataclasses.replace(read(config), parquet=DEFAULT.parquet) != DEFAULT
    return session.any_given


def asks(settings: Settings) -> bool:
    """Return whether something is asked, or its cost estimated, before the tests."""
    return settings.record != "none" or settings.estimate or settings.ask_only


def _trial(text: str) -> str:
    """Parse the name of a trial, as an argparse type."""
    name = text.strip().removeprefix("#")
    if not name or re.fullmatch("-[0-9]+", name):
        raise BadValue("bad-trial", f"{text!r} is not a trial: give a number from 0, or the id of a question or case.")
    return name


def _label(text: str) -> tuple[str, str]:
    """Parse NAME=VALUE, as an argparse type."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise BadValue("bad-label", f"{text!r} is not a label: write NAME=VALUE, such as steps=200.")
    return name.strip(), value.strip()
