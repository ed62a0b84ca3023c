"""python -m longctx show CELL --run RUN: what a run measured of a trial, beside its prompt."""

from __future__ import annotations

from tests.integration.conftest import NO_TEXT, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying

HOSTILE = "\x1b]0;title\x07 7\u202e"


def test_a_wrong_answer_with_its_reason_and_reply(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying(HOSTILE)
    checkout.record(server, "--ctx-model=a", "--ctx-model=b")
    result = checkout.longctx("show", "line_retrieval/lines-5#1", "--run=reports/latest")
    assert result.code == 0, result.err
    row = next(row for row in checkout.rows() if (row["model"], row["cell"], row["trial"]) == ("a", "lines-5", 1))
    for part in (
        "# measured: a, prompts protocol",
        "# measured: b, prompts protocol",
        f"# why: {row['why']}",
        "# returned: 0",
    ):
        assert f"{part}\n" in result.out
    assert "# reply\n\\x1b]0;title\\x07 7\\u202e\n" in result.out
    assert "\x1b" not in result.out
    output = checkout.longctx("show", "line_retrieval/lines-5#1", "--run=reports/latest", "--model=b").out
    assert "# measured: a" not in output
    asked = next(body for body in server.asked if row["expected"] in str(body) and body["model"] == "b")
    assert output.endswith(f"\n# user\n{asked['messages'][0]['content']}\n")
    assert "# prompt: not exactly as sent" not in output


def test_a_prompt_that_depends_on_the_model(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile("seed = 3\n", PASSKEY)
    checkout.record(server, "-k", "k-128")
    result = checkout.longctx("show", "passkey/window-256-k-128#1", "--run=reports/latest")
    assert result.code == 0
    assert "# trial: passkey.v1/window-256-k-128/seed-3/trial-1/repeat-0\n" in result.out
    assert "not exactly as sent" not in result.out


def test_without_text_the_reply_is_said_not_to_be_kept(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, env=NO_TEXT)
    result = checkout.longctx("show", "line_retrieval/lines-5", "--run=reports/latest")
    assert "# outcome: correct\n" in result.out
    assert "# reply: not kept (LONGCTX_TEXT=0)\n" in result.out


def test_a_mistake_is_a_sentence(recorded: Checkout) -> None:
    for arguments, sentence in (
        (["line_retrieval/lines-7", "--run=reports/latest"], "[cell-not-run]"),
        (["line_retrieval/lines-5#2", "--run=reports/latest"], "[unknown-trial]"),
        (["line_retrieval/lines-5", "--run=reports"], "[no-run]"),
    ):
        result = recorded.longctx("show", *arguments)
        assert result.code == 2
        assert result.says(sentence)
