"""The plugin's command-line options, and their values as typed settings."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.config.project import ProjectSettings, project_settings
from longctx.engine.settings import DEFAULT, GATE, OPTIONS, TERMS, Option, fill_in, settings_of
from longctx.links import inside
from longctx.plugin.session import session_of
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.engine.settings import Settings

_FILLED = [each for each in OPTIONS.values() if each.environment or each.entry]


def fill_defaults(config: pytest.Config) -> None:
    """Give options that were left out the values of the environment, or of [tool.longctx] in pyproject.toml.

    Raises UserError.
    """
    option, here = config.option, project_settings(config.rootpath)
    unused = [] if option.ctx_batch else ["batch_wait"]
    unused += ["trust"] if option.ctx_baseline is None else TERMS if _of_environment(config, "base") else []
    nothing: dict[str, Any] = dict.fromkeys(unused)
    table = dataclasses.replace(here, **nothing)
    given = {name: _stated(config, each, table) for name, each in OPTIONS.items() if name != "base"}
    fill_in(option, given, "ctx_")


def values_for_worker(config: pytest.Config) -> dict[str, str | float | None]:
    """Return the values of the options that may be filled in, in the form in which a worker of xdist gets them."""
    given = {each.key: getattr(config.option, f"ctx_{each.key}", each.default) for each in _FILLED}
    return {key: str(value) if isinstance(value, Path) else value for key, value in given.items()}


def copy_from_controller(config: pytest.Config, given: Mapping[str, Any]) -> None:
    """Give a worker's options what those of the process that started the run have."""
    for each in _FILLED:
        value = given[each.key]
        setattr(config.option, f"ctx_{each.key}", Path(value) if value and each.type is Path else value)


def _of_environment(config: pytest.Config, name: str) -> Any:
    """Return what the environment gives an option; for those on the base branch, before the project could change it."""
    variables = session_of(config).environment if name in ("base", "trust") else os.environ
    return OPTIONS[name].of_environment(variables)


def _stated(config: pytest.Config, option: Option, table: ProjectSettings) -> Any:
    """Return the value that the environment or the table gives an option; None if the person gave another."""
    if is_typed(config, f"--ctx-{option.name}"):
        return None
    if (value := _of_environment(config, option.name)) is not None:
        return value
    given = getattr(config.option, f"ctx_{option.key}", option.default)
    return option.of_table(table) if given == option.default else None


def read(config: pytest.Config) -> Settings:
    settings = settings_of(vars(config.option), "ctx_")
    return dataclasses.replace(settings, parquet=config.getini("longctx_parquet"))


def prefer_base_of_environment(config: pytest.Config) -> None:
    """Let the base that LONGCTX_BASE names count before that of a file of the project."""
    option = config.option
    needed = option.ctx_baseline is not None or getattr(option, "ctx_trust", None) == "base"
    option.ctx_base = (_of_environment(config, "base") or project_settings(config.rootpath).base) if needed else None


def take_terms_of_base(config: pytest.Config) -> None:
    """Let a gate keep to the terms that the base branch's file of pytest's options has, where the person typed none.

    Raises UserError.
    """
    option = config.option
    stated = [OPTIONS[name] for name in GATE if not is_typed(config, f"--ctx-{name}")]
    if option.ctx_baseline is None or not option.ctx_base:
        return
    here, workspace = project_settings(config.rootpath), Workspace(config.rootpath)
    if all(
        each.of_table(here) is None and getattr(option, f"ctx_{each.key}", each.default) == each.default
        for each in stated
    ):
        return
    from longctx.engine.base_terms import addopts_at, project_settings_at

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for each in stated:
        if each.pytest:
            each.add(parser.add_argument, "--ctx-")
    addopts = addopts_at(workspace, config.inipath, option.ctx_base) if config.inipath else ""
    given, _ = parser.parse_known_args(shlex.split(addopts) if isinstance(addopts, str) else addopts)
    there = project_settings_at(workspace, option.ctx_base)
    for each in stated:
        value, in_file = getattr(given, f"ctx_{each.key}", each.default), each.of_table(there)
        setattr(option, f"ctx_{each.key}", in_file if value == each.default and in_file is not None else value)


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
    given = session_of(config).environment.get("PYTEST_ADDOPTS", "")
    return [*shlex.split(given), *map(str, config.invocation_params.args)]


def check_paths(config: pytest.Config) -> None:
    """Raise UserError if a file of the project, such as pytest.ini, gives an option a path outside the project."""
    for name in ("profile", "prompts", "corpus", "questions", "baseline", "report"):
        values = getattr(config.option, f"ctx_{name}", None)
        for value in map(str, values if isinstance(values, list) else filter(None, [values])):
            if value != Path(value).name and value not in typed(config, f"--ctx-{name}"):
                inside(Path(value), config.rootpath)


def any_given(config: pytest.Config) -> bool:
    """Return whether any option differs from its default; what pyproject.toml sets for all runs does not count."""
    session = session_of(config)
    if session.any_given is None:
        session.any_given = dataclasses.replace(read(config), parquet=DEFAULT.parquet) != DEFAULT
    return session.any_given


def asks_before_tests(settings: Settings) -> bool:
    """Return whether requests are sent, or their cost is estimated, before the tests."""
    return settings.record != "none" or settings.estimate or settings.ask_only
