"""python -m longctx record: the asking pass without the tests, with pytest's arguments."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer

TINY = "--ctx-profile=tiny.toml"


def test_it_records_what_is_missing(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.longctx("record", TINY, f"--ctx-base-url={server.url}", "-k", "lines-3")
    assert result.code == 0
    assert result.says("asked 2 of 2 trials", "asked, no tests were run")
    assert len(server.asked) == checkout.episodes() == 2
    checkout.longctx("record", TINY, f"--ctx-base-url={server.url}")
    assert len(server.asked) == checkout.episodes() == 4
    assert checkout.pytest().code == 0


def test_the_record_mode_may_be_given(checkout: Checkout, server: SimulatedServer) -> None:
    for mode in (["--ctx-record=all"], ["--ctx-record", "all"]):
        checkout.longctx("record", TINY, f"--ctx-base-url={server.url}", *mode)
    assert len(server.asked) == 8


def test_from_another_folder(checkout: Checkout, server: SimulatedServer) -> None:
    """PYTHONPATH finds the suite; its tests and cassettes are its own, wherever it is called from."""
    (checkout.folder / "elsewhere").mkdir()
    there = Checkout(checkout.folder / "elsewhere", checkout.launcher)
    profile = f"--ctx-profile={checkout.file('tiny.toml')}"
    arguments = ("record", profile, f"--ctx-base-url={server.url}")
    result = there.longctx(*arguments, env={"PYTHONPATH": str(checkout.folder)})
    assert result.code == 0, result.out + result.err
    assert checkout.episodes() == 4


def test_a_mistake_is_a_sentence(checkout: Checkout) -> None:
    result = checkout.longctx("record", "--ctx-profile=tinny")
    assert result.code == 4
    assert result.says("No profile 'tinny'")
    assert checkout.longctx("recrod").code == 2
    assert checkout.longctx().code == 2
