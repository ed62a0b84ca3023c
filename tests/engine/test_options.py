"""Each option of a run is declared once, and what is given for it reaches its field of Settings."""

from __future__ import annotations

import dataclasses
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from longctx.config.project import ProjectSettings, Shard
from longctx.engine.settings import DEFAULT, OPTIONS, Settings, fill_in, of_arguments, settings_of
from longctx.errors import UserError
from tests.refusals import refused

NOT_OPTIONS = {"model_profiles", "parquet"}
"""The fields that a hook and an ini key set."""
NOT_OF_RUNS = {"keep_runs", "retired"}
"""The entry of [tool.longctx] that is about the folder of reports."""
GIVEN: Mapping[str, tuple[list[str], Any]] = {
    "model": (["--model=a", "--model=b"], ("a", "b")),
    "profile": (["--profile=smoke"], "smoke"),
    "prompts": (["--prompts=mine"], ("mine",)),
    "shape": (["--shape=chat"], ("chat",)),
    "strategy": (["--strategy=truncate", "--strategy=none"], ("truncate", "none")),
    "trials": (["--trials=3"], 3),
    "only": (["--only=#7"], "7"),
    "repeats": (["--repeats=2"], 2),
    "label": (["--label=steps=200"], (("steps", "200"),)),
    "record": (["--record=once"], "once"),
    "base-url": (["--base-url=http://a.example"], "http://a.example"),
    "server": (["--server=q4_0"], "q4_0"),
    "concurrency": (["--concurrency=9"], 9),
    "max-cost": (["--max-cost=0.5"], 0.5),
    "estimate": (["--estimate"], True),
    "baseline": (["--baseline=main"], "main"),
    "save-baseline": (["--save-baseline=new"], "new"),
    "on-inconclusive": (["--on-inconclusive=pass"], "pass"),
    "fresh": (["--fresh=another server"], "another server"),
    "judge-labels": (["--judge-labels=labels.csv"], Path("labels.csv")),
    "batch": (["--batch"], True),
    "shard": (["--shard=2/5"], Shard(2, 5)),
    "report": (["--report=out"], Path("out")),
    "corpus": (["--corpus=docs"], Path("docs")),
    "questions": (["--questions=q.jsonl"], Path("q.jsonl")),
    "seed": (["--seed=4"], 4),
    "min-rate": (["--min-rate=0.9"], 0.9),
    "no-lock": (["--no-lock"], False),
    "no-page": (["--no-page"], False),
    "ask-only": (["--ask-only"], True),
    "no-canary": (["--no-canary"], False),
    "no-text": (["--no-text"], True),
    "base": (["--base=origin/main"], "origin/main"),
    "trust": (["--trust=base"], "base"),
    "margin": (["--margin=0.1"], 0.1),
    "alpha": (["--alpha=0.01"], 0.01),
    "max-age": (["--max-age=3"], 3.0),
    "no-looks": (["--no-looks"], False),
    "patience": (["--patience=5"], 5.0),
    "batch-wait": (["--batch-wait=2"], 2.0),
}
"""What is given for each option on a command line, and what its field then is."""
ENVIRONMENT = {
    "no-page": ("LONGCTX_PAGE", "0"),
    "no-text": ("LONGCTX_TEXT", "off"),
    "ask-only": ("LONGCTX_RECORD_ONLY", "1"),
    "base": ("LONGCTX_BASE", "origin/main"),
    "trust": ("LONGCTX_TRUST", "base"),
}
"""The variable of each option that has one, with a value that gives the same."""
TABLE: Mapping[str, Any] = {
    "profile": "smoke", "base_url": "http://a.example", "concurrency": 9, "on_inconclusive": "pass", "lock": False,
    "corpus": Path("docs"), "questions": Path("q.jsonl"), "page": False, "trial_run": False, "text": False,
    "base": "origin/main", "trust": "base", "alpha": 0.01, "max_age": 3.0, "patience": 5.0,
    "batch_wait": 2.0,
}  # fmt: skip
"""Entries of [tool.longctx] that give the same."""


def parsed(*arguments: str) -> Namespace:
    parser = ArgumentParser()
    for option in OPTIONS.values():
        option.add(parser.add_argument)
    return parser.parse_args([*arguments])


def differing(settings: Settings) -> dict[str, Any]:
    """Return the fields that differ from the default."""
    names = (field.name for field in dataclasses.fields(Settings))
    return {name: value for name in names if (value := getattr(settings, name)) != getattr(DEFAULT, name)}


def test_without_options_settings_are_the_default() -> None:
    assert settings_of(vars(parsed())) == DEFAULT


@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_given_reaches_its_field_and_no_other(name: str) -> None:
    arguments, value = GIVEN[name]
    option = OPTIONS[name]
    expected = {option.field: value}
    assert differing(settings_of(vars(parsed(*arguments)))) == expected
    if option.environment or name in ENVIRONMENT:
        variable, text = ENVIRONMENT[name]
        assert option.environment == variable
        options = parsed()
        fill_in(options, {name: option.of_environment({variable: text})})
        assert differing(settings_of(vars(options))) == expected
    if option.entry:
        options = parsed()
        fill_in(options, {name: option.of_table(ProjectSettings(**{option.entry: TABLE[option.entry]}))})
        assert differing(settings_of(vars(options))) == expected


@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("--concurrency=two", "bad-number"),
        ("--trials=-1", "bad-number"),
        ("--repeats=0.5", "bad-number"),
        ("--seed=-1", "bad-number"),
        ("--min-rate=90", "bad-number"),
        ("--min-rate=nan", "bad-number"),
        ("--max-cost=-1", "bad-number"),
        ("--max-cost=nan", "bad-number"),
    ],
)
def test_what_is_no_value_of_an_option_ends_the_command(
    argument: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parsed(argument)
    assert f"[{code}]" in capsys.readouterr().err


def test_every_field_and_every_entry_has_its_option() -> None:
    fields = [option.field for option in OPTIONS.values()]
    assert len(fields) == len({*fields})
    assert {field.name for field in dataclasses.fields(Settings)} - {*fields} == NOT_OPTIONS
    entries = {option.entry for option in OPTIONS.values() if option.entry}
    assert {field.name for field in dataclasses.fields(ProjectSettings)} - entries == NOT_OF_RUNS


@pytest.mark.parametrize(("name", "text"), [("no-page", "1"), ("no-text", "yes"), ("ask-only", "0"), ("ask-only", "")])
def test_a_variable_may_also_leave_something_as_it_is(name: str, text: str) -> None:
    assert OPTIONS[name].of_environment({OPTIONS[name].environment: text}) is False


def test_a_variable_that_is_empty_or_not_set_gives_nothing() -> None:
    assert OPTIONS["trust"].of_environment({"LONGCTX_TRUST": ""}) is None
    assert OPTIONS["no-page"].of_environment({}) is None
    assert OPTIONS["model"].of_environment({"": "x"}) is None


def test_a_variable_with_another_value_is_a_mistake() -> None:
    with refused("bad-choice", "LONGCTX_TRUST is 'none': use one of all, base."):
        OPTIONS["trust"].of_environment({"LONGCTX_TRUST": "none"})


def test_a_flag_that_is_on_stays_on() -> None:
    options = parsed("--no-page")
    fill_in(options, {"no-page": False, "profile": None})
    assert (options.no_page, options.profile) == (True, None)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"trails": 3}, "Run has no argument 'trails'. Did you mean 'trials'? [unknown-argument]"),
        ({"trials": 0}, "trials: '0' is not allowed: use a whole number, 1 or more. [bad-number]"),
        ({"trials": "many"}, "trials: 'many' is not allowed: use a whole number, 1 or more. [bad-number]"),
        ({"record": "onec"}, "record is 'onec': use one of none, once, new_episodes, all. [bad-choice]"),
        ({"margin": 5}, "margin: '5' is not allowed: use a number between 0 and 1, not 0 or 1 itself. [bad-share]"),
    ],
)
def test_an_argument_of_a_run_is_checked_as_an_option_is(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as caught:
        of_arguments(given)
    assert str(caught.value) == told


def test_an_argument_has_the_name_of_its_field_or_of_its_option() -> None:
    given = {"concurrency": 8, "shape": "chat", "label": "steps=200", "shard": "2/5", "report": "out", "page": False}
    made = of_arguments(given)
    assert (made.in_flight, made.shapes, made.labels, made.page) == (8, ("chat",), (("steps", "200"),), False)
    assert (str(made.shard), made.report) == ("2/5", Path("out"))
    assert of_arguments({"in_flight": 8, "shapes": ("chat",)}) == Settings(in_flight=8, shapes=("chat",))
