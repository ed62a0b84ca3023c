"""The exit status and the last words of every command."""

from __future__ import annotations

import pytest

from longctx.cli import main, make_parser, models


def test_a_command_that_is_interrupted_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "_list", interrupted)
    assert main(["models", "list"]) == 2
    assert capsys.readouterr().err == "Stopped.\n"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["merge", "a", "--out", "b", "--max-aeg", "3"], "--max-age"),
        (["merge", "a", "--out", "b", "--basline", "main"], "--baseline"),
        (["merge", "a", "--out", "b", "--ctx-baseline", "main"], "--baseline"),
        (["models", "list", "--provder"], ""),
    ],
)
def test_an_unknown_option_suggests_the_one_that_was_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    said = capsys.readouterr().err
    assert "unrecognized arguments" in said
    assert said.endswith(f". Did you mean {meant}?\n" if meant else "--provder\n")


@pytest.mark.parametrize("option", ["--seed", "--ctx-seed", "--run-margin"])
def test_an_option_that_is_an_entry_of_profiles_is_told_as_one(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["merge", "a", "--out", "b", f"{option}=3"])
    entry = option.removeprefix("--").removeprefix("ctx-").replace("-", "_")
    assert capsys.readouterr().err.endswith(f"It is an entry of the profile: write {entry} = … at its top.\n")


def test_an_option_of_one_value_is_given_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["plan", "--profile=a", "--profile", "b"])
    assert "--profile: it is given twice: keep one." in capsys.readouterr().err
    repeatable = make_parser().parse_args(["data", "corpus", "stats", "x", "--budget=3", "--budget=4"])
    assert repeatable.budget == [3, 4]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mege", "a"], "there is no 'mege'. Did you mean 'merge'?"),
        (["data", "questions", "wirte"], "there is no 'wirte'. Did you mean 'write'?"),
        (["frobnicate"], "there is no 'frobnicate'. There are: init, demo, show,"),
    ],
)
def test_an_unknown_command_suggests_the_one_that_was_meant(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert said in capsys.readouterr().err
