"""The plugin's options, settings and markers, as pytest lists them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import pytest

from longctx.engine.settings import OPTIONS
from longctx.errors import closest

PROJECT_TESTS = "--ctx-project-tests"
"""An option for the commands that run tests."""
MARKERS = (
    "longctx(trials, **arguments): the function runs once per trial, and sends requests to a model. The profile's "
    "table with the "
    """function's name replaces these arguments, apart from the last three:
    trials=60: how many items are drawn, or how many of the cases are used; a dict sets the number for each band
    cases="cases.jsonl": a file with one item per line (JSON, CSV or TSV) instead of drawn items
    id_field="_id": the field of the cases that identifies each, instead of id
    cluster="document": the field of the cases that names what items have in common
    same_context=True: the requests of a cell begin alike, and share the prompt cache
    share=4: how many drawn items, one after another, share what draw.shared() draws
    repeats=3: how often each item is run
    models=["NAME"]: the models to measure
    prompts=["NAME"]: prompt sets, by name or path
    shapes=["text"]: the shapes of ask(context, question)
    strategies=["none"]: the strategies of context management for a transcript
    min_rate=0.9: a cell whose accuracy is significantly lower fails
    guessing=0.5: the accuracy that guessing reaches, which a baseline must exceed
    bands={"short": 4000}: the gate's bands, each with the largest length in it
    gated=False: leaves the function out of the gate
    own_profile=True: only profiles with a table of the function measure it
    version=2: raise it whenever the test draws other items
    allowed_hosts=["db.example:5432"]: the hosts that the code under test may connect to
    counts=Counts(…): token counts of the model's tokenizer, for ask.tokens()
    axes=Lines: a pydantic model whose `cells` yields the test's parameters; its fields are entries of the table
    report=Report(x="tokens"): tables, charts, findings and additions to the gate, instead of the default ones""",
)
"""What `pytest --markers` prints of the marker."""


ENDPOINT = "longctx_endpoint"
"""The setting of pytest that turns the local endpoint on."""
STRICT = "longctx_strict"
"""The setting of pytest that makes an unrecorded test a failure."""


def add(parser: pytest.Parser) -> None:
    parser.addini(
        "longctx_protocols",
        "modules of this project with protocols, functions that are declared by @longctx.protocol",
        type="args",
        default=[],
    )
    parser.addini(
        "longctx_allowed_hosts",
        "hosts that marked tests may connect to besides this machine, such as db.example.com or *.example.com:443",
        type="args",
        default=[],
    )
    parser.addini(
        "longctx_parquet",
        "also write the rows of a run as results.parquet, which needs pyarrow",
        type="bool",
        default=False,
    )
    parser.addini(
        ENDPOINT,
        "answer what marked tests' code sends from the recordings, by a local server that the SDKs' variables name",
        type="bool",
        default=False,
    )
    parser.addini(
        STRICT,
        "fail every test that has no recording, instead of skipping it in a run without options of longctx",
        type="bool",
        default=False,
    )
    option = parser.getgroup("longctx", "longctx").addoption
    for each in OPTIONS.values():
        if each.pytest:
            each.add(option, "--ctx-")
    option(PROJECT_TESTS, action="store_true", help=argparse.SUPPRESS)


def names() -> list[str]:
    """Return the names of the options."""
    return [f"--ctx-{each.name}" for each in OPTIONS.values() if each.pytest]


def suggest(parser: pytest.Parser, arguments: Iterable[str]) -> None:
    """Have pytest's error on an unknown option say which option of longctx was probably meant."""
    known = {*names(), PROJECT_TESTS}
    for name in (argument.partition("=")[0] for argument in arguments):
        if name in known:
            continue
        told = ""
        if name.startswith("--ctx-"):
            from longctx.config.profiles import entry_meant

            told = entry_meant(name)
        meant = closest(name, names()) if name.startswith("--ctx-") else f"--ctx-{name[2:]}"
        if told or (name.startswith("--") and meant in names()):
            parser.extra_info["longctx"] = f"there is no option {name}. {told or f'Did you mean {meant}?'}"
