"""python -m longctx plan: what a gate can show, before anything is asked."""

from __future__ import annotations

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying


def test_a_plan_asks_nothing_and_writes_nothing(checkout: Checkout) -> None:
    checkout.profile(LINES, PASSKEY)
    before = set(checkout.folder.rglob("*"))
    result = checkout.longctx("plan", "-v", "--profile=tiny.toml", "--margin=0.4", "--power=0.8")
    assert result.code == 0
    assert result.says(
        "Plan of the profile tiny.toml with a power of 80%",
        "0.05 / 2 = 0.025: Holm's first and hardest step over 2 bands.",
        "Prices of toy are not known",
        "line_retrieval all 4 ",
        "Underpowered: all bands.",
    )
    made = {path.name for path in set(checkout.folder.rglob("*")) - before if path.suffix != ".pyc"}
    assert made <= {"stdout", "stderr", "__pycache__"}


def test_from_two_runs_and_from_baselines(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-report=old")
    server.script = saying("0")
    checkout.record(server, "--ctx-report=new", "--ctx-model=other")
    plan = "plan", "-v", "--profile=tiny.toml"
    result = checkout.longctx(*plan, "--from", "old", "new")
    assert result.code == 0
    assert result.says(
        "estimated from old and new", "0.833 of 4 ", "Pairing gains nothing", "come from another model or other prompts"
    )
    assert checkout.longctx("baseline", "save", "first", "old").code == 0
    assert checkout.longctx(*plan, "--from", "first", "new").says("estimated from first and new", "0.833 of 4 ")
    result = checkout.longctx(*plan, "--from", "first", "old")
    assert result.code == 2
    assert result.says("first and old ", "[same-recordings]")


def test_a_mistake_is_a_sentence(checkout: Checkout) -> None:
    for arguments, sentence in (
        (["--profile=tinny.toml"], "[unknown-profile]"),
        (["--profile=paper"], "[no-model]"),
        (["--alpha=1"], "[bad-share]"),
        (["--from", "nowhere", "else"], "[unknown-baseline]"),
    ):
        result = checkout.longctx("plan", *arguments)
        assert result.code == 2
        assert result.says(sentence)
