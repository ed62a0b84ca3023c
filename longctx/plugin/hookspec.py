"""The hooks that a conftest.py, or another plugin, may implement. The site shows them as reference/hooks."""

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
    """Return options for every run of the project, under the argument names of `longctx.Run`.

    The options are `profile` (a name, a path, or entries), `corpus`, `questions`, `base_url`, `min_rate`, `max_cost`
    and `margin`. Paths are relative to the project. Options on the command line take precedence. A server named here is
    treated like one in any other file of the project: it gets a key only if the user confirms it (docs/security.md).

    It is called in every process of a run, and must return the same in each.

    Example:
        def pytest_longctx_config(config):
            return {"corpus": "docs/handbook", "questions": "docs/questions.jsonl", "max_cost": 5}
    """


def pytest_longctx_models(config: pytest.Config) -> Mapping[str, Mapping[str, Any]] | None:
    """Return model profile entries, by model id. They take precedence over those in fixtures/models/.

    If a helper program supplies your key, put the key into the environment here; it is never part of a profile.

    It is called in every process of a run, and must return the same in each.

    Example:
        import json


        def pytest_longctx_models(config):
            prices = json.loads((config.rootpath / "prices.json").read_text())
            return {model: {"prices": table} for model, table in prices.items()}
    """


@pytest.hookspec(firstresult=True)
def pytest_longctx_request(config: pytest.Config, body: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return the body by which a request of a test function is compared with recorded ones: without dates and ids.

    What is sent is unchanged. `body` is a copy of it, with the model's id; a hook that returns nothing leaves it as it
    is. Two requests with the same compared body have the same recorded answer, so leave in it all that answers depend
    on. Put the hook into the conftest.py at the top of the project. The run and its report name it.

    Example:
        import json
        import re


        def pytest_longctx_request(config, body):
            return json.loads(re.sub(r"\\d{4}-\\d\\d-\\d\\dT[\\d:.]+", "(now)", json.dumps(body)))
    """


@pytest.hookspec(firstresult=True)
def pytest_longctx_answer(config: pytest.Config, answer: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return an answer as it is recorded and judged, such as without a name that must not be in the repository.

    `answer` is the body of the server's answer in the form of its API, and the hook's result must be one, too. It is
    called once, when the answer is recorded. Put the hook into the conftest.py at the top of the project. The run and
    its report name it.

    Example:
        import json


        def pytest_longctx_answer(config, answer):
            return json.loads(json.dumps(answer).replace("Jane Doe", "NAME"))
    """


def pytest_longctx_row(config: pytest.Config, row: Row) -> None:
    """Receive the row of a trial, measured or not, as soon as its test has ended.

    It is called in the process that started the run, with or without `-n`. If a test is rerun, its rows come again. An
    exception does not stop the run; it is reported at the end.

    Example:
        def pytest_longctx_row(config, row):
            if row.measured and not row.correct:
                with (config.rootpath / "wrong.txt").open("a") as file:
                    file.write(f"{row.cell}#{row.name}: {row.why}\\n")
    """


def pytest_longctx_report(config: pytest.Config, folder: Path, summary: Summary, verdict: Verdict | None) -> None:
    """Receive the finished run: the folder of its complete report, its summary, and the gate's verdict.

    It is called in the process that started the run. `verdict` is None without a baseline. An exception does not change
    the run's result; it is reported at the end.

    Example:
        def pytest_longctx_report(config, folder, summary, verdict):
            lines = [f"{verdict or 'measured'}: {folder.name}"]
            lines += [f"{each.cell} {each.rate}" for each in summary.cells]
            (config.rootpath / "message.txt").write_text("\\n".join(lines))
    """
