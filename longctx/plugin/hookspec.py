"""The hooks that a conftest.py, or another plugin, may implement. They are documented in docs/hooks.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from longctx.gate.bands import Verdict
    from longctx.results.row import Row
    from longctx.summary.summary import Summary


def pytest_longctx_config(config: pytest.Config) -> Mapping[str, Any] | None:
    """Return options that are the same in every run of the project, by the names of the arguments of `longctx.Run`.

    These may be given: `profile` (a name, a path, or entries), `corpus`, `questions`, `base_url`, `min_rate`,
    `max_cost` and `margin`. Paths are relative to the project. An option on the command line comes first. A server that
    is given here counts as one that a file of the project names: it gets a key only if the person confirms it
    (docs/security.md).

    Every process of a run calls it, and must be given the same.

    Example:
        def pytest_longctx_config(config):
            return {"corpus": "docs/handbook", "questions": "docs/questions.jsonl", "max_cost": 5}
    """


def pytest_longctx_models(config: pytest.Config) -> Mapping[str, Mapping[str, Any]] | None:
    """Return entries of model profiles by the ids of models. They come before those of fixtures/models/.

    An option such as `--ctx-price` comes before both. A key that a helper program gives may be put into the environment
    here; it is never part of a profile.

    Every process of a run calls it, and must be given the same.

    Example:
        import json


        def pytest_longctx_models(config):
            prices = json.loads((config.rootpath / "prices.json").read_text())
            return {model: {"prices": table} for model, table in prices.items()}
    """


def pytest_longctx_row(config: pytest.Config, row: Row) -> None:
    """Take the row of a trial, measured or not, as soon as its test has ended.

    The process that started the run calls it, with and without `-n`. A row comes again if its test runs again. An
    exception ends nothing: the end of the run names it.

    Example:
        def pytest_longctx_row(config, row):
            if row.measured and not row.correct:
                with (config.rootpath / "wrong.txt").open("a") as file:
                    file.write(f"{row.scenario}#{row.name}: {row.why}\\n")
    """


def pytest_longctx_report(config: pytest.Config, folder: Path, summary: Summary, verdict: Verdict | None) -> None:
    """Take the finished run: the folder of its report, which is complete, its summary, and the gate's verdict.

    The process that started the run calls it. verdict: None without a baseline. An exception ends nothing: the end of
    the run names it.

    Example:
        def pytest_longctx_report(config, folder, summary, verdict):
            lines = [f"{verdict or 'measured'}: {folder.name}"]
            lines += [f"{each.scenario} {each.rate}" for each in summary.scenarios]
            (config.rootpath / "message.txt").write_text("\\n".join(lines))
    """
