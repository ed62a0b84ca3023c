"""python -m longctx record: the asking pass without the tests, with pytest's arguments."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer

TINY = "--ctx-profile=tiny.toml"


def test_it_records_what_is_missing(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.longctx("record", TINY, f"--ctx-base-url={server.url}", "-k", "lines-3")
    assert result.code == 0
    assert result.says("Asked 2 of 2 trials", "Recorded. The tests were not run.")
    assert len(server.asked) == checkout.episodes() == 2
    checkout.longctx("record", TINY, f"--ctx-base-url={server.url}")
    assert len(server.asked) == checkout.episodes() == 4
    assert checkout.pytest().code == 0


def test_the_record_mode_may_be_given(checkout: Checkout, server: SimulatedServer) -> None:
    for mode in (["--ctx-record=all"], ["--ctx-record", "all"]):
        checkout.longctx("record", TINY, f"--ctx-base-url={server.url}", *mode)
    assert len(server.asked) == 8


def test_options_may_be_given_without_their_prefix(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.longctx("record", "--profile=tiny.toml", "--base-url", server.url, "--trials=1", "-k", "lines-3")
    assert result.code == 0, result.err
    assert len(server.asked) == 1
    assert checkout.longctx("record", TINY, "--ctx-max-csot=1").says("Did you mean --ctx-max-cost?")
    assert checkout.pytest("--max-cost=1").says("Did you mean --ctx-max-cost?")


def test_from_a_subfolder(checkout: Checkout, server: SimulatedServer) -> None:
    """The project is found from within; what is recorded lies in its own folder."""
    within = Checkout(checkout.file("tests_longctx"), checkout.launcher)
    result = within.longctx("record", f"--ctx-profile={checkout.file('tiny.toml')}", f"--ctx-base-url={server.url}")
    assert result.code == 0, result.out + result.err
    assert checkout.episodes() == 4
    assert not within.episodes()


def test_a_mistake_is_a_sentence(checkout: Checkout) -> None:
    result = checkout.longctx("record", "--ctx-profile=tinny")
    assert result.code == 4
    assert result.says("[unknown-profile]", "'tinny'")
    assert checkout.longctx("recrod").code == 2
    assert checkout.longctx().code == 2


def test_stale_trials_are_told_with_the_command_that_records_them(checkout: Checkout, server: SimulatedServer) -> None:
    """The record mode once asks none of them, and no test runs that would tell."""
    record = "record", TINY, f"--ctx-base-url={server.url}"
    assert checkout.longctx(*record).code == 0
    assert "stale" not in checkout.longctx(*record).out
    checkout.file("fixtures/prompts/protocol/line_retrieval/instruction.txt").open("a").write(" Be brief.")
    result = checkout.longctx(*record)
    assert result.code == 1
    command = f"longctx record --ctx-record=new_episodes {TINY} --ctx-base-url={server.url}"
    assert result.says(
        "4 of 4 trials are stale", f"To record them: {command}", "Recorded in part. The tests were not run."
    )
    assert len(server.asked) == 4
    again = checkout.longctx(*command.split()[1:])
    assert (again.code, len(server.asked)) == (0, 8)
    assert checkout.longctx(*record).code == 0
