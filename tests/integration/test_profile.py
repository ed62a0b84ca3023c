"""--ctx-profile: the grid to run, by name or path."""

from __future__ import annotations

import shutil

import pytest

from tests.here import HERE
from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer

FUNCTION = """
import pytest


@pytest.mark.longctx(trials=2)
def test_own(ask, draw):
    assert ask("Say 1").text
"""


def collected(checkout: Checkout, *arguments: str, profile: str | None) -> list[str]:
    result = checkout.pytest("--collect-only", "-q", *arguments, profile=profile)
    assert result.code == 0, result.out
    return [line.partition("[")[2].rstrip("]") for line in result.out.splitlines() if "::" in line]


def test_by_default_what_was_recorded(checkout: Checkout) -> None:
    shutil.copytree(HERE.own("profiles"), checkout.file("fixtures/profiles"))
    ids = collected(checkout, profile=None)
    assert "qwen2.5-coder-0.5b-protocol-lines-3" in ids
    assert "gemma-3-270m-protocol-window-4096-k-4096" in ids


def test_by_default_the_only_one_of_the_project(checkout: Checkout) -> None:
    checkout.file("fixtures/profiles").mkdir()
    checkout.profile(LINES, name="fixtures/profiles/mine.toml")
    assert collected(checkout, "-kline_retrieval", profile=None) == ["toy-protocol-lines-3", "toy-protocol-lines-5"]
    checkout.profile(LINES, name="fixtures/profiles/other.toml")
    checkout.file("tests_longctx/test_own.py").write_text(FUNCTION)
    for arguments in (["--collect-only"], [], ["tests_longctx/test_own.py"], ["--ctx-estimate"]):
        result = checkout.pytest(*arguments, profile=None)
        assert result.code == 4
        assert result.says("No profile was given, and ", " has mine, other: name one of them", "[several-profiles]")
        assert (result.out + result.err).count("[several-profiles]") == 1, "once, and not for each file"
    assert checkout.pytest("-n2", profile=None).says("[several-profiles]", "1 failed")


def test_the_settings_of_the_project_name_its_default(checkout: Checkout) -> None:
    checkout.file("fixtures/profiles").mkdir()
    for name, lines in (("mine", LINES), ("other", LINES.replace("[3, 5]", "[7]")), ("recorded", PASSKEY)):
        checkout.profile(lines, name=f"fixtures/profiles/{name}.toml")
    checkout.file("pyproject.toml").write_text('[tool.longctx]\nprofile = "other"\n')
    assert collected(checkout, profile=None) == ["toy-protocol-lines-7"]


def test_by_name(checkout: Checkout) -> None:
    ids = collected(checkout, "--ctx-model=toy", profile="smoke")
    lines = [f"toy-protocol-lines-{lines}{order}" for order in ("", "-block_size-1") for lines in (5, 20)]
    assert ids == lines + [f"toy-protocol-window-1024-k-{k}" for k in (256, 512, 768, 1024)]


def test_by_path(checkout: Checkout) -> None:
    (checkout.folder / "sub").mkdir()
    checkout.profile(LINES, name="sub/mine.toml")
    assert collected(checkout, profile="sub/mine.toml") == ["toy-protocol-lines-3", "toy-protocol-lines-5"]


def test_a_test_that_a_profile_leaves_out_is_deselected(checkout: Checkout) -> None:
    for options in ([], ["-n1"], ["-q"]):
        result = checkout.pytest("-k", "passkey", *options)
        assert result.code == 5
        assert result.says("1 test was deselected: the profile 'tiny.toml' has no [passkey] table.")
    assert "table" not in checkout.pytest("-k", "passkey", "-qq").out


def test_two_profiles_are_refused(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-profile=tiny.toml", "--ctx-profile", "lines")
    assert result.code == 4
    assert result.says("--ctx-profile is given 2 times", "[option-given-twice]")
    assert not checkout.runs()
    assert checkout.pytest("--ctx-model=toy", "--ctx-model=toy", "--collect-only").code == 0


def test_the_command_line_overrides_a_profile_of_the_configuration(checkout: Checkout) -> None:
    checkout.file("pytest.ini").write_text("[pytest]\naddopts = --ctx-profile=nowhere\n")
    assert checkout.pytest("--collect-only").code == 0


def test_a_misspelled_option_is_suggested(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-profil=lines", profile=None)
    assert result.code == 4
    assert result.says("unrecognized arguments: --ctx-profil=lines", "Did you mean --ctx-profile?")


def test_an_option_that_is_an_entry_of_profiles_is_no_other_option(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-seed=3", profile=None)
    assert result.code == 4
    assert result.says("there is no option --ctx-seed. It is an entry of the profile: write seed = … at its top.")
    assert "--ctx-shard" not in result.out + result.err


def test_a_profile_that_names_no_model(checkout: Checkout) -> None:
    result = checkout.pytest(profile="smoke")
    assert result.code == 4
    assert result.says("'smoke'", "[no-model]")


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_function_without_a_table_runs_if_it_and_a_model_are_asked_for(
    checkout: Checkout, server: SimulatedServer, workers: str
) -> None:
    """Its file and --ctx-model; a folder chooses what the profile does."""
    checkout.file("tests_longctx/test_own.py").write_text(FUNCTION)
    for path in ("tests_longctx/test_own.py", "tests_longctx/test_own.py::test_own"):
        result = checkout.record(server, path, workers, "--ctx-model=toy", mode="all")
        assert (result.code, result.says("1 passed")) == (0, True), result.out
    whole = checkout.pytest("--ctx-model=toy", "tests_longctx", "--collect-only")
    assert whole.says("the profile 'tiny.toml' has no [test_own] table")
    named = checkout.pytest("tests_longctx/test_own.py")
    assert (named.code, named.says("has no [test_own] table")) == (5, True)
