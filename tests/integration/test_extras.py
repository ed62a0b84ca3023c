"""Without the extras, longctx replays, judges and gates; what is missing is named before anything is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from longctx.extras import EXTRAS, install
from tests.integration.conftest import LINES, ROOT, TOY, Checkout, Launcher
from tests.servers import SimulatedServer

PROGRAM = f"""
import contextlib, io, json, sys

sys.modules |= dict.fromkeys({[*EXTRAS, "httpx2"]})  # an import of these fails, as if they were not installed

import pytest
from longctx.cli import main

quiet = "-p", "no:cacheprovider", "--ctx-profile=tiny.toml"
code = ["tests_longctx/test_code.py"]
runs = {{
    "replay": lambda: pytest.main([*quiet, "--ctx-baseline=before", "--ctx-report=reports/gated"]),
    "functions": lambda: pytest.main([*quiet, *code]),
    "estimate": lambda: pytest.main([*quiet, *code, "--ctx-estimate", "--ctx-trials=3"]),
    "record": lambda: pytest.main([*quiet, "--ctx-record=all"]),
    "compare": lambda: main(["compare", "reports/first", "reports/gated"]),
    "html": lambda: main(["compare", "reports/first", "reports/gated", "--out", "page.html"]),
    "parquet": lambda: pytest.main([*quiet, *code, "-o", "longctx_parquet=true"]),
    "batches": lambda: main(["models", "batches", "list"]),
    "probe": lambda: main(["models", "probe", "toy"]),
    "upgrade": lambda: main(["upgrade", "toy", "other"]),
}}
results = {{}}
for name, run in runs.items():
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        results[name] = int(run()), output.getvalue()
json.dump(results, sys.stdout)
"""
LIVE, REPORT, PARQUET = (
    install([package], [extra])
    for package, extra in (("anthropic", "live"), ("jinja2", "report"), ("pyarrow", "parquet"))
)
"""The commands that install what is missing: they depend on how longctx itself was installed."""
FUNCTION = """
import pytest


@pytest.mark.longctx(trials=2)
def test_code(ask, draw):
    code = draw.integer(10, 99)
    assert ask(f"The code is {code}. What is the code?").integer() == code
"""


def test_without_the_extras(recorded: Checkout, server: SimulatedServer) -> None:
    """One process shows all: each start costs a second."""
    assert recorded.longctx("baseline", "save", "before").code == 0
    recorded.file("reports/first").symlink_to(recorded.file("reports/latest").resolve())
    recorded.file("tests_longctx/test_code.py").write_text(FUNCTION)
    recorded.profile(TOY, LINES)
    assert recorded.record(server, "tests_longctx/test_code.py").code == 0
    before = recorded.cassettes()
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=recorded.folder,
        env=recorded.launcher.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    results = {name: (code, " ".join(out.split())) for name, (code, out) in json.loads(process.stdout).items()}
    assert recorded.cassettes() == before

    code, said = results["replay"]
    assert "Gate: " in said
    assert code in (0, 11), said
    assert f"its page needs jinja2: {REPORT}" in said
    assert "Report: reports/gated/summary.md" in said
    written = {path.name for path in recorded.file("reports/gated").iterdir()}
    assert written >= {"summary.md", "summary.json", "results.csv", "results.jsonl", "gate.md", "gate.json"}
    assert written & {"index.html", "charts", "results.parquet"} == set()
    done = {name: results[name] for name in ("functions", "estimate", "compare")}
    assert {name: said for name, (code, said) in done.items() if code} == {}
    assert "2 replayed" in results["functions"][1]
    assert results["estimate"][1].endswith("Estimate only: no requests were sent.")
    assert "page" not in results["estimate"][1]

    missing = {
        "record": f"Asking a model needs anthropic: {LIVE}. [extra-missing]",
        "html": f"HTML needs jinja2: {REPORT}. [extra-missing]",
        "parquet": f"longctx_parquet needs pyarrow: {PARQUET}. [extra-missing]",
        "batches": f"Looking after batches needs anthropic: {LIVE}. [extra-missing]",
        "probe": f"Probing a model needs anthropic: {LIVE}. [extra-missing]",
        "upgrade": f"The page of an upgrade needs jinja2: {REPORT}.",
    }
    assert {name: results[name] for name, sentence in missing.items() if sentence not in results[name][1]} == {}
    assert all(results[name][0] for name in missing)


WITHOUT_SDK = """
import sys

sys.modules |= dict.fromkeys(["anthropic", "httpx2"])
import pytest

sys.exit(pytest.main(sys.argv[1:]))
"""


def test_the_shipped_functions_replay_without_the_sdk(launcher: Launcher, tmp_path: Path) -> None:
    """Only the test whose code under test calls the SDK is left out."""
    arguments = ["tests_longctx/test_functions.py", "-rs", "-pno:cacheprovider", f"--ctx-report={tmp_path / 'report'}"]
    command = [sys.executable, "-c", WITHOUT_SDK, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=launcher.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the product's code calls its SDK, which is not installed" in " ".join(done.stdout.split())
    assert " passed, " in done.stdout


def test_no_worker_imports_the_sdk_to_collect(launcher: Launcher) -> None:
    code = "import sys, pytest; pytest.main(['tests_longctx', '--collect-only', '-q']); print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=launcher.env, capture_output=True, text=True, check=True
    )
    assert "'longctx.plugin'" in done.stdout
    assert "'anthropic'" not in done.stdout
