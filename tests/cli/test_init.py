"""`longctx init`: what a repository needs, and nothing of it written over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # vcrpy brings it

import longctx
from longctx.cli import main
from longctx.config.profiles import load_profile
from longctx.config.prompts import PromptSet
from longctx.registry import shipped
from longctx.workspace import Workspace
from tests.given import contents
from tests.here import HERE
from tests.protocols import LineRetrieval, Passkey

WRITTEN = {
    ".gitattributes",
    ".gitignore",
    "fixtures/profiles/first.toml",
    "pyproject.toml",
    "pytest.ini",
    *(f"tests_longctx/test_{test}.py" for test in shipped()),
}
CI_WORKFLOW = ".github/workflows/longctx-gate.yml"
CI = {".ci/gate", "action.yml", CI_WORKFLOW}
NEXT = "  pytest tests_longctx --ctx-profile=first --ctx-estimate\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which commands are given in."""
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    return empty


def test_an_empty_folder_gets_all_it_needs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    out = capsys.readouterr().out
    assert {*contents(folder)} == WRITTEN
    assert all(f"{name} was written.\n" in out for name in WRITTEN - {"pyproject.toml"})
    assert "pyproject.toml names the profile of a plain pytest: first.\n" in out
    assert out.endswith(NEXT)
    for test in shipped():
        file = f"tests_longctx/test_{test}.py"
        assert contents(folder)[file] == (HERE.root / file).read_bytes()
    assert (HERE.root / ".gitattributes").read_text().startswith((folder / ".gitattributes").read_text())


def test_twice_is_harmless(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init", "--ci", "--prompts=mine"])
    before = contents(folder)
    capsys.readouterr()
    assert main(["init", "--ci", "--prompts=mine"]) == 0
    out = capsys.readouterr().out
    assert contents(folder) == before
    assert "written" not in out
    assert "added" not in out
    assert "tests_longctx/test_passkey.py already exists; unchanged.\n" in out
    assert ".gitignore already has these lines; unchanged.\n" in out
    assert "pytest.ini already configures pytest; unchanged.\n" in out


def test_what_is_there_and_differs_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that an earlier init wrote, or that a person changed, is kept."""
    main(["init"])
    mine = {"tests_longctx/test_passkey.py": b"# mine\n", "fixtures/profiles/first.toml": b"# mine\n"}
    for name, content in mine.items():
        (folder / name).write_bytes(content)
    (folder / ".gitignore").write_bytes(b"/reports/\r\n\xff")
    (folder / "tests_longctx/test_control.py").unlink()
    capsys.readouterr()
    assert main(["init"]) == 0
    out = capsys.readouterr().out
    for name, content in mine.items():
        assert f"{name} already exists, and differs from that of longctx {longctx.__version__}; unchanged.\n" in out
        assert (folder / name).read_bytes() == content
    assert "tests_longctx/test_control.py was written.\n" in out
    assert ".gitignore was there already; added: /cassettes/.lock, __pycache__/.\n" in out
    assert (folder / ".gitignore").read_bytes() == b"/reports/\r\n\xff\n/cassettes/.lock\n__pycache__/\n"


def test_the_first_profile_is_read(folder: Path) -> None:
    main(["init"])
    profile = load_profile(Workspace(folder), None)
    assert all(profile.grids(test) for test in shipped())


def test_a_folder_that_is_named_is_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "a/b"]) == 0
    assert {*contents(folder / "a" / "b")} == WRITTEN
    assert capsys.readouterr().out.endswith(f"  cd a/b && {NEXT.strip()}\n")


def test_a_prompt_set_is_a_copy_of_the_protocols(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--prompts=mine"]) == 0
    out = capsys.readouterr().out
    assert "fixtures/prompts/mine/passkey/needle.txt was written.\n" in out
    assert out.endswith("  pytest tests_longctx --ctx-profile=first --ctx-prompts=mine --ctx-estimate\n")
    workspace = Workspace(folder)
    for test in shipped().values():
        texts = [PromptSet.open(workspace, name).wording(test.cell).templates for name in ("mine", "protocol")]
        assert texts[0] == texts[1]


def test_another_prompt_set_is_copied_on_request(folder: Path) -> None:
    assert main(["init", "--prompts=mine", "--copy=chatty"]) == 0
    workspace = Workspace(folder)
    assert not PromptSet.open(workspace, "mine").holds(Passkey)
    texts = [PromptSet.open(workspace, name).wording(LineRetrieval).templates for name in ("mine", "chatty")]
    assert texts[0] == texts[1]


def test_a_project_with_profiles_of_its_own_gets_no_other_profile(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second profile would leave pytest without a default one."""
    (folder / "fixtures/profiles").mkdir(parents=True)
    (folder / "fixtures/profiles/mine.toml").write_text('[passkey]\nmodels = ["m"]\nwindows = [256]\ntrials = 1\n')
    assert main(["init"]) == 0
    assert {*contents(folder)} == WRITTEN - {"fixtures/profiles/first.toml"} | {"fixtures/profiles/mine.toml"}
    assert capsys.readouterr().out.endswith("  pytest tests_longctx --ctx-profile=mine --ctx-estimate\n")
    assert load_profile(Workspace(folder), None).grids("passkey")


def test_a_project_with_tests_and_profiles_gets_the_prompt_set_alone(folder: Path) -> None:
    for name in ("fixtures/profiles/mine.toml", "tests_longctx/test_mine.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    assert main(["init", "--prompts=mine", "--copy=chatty"]) == 0
    written = {name for name in contents(folder) if name.startswith(("fixtures", "tests_longctx"))}
    own = {"fixtures/profiles/mine.toml", "tests_longctx/test_mine.py"}
    assert written - own == {
        f"fixtures/prompts/mine/line_retrieval/{name}.txt" for name in LineRetrieval.declared.templates
    }


def test_the_gate_is_installed_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".git").mkdir()
    assert main(["init", "--ci"]) == 0
    assert "The workflow runs `pip install -r requirements.txt`; the input `install`" in capsys.readouterr().out
    assert {*contents(folder)} == WRITTEN | CI
    assert os.access(folder / ".ci/gate", os.X_OK)
    action = (folder / "action.yml").read_text()
    assert yaml.safe_load(action)["inputs"]["install"]["default"] == "-r requirements.txt"
    assert "requirements.lock" not in action
    assert "LIVE_PATHS: fixtures/prompts tests_longctx # a change" in (folder / CI_WORKFLOW).read_text()
    assert yaml.safe_load((folder / ".github/workflows/longctx-gate.yml").read_text())["jobs"]


def test_a_change_of_the_products_code_starts_a_live_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for package in ("shop", "tests", "src/other"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").touch()
    assert main(["init", "--ci"]) == 0
    assert "changes: fixtures/prompts, tests_longctx, src, shop. LIVE_PATHS" in capsys.readouterr().out
    workflow = yaml.safe_load((folder / CI_WORKFLOW).read_text())
    assert workflow["env"]["LIVE_PATHS"] == "fixtures/prompts tests_longctx src shop"


CONFIGURED = {
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["{}"]\n',
    "setup.cfg": "[tool:pytest]\ntestpaths = {}\n",
    "pytest.toml": '[pytest]\ntestpaths = ["{}"]\n',
}


@pytest.mark.parametrize("name", CONFIGURED)
@pytest.mark.parametrize(
    ("testpaths", "says"),
    [
        ("tests", "configures pytest; unchanged. Add tests_longctx to its testpaths, so that its tests are found."),
        ("tests*", "already configures pytest; unchanged."),
    ],
)
def test_a_project_that_configures_pytest_is_told_what_it_lacks(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, testpaths: str, says: str
) -> None:
    (folder / name).write_text(CONFIGURED[name].format(testpaths))
    assert main(["init"]) == 0
    assert f"{name} {says}\n" in capsys.readouterr().out
    assert not (folder / "pytest.ini").exists()


def test_a_project_that_is_a_root_already_gets_no_pytest_ini(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pyproject.toml").write_text('[project]\nname = "mine"\n')
    assert main(["init"]) == 0
    assert "No pytest.ini is needed: pytest already uses this folder" in capsys.readouterr().out
    assert {*contents(folder)} == WRITTEN - {"pytest.ini"} | {"pyproject.toml"}


MISTAKES = [
    (["--prompts=protocol"], "prompt-set-name-taken"),
    (["--prompts=a/b"], "bad-prompt-set-name"),
    (["--prompts=.."], "bad-prompt-set-name"),
    (["--prompts=mine", "--copy=none"], "unknown-prompt-set"),
    (["--copy=chatty"], "copy-without-prompts"),
    (["--test=Refund code"], "bad-test-name"),
    (["--test=../x"], "bad-test-name"),
    (["--test=test_"], "bad-test-name"),
    (["/proc/nothing"], "not-writable"),
    (["file"], "not-writable"),
    (["within", "--ci"], "not-top-of-repository"),
]


@pytest.mark.parametrize(("arguments", "code"), MISTAKES, ids=[" ".join(arguments) for arguments, _ in MISTAKES])
def test_a_mistake_is_a_sentence_before_anything_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: str
) -> None:
    (folder / ".git").mkdir()
    (folder / "file").write_text("mine")
    assert main(["init", *arguments]) == 2
    assert f"[{code}]" in capsys.readouterr().err
    assert contents(folder) == {"file": b"mine"}


@pytest.mark.parametrize("name", ["refund_code", "test_refund_code"])
def test_a_test_function_is_written_without_those_of_tests(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["init", f"--test={name}"]) == 0
    written = {"tests_longctx/test_refund_code.py", "fixtures/profiles/first.toml"}
    assert {*contents(folder)} == {".gitattributes", ".gitignore", "pyproject.toml", "pytest.ini", *written}
    test = (folder / "tests_longctx/test_refund_code.py").read_text()
    assert "  pytest tests_longctx/test_refund_code.py --ctx-estimate\n" in capsys.readouterr().out
    for page in ("README.md", "docs/tutorial.md"):
        assert test.partition("import pytest\n\n\n")[2] in (HERE.root / page).read_text("utf-8"), page


def test_what_init_test_wrote_gets_the_protocols_unless_it_was_changed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--test=mine"]) == 0
    profile = folder / "fixtures/profiles/first.toml"
    as_written = profile.read_text()
    profile.write_text(f"{as_written}# mine\n")
    assert main(["init"]) == 0
    assert "first.toml already exists, and differs" in capsys.readouterr().out
    assert profile.read_text() == f"{as_written}# mine\n"
    profile.write_text(as_written)
    (folder / "tests_longctx/test_passkey.py").unlink()
    assert main(["init"]) == 0
    assert "[passkey]" in profile.read_text()


def test_a_project_of_test_functions_gets_the_gate_and_no_test(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--test", "refund_code"]) == main(["init", "--ci"]) == 0
    profile = "fixtures/profiles/first.toml"
    assert {*contents(folder)} & WRITTEN == {".gitattributes", ".gitignore", "pyproject.toml", "pytest.ini", profile}
    assert {*contents(folder)} >= CI
    assert "passkey" not in (folder / profile).read_text()
    assert "  pytest tests_longctx/ --ctx-estimate" in capsys.readouterr().out


def test_a_test_function_is_never_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tests_longctx").mkdir()
    (folder / "tests_longctx/test_mine.py").write_text("mine")
    assert main(["init", "--test=mine"]) == 2
    assert "[test-exists]" in capsys.readouterr().err
    assert contents(folder) == {"tests_longctx/test_mine.py": b"mine"}


def test_a_test_that_another_file_has_is_not_written_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tests_longctx").mkdir()
    (folder / "tests_longctx/test_functions.py").write_text("async def test_mine(ask): pass\n")
    assert main(["init", "--test=mine"]) == 2
    assert (
        "test_functions.py already has a test_mine: choose another name for --test. [test-exists]"
        in capsys.readouterr().err
    )
    assert {*contents(folder)} == {"tests_longctx/test_functions.py"}
    assert main(["init", "--test=min"]) == 0


@pytest.mark.parametrize("lines", ["/reports/*\n!/reports/reference/\n", "reports\n", "/reports\n", "reports/\n"])
def test_what_ignores_reports_already_is_kept(folder: Path, lines: str) -> None:
    """A line /reports/ would undo the exception."""
    (folder / ".gitignore").write_text(f"__pycache__/\n/cassettes/.lock\n{lines}")
    assert main(["init"]) == 0
    assert (folder / ".gitignore").read_text() == f"__pycache__/\n/cassettes/.lock\n{lines}"


def test_a_test_function_takes_the_models_of_the_first_profile(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init"])
    assert main(["init", "--test=mine"]) == 0
    out = capsys.readouterr().out
    assert "  pytest tests_longctx/test_mine.py --ctx-estimate\n" in out
    assert "Name its models" not in out


def test_a_test_function_in_a_project_whose_profile_leaves_it_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "fixtures/profiles").mkdir(parents=True)
    (folder / "fixtures/profiles/own.toml").write_text('[passkey]\nmodels = ["m"]\nwindows = [256]\ntrials = 1\n')
    assert main(["init", "--test=mine"]) == 0
    out = capsys.readouterr().out
    assert 'fixtures/profiles/own.toml:\n  [test_mine]\n  models = ["claude-haiku-5-5"]\n' in out
    assert "  pytest tests_longctx/test_mine.py --ctx-estimate\n" in out


def test_within_a_project_it_asks_which_is_meant(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init"])
    before = contents(folder)
    deep = folder / "src" / "app"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert main(["init"]) == 2
    err = capsys.readouterr().err
    assert "[inside-a-project]" in err
    assert str(folder) in err
    assert "longctx init ../.. " in err
    assert contents(folder) == before
    assert main(["init", "."]) == 0
    assert {*contents(deep)} == WRITTEN
    assert Workspace.around(deep).root == deep


def test_what_is_in_the_place_of_a_folder_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tests_longctx").write_text("mine")
    assert main(["init"]) == 2
    assert "[not-writable]" in (err := capsys.readouterr().err)
    assert str(folder / "tests_longctx") in err
    assert (folder / "tests_longctx").read_text() == "mine"
