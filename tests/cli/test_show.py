"""`python -m longctx show`."""

from __future__ import annotations

import re

import pytest

from longctx.cli import main


@pytest.mark.parametrize(
    ("options", "bank"), [([], "register-0.*@fbfefd978866"), (["--bank=register-gate"], "register-2.*@5da5639565dd")]
)
def test_a_question_is_of_the_bank_that_is_named(
    options: list[str], bank: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "control/longest-600-record-right#3", *options]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert re.fullmatch(f"# trial: control.v1/longest-600-record-right/{bank}/seed-0/trial-3/repeat-0", head)


@pytest.mark.parametrize(
    ("model", "ends"),
    [
        (["--model=qwen2.5-coder-0.5b"], "</Answers>\n\n# prefill\n{}\n"),
        (["--model=claude-haiku-5-5"], '</Answers>\nBegin your reply with "{}"\n'),
        ([], '</Answers>\nBegin your reply with "{}"\n'),
    ],
)
def test_a_prefill_is_shown_as_the_model_is_sent_it(
    model: list[str], ends: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that takes none is told to begin so."""
    assert main(["show", "control/longest-600-record-right#3", *model]) == 0
    begins = "Based on the government record provided, the correct answer to the question is:"
    assert capsys.readouterr().out.endswith(ends.format(begins))


def test_a_bank_that_there_is_not_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "control/longest-600-record-right#3", "--bank=gate"]) == 2
    assert "[unknown-bank]" in capsys.readouterr().err
