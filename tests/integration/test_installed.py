"""The distribution: what the wheel holds, and that what it installs does all that a new user needs."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass, field
from email import message_from_bytes
from pathlib import Path

import pytest

import longctx
from tests.integration.bare import link, make, pip, required
from tests.integration.conftest import NOT_PASSED_ON, ROOT, Result
from tests.servers import Answer, Body, SimulatedServer, find_answer, prompt_of, saying

INFO = f"pytest_longctx-{longctx.__version__}.dist-info"
OURS_ALONE = "baselines", "cassettes", "fetched", "filters", "handbook", "reports"
"""Folders of this checkout that no other project needs."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built of the source distribution of this checkout, as a release is, by the build backend that is installed."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", folder, "-t"]
    subprocess.run([*build, "sdist"], cwd=ROOT, check=True)
    [source] = folder.iterdir()
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    subprocess.run([*build, "wheel"], cwd=folder / source.name.removesuffix(".tar.gz"), check=True)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_holds_what_a_project_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [Path(name) for name in archive.namelist()]
        metadata = message_from_bytes(archive.read(f"{INFO}/METADATA"))
        entries = configparser.ConfigParser()
        entries.optionxform = str  # type: ignore[assignment,method-assign]
        entries.read_string(archive.read(f"{INFO}/entry_points.txt").decode())
    assert wheel.stat().st_size < 5_000_000
    assert {name.parts[0] for name in names} == {"longctx", INFO}

    data = Path("longctx/fixtures")
    starter = {name.name for name in names if name.is_relative_to("longctx/cli/starter")}
    assert starter >= {"test_passkey.py", "gate", "action.yml", "longctx-gate.yml"}
    kinds = {name.relative_to(data).parts[0] for name in names if name.is_relative_to(data)}
    assert kinds == {
        "demo",
        "glossary.md",
        "models",
        "profiles",
        "prompts",
        "questions",
        "register",
        "register-gate",
        "register-meaning",
        "vocabularies",
    }
    packed = "longctx/protocols/reports", "longctx/fixtures/demo"
    others = [name for name in names if not any(map(name.is_relative_to, packed))]
    assert not [name for name in others if {*name.parts} & {*OURS_ALONE} or name.suffix == ".pyc"]
    assert {name.stem for name in names if name.parent == data / "profiles"} == {
        *("first", "frontier", "gate", "gate-pr", "gate-sets", "gate-short", "gate-truth"),
        *("paper", "qa-tenth", "smoke"),
    }
    shipped = {*data.parts, "py.typed", "claude-2.LICENSE", "register.xml", "register.jsonl", "page.js"}
    assert shipped <= {part for name in names for part in name.parts}

    assert dict(entries["pytest11"]) == {"longctx": "longctx.entry_point"}
    assert dict(entries["console_scripts"]) == {"longctx": "longctx.cli:main"}
    assert metadata["Version"] == longctx.__version__
    links = re.findall(r"\]\(([^)\s]+)\)", str(metadata.get_payload()))
    assert len(links) > 10
    assert not [link for link in links if not link.startswith("https://")], "what a package index shows"
    extras = {
        "live",
        "report",
        "parquet",
        "all",
        "google",
        "openai",
        "bedrock",
        "vertex",
        "chunks",
        "completion",
        "dev",
    }
    assert {*metadata.get_all("Provides-Extra", [])} == extras
    assert "Framework :: Pytest" in metadata.get_all("Classifier", [])
    licences = {f"{INFO}/licenses/{name}" for name in metadata.get_all("License-File", [])}
    assert licences <= {name.as_posix() for name in names}
    assert len(licences) == 2


def own_project() -> list[str]:
    """Return the commands of README's part on one's own project, without what prepares the shell."""
    part = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Your own project")[2].partition("\n## ")[0]
    lines = [
        line.partition("  #")[0]
        for block in re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
        for line in block.splitlines()
    ]
    return [line for line in lines if line.startswith(("longctx ", "pytest "))]


@dataclass(slots=True)
class Newcomer:
    """A new user, with longctx installed, in an empty folder."""

    bin: Path
    folder: Path
    outputs: list[str] = field(default_factory=list)

    def run(self, command: str, code: int = 0) -> Result:
        """Run a command line of a guide, which must end with this exit code, and return its result."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
        env |= {"PATH": f"{self.bin}:{env['PATH']}", "HOME": "/nonexistent", "COLUMNS": "160"}
        env["TMPDIR"] = str(self.folder.parent)
        program, *arguments = command.split()
        made = subprocess.run(
            [self.bin / program, *arguments], cwd=self.folder, env=env, capture_output=True, text=True, check=False
        )
        result = Result(made.returncode, made.stdout, made.stderr)
        self.outputs.append(made.stdout + made.stderr)
        assert result.says(), self.outputs[-1]
        assert result.code == code, self.outputs[-1]
        return result


EXTRAS = "live", "report"
"""What a new user who asks a model and reads the page installs besides."""


@pytest.fixture
def newcomer(wheel: Path, tmp_path: Path) -> Newcomer:
    """Return a new user, in an environment that holds only the wheel with its EXTRAS and what these require.

    pip refuses to install the wheel if these do not satisfy its requirements.
    """
    venv, folder = tmp_path / "venv", tmp_path / "project"
    folder.mkdir()
    make(venv)
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"{INFO}/METADATA"))
    [site] = venv.glob("lib/*/site-packages")
    link(required(metadata.get_all("Requires-Dist", []), *EXTRAS), site)
    assert pip(venv, "install", f"{wheel}[{','.join(EXTRAS)}]") == 0
    return Newcomer(venv / "bin", folder)


def answer(body: Body) -> Answer:
    """Answer rightly in passkey, and in line retrieval unless its prompt has a new header; answer A in QA."""
    prompt = prompt_of(body)
    if "<Answers>" in prompt:
        return saying("<Answer>A</Answer>")(body)
    return saying("0" if "A new header" in prompt else find_answer(prompt))(body)


def test_what_a_new_user_does(newcomer: Newcomer) -> None:
    """A new user goes from an empty folder to a verdict on a changed prompt."""
    run, folder = newcomer.run, newcomer.folder
    assert run("longctx init --prompts mine").says("Next, see the number of requests of the profile first")
    estimated = run("pytest tests_longctx --ctx-profile=first --ctx-estimate").out
    [price] = re.findall(r"^About \$(\d+\.\d+)", estimated, re.MULTILINE)
    assert 0.1 < float(price) < 1

    few = "--ctx-trials 5"
    with (folder / "pytest.ini").open("a") as settings:
        settings.write("filterwarnings = error\n")  # as strict projects have it
    with (folder / "pyproject.toml").open("a") as settings:
        settings.write("trial_run = false\n")  # the simulated model cannot answer all protocols
    with SimulatedServer(answer) as server:
        asked = run(f"pytest --ctx-model toy {few} --ctx-record once --ctx-base-url {server.url}")
    [trials] = re.findall(r"Asked (\d+) of \1 trials", asked.out + asked.err)
    (folder / "conftest.py").write_text('pytest_plugins = ["longctx.plugin"]\n')  # as a checkout of longctx has it
    assert run(f"pytest -n 1 --ctx-model toy {few}").says(f"{trials} replayed", " passed")
    (folder / "conftest.py").unlink()
    page = (folder / "reports/latest/index.html").read_text(encoding="utf-8")
    assert "1.00 [0.57, 1.00]" in page

    run("longctx baseline save main")
    (folder / "fixtures/prompts/mine/line_retrieval/header.txt").write_text("A new header\n")
    changed = f"pytest --ctx-model toy {few} --ctx-prompts mine --ctx-baseline main"
    with SimulatedServer(answer) as server:
        verdict = run(f"{changed} --ctx-record new_episodes --ctx-base-url {server.url}", code=10)
    assert verdict.says("Gate: regression", "line_retrieval")

    assert run("longctx demo").says("16 / 2 of 80", "GATE: REGRESSION in 1 of 1 band (exit 10)")
    assert (folder / "longctx-demo/reports/latest/index.html").is_file()

    assert not [output for output in newcomer.outputs if f"{ROOT}/" in output]
    assert {path.name for path in folder.iterdir() if not path.name.startswith((".", "__"))} == {
        *("cassettes", "fixtures", "longctx-demo", "pyproject.toml", "pytest.ini", "reports", "tests_longctx")
    }


def test_a_project_of_ones_own_as_the_readme_has_it(newcomer: Newcomer) -> None:
    init, estimate, record, replay = own_project()
    assert newcomer.run(init).says("tests_longctx/test_refund_code.py was written.")
    assert newcomer.run(estimate).says("About $0.04", "for 20 trials")

    def right(body: Body) -> Answer:
        return saying(re.findall(r"The refund code is (\d+)", prompt_of(body))[0])(body)

    with SimulatedServer(right) as server:
        newcomer.run(f"{record} --ctx-base-url={server.url}")
    assert newcomer.run(replay).says("20 replayed, 0 requests", "1.00 [0.84, 1.00]", "1 passed")
