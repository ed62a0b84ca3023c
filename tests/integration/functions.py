"""The test functions of tests/integration/: running and asking them, and what their gate says."""

from __future__ import annotations

import re
from typing import Any

from tests.integration.conftest import Checkout, Result
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of


def echo(body: Body) -> Answer:
    return 200, {}, message(prompt_of(body), body)


def code(body: Body) -> Answer:
    """Answer with the code that the prompt states."""
    found = re.search(r"code is (\d+)", prompt_of(body))
    return 200, {}, message(found[1] if found else "none", body)


def codes(body: Body) -> Answer:
    """Answer with the first number of at least three digits in the prompt, politely."""
    found = re.search(r"(?:code is|number) (\d+)", prompt_of(body))
    return 200, {}, message(f"{found[1] if found else 'none'}, please", body)


def run(project: Checkout, *arguments: str, profile: str | None = None, **options: Any) -> Result:
    """Run the test functions with a profile, or with the model `toy` if there is none."""
    model = [] if profile else ["--ctx-model=toy"]
    return project.pytest("tests_longctx/test_functions.py", *model, *arguments, profile=profile, **options)


def ask(project: Checkout, server: SimulatedServer, *arguments: str, mode: str = "once", **options: Any) -> Result:
    return run(project, f"--ctx-base-url={server.url}", f"--ctx-record={mode}", *arguments, **options)


def verdicts(project: Checkout) -> dict[tuple[str, str], str]:
    tests = project.gate()["tests"]
    return {(test["test"], band["band"]): band["verdict"] for test in tests for band in test["bands"]}


def judged(project: Checkout) -> list[Any]:
    """Return what the latest run was judged by: the verdicts and the bands, with all figures and all looks."""
    kept = project.gate()
    return [kept["verdict"], *((test["test"], test["verdict"], test["bands"]) for test in kept["tests"])]
