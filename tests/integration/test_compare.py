"""python -m longctx compare: what a change of the model or of the words made better or worse."""

from __future__ import annotations

import shutil

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying

WRONG = "<script>alert(1)</script>\x1b[31m 0"


def test_a_model_against_another(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, "--ctx-report=old")
    server.script = saying(WRONG)
    checkout.record(server, "--ctx-report=new", "--ctx-model=other", "-k", "line_retrieval")
    result = checkout.longctx("compare", "old", "new", "-v")
    assert result.code == 0
    assert result.says(
        "line_retrieval, old: toy, prompts protocol; new: other, prompts protocol",
        "lines-3 1.00 [0.34, 1.00] n=2 0.00 [0.00, 0.66] n=2 -1.00 [-1.00, +0.32] n=2 0 2",
        "line_retrieval/lines-3#0 correct -> wrong",
        "passkey: only old measured toy, prompts protocol (4 trials), so it is not compared.",
    )
    assert checkout.longctx("compare", "old", "new", "--out", "page.html").code == 0
    page = checkout.file("page.html").read_text()
    assert "Content-Security-Policy" in page
    assert "alert(1)" not in page
    assert '"lost"' in page
    assert checkout.longctx("compare", "old", "new", "--out", "page.html").code == 2


def test_changed_words_under_their_own_name_or_another(checkout: Checkout, server: SimulatedServer) -> None:
    mine = checkout.file("fixtures/prompts/mine")
    shutil.copytree(checkout.file("fixtures/prompts/protocol"), mine)
    template = mine / "line_retrieval" / "instruction.txt"
    template.write_text(template.read_text().replace("Go to line", "Please! Go to line"))
    both = "--ctx-prompts=protocol", "--ctx-prompts=mine"
    checkout.record(server, "--ctx-report=both", *both)
    result = checkout.longctx("compare", "both", "--between=prompts", "-v")
    assert result.says("mine against protocol", "line_retrieval, toy: accuracy", "+0.00 [-0.66, +0.66]")
    template.write_text(template.read_text().replace("Please!", "Now!"))
    server.script = saying("0")
    checkout.record(server, "--ctx-report=changed", *both, mode="new_episodes")
    result = checkout.longctx("compare", "both", "changed", "-v")
    assert result.code == 0
    assert result.says(
        "line_retrieval: the prompt set 'mine' has another wording in changed (", "1.00 [0.34, 1.00] n=2"
    )


def test_what_cannot_be_compared_is_a_sentence(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-report=one")
    checkout.record(server, "--ctx-report=two", "--ctx-model=a", "--ctx-model=b")
    result = checkout.longctx("compare", "one", "two")
    assert result.code == 2
    assert result.says("(toy, prompts protocol)", "(a, prompts protocol)", "[unclear-comparison]")
    checkout.profile("seed = 5\n", LINES)
    checkout.record(server, "--ctx-report=three")
    assert checkout.longctx("compare", "one", "three").says("[no-trial-in-common]")
    assert checkout.longctx("compare", "one").says("[one-run-to-compare]")


def test_what_length_costs(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, "--ctx-report=run")
    result = checkout.longctx("compare", "run", "--across", "length")
    assert result.code == 0
    assert result.says(
        "Across length",
        "line_retrieval, toy, prompts protocol: difference to lines 3, unpaired, since the items do not correspond",
        "Effective length: longest length up to which the accuracy is significantly at least 85% of that",
        "[3, 5 or more]",
    )
    assert "passkey" not in result.out  # one window
    assert checkout.longctx("compare", "run", "--across", "k", "--share", "0.5").says("passkey", "at least 50% of that")
    for arguments, code in (
        (("run", "--across", "colour"), "nothing-across"),
        (("run", "run", "--across", "length"), "across-of-several-runs"),
        (("run", "--across", "length", "--share", "0"), "bad-share"),
    ):
        refused = checkout.longctx("compare", *arguments)
        assert (refused.code, code in refused.err) == (2, True)


def test_models_within_a_run_have_their_effective_lengths(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-report=both", "--ctx-model=toy", "--ctx-model=other", "-k", "line_retrieval")
    result = checkout.longctx("compare", "both", "--between=model", "-v")
    assert result.says("toy against other", "Effective length: longest length")
