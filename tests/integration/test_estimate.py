"""--ctx-estimate: what would be asked and what it costs, without key, network or anything written."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, PASSKEY, RECORD_ONLY, Checkout
from tests.servers import SimulatedServer, giving

PRICES = "[prices]\ninput = 3000\noutput = 15000\ndated = 2026-01-01\n"


def test_nothing_is_asked_or_written(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.file("fixtures/models/toy.toml").write_text(f"[tokens]\nline = 20\n\n{PRICES}")
    result = checkout.pytest("--ctx-estimate", f"--ctx-base-url={server.url}")
    assert result.code == 0
    assert result.says(
        "line_retrieval on toy: 4 of 4 trials need a request, about 720 input and at most 40 output tokens, about "
        "$2.76.",
        "passkey on toy: 4 of 4 trials need a request, about 960 input and at most 64 output tokens, about $3.84. "
        "Tokens by",
        "In all about $6.60.",
        "Estimate only: no requests were sent.",
    )
    assert result.out.splitlines()[0] == "About $6.60 for 8 trials; cap $5.00; nothing was sent."
    assert "Exit" not in result.out + result.err
    assert "!!!" not in result.out
    assert not server.received
    assert not checkout.file("cassettes").exists()
    assert not checkout.file("reports").exists()
    assert 'test = "passkey"' not in checkout.file("fixtures/models/toy.toml").read_text()


def test_several_estimates_are_a_table_and_the_price_of_all_comes_first(checkout: Checkout) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.file("fixtures/models/toy.toml").write_text(f"[tokens]\nline = 20\n\n{PRICES}")
    models = "--ctx-estimate", "--ctx-model=toy", "--ctx-model=other"
    for options in (["--verbosity=0"], ["--verbosity=0", "-n1"]):
        out = checkout.pytest(*models, *options).out
        lines = out.splitlines()
        assert lines[0].startswith("About $6.60 for 16 trials, without the models whose prices are not known")
        assert [line.split()[:2] for line in lines[3:9]] == [
            ["toy"],
            ["line_retrieval", "$2.76"],
            ["passkey", "$3.84"],
            ["other"],
            ["line_retrieval", "unknown"],
            ["passkey", "unknown"],
        ]
        assert "trials need a request" not in out
    assert checkout.pytest(*models, "-v").says("line_retrieval on toy: 4 of 4 trials need a request", "In all about")


def test_what_a_run_can_show_as_a_baseline_is_told_with_v(checkout: Checkout) -> None:
    checkout.profile("margin = 0.3\n", LINES)
    first = "As a baseline of line_retrieval: an unchanged model passes"
    assert first not in checkout.pytest("--ctx-estimate", "--verbosity=0").out
    assert checkout.pytest("--ctx-estimate").says(first)


def test_what_is_on_the_tape_is_not_asked_again(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "-k", "lines-3")
    assert checkout.pytest("--ctx-estimate").says("2 of 4 trials need a request")
    assert checkout.pytest("--ctx-estimate", "--ctx-record=all").says("4 of 4 trials need a request")
    assert checkout.pytest("--ctx-estimate", "-k", "lines-3").says("0 of 2 trials need a request")
    assert len(server.asked) == 2


def test_stale_recordings_are_reported(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "-k", "lines-3")
    estimate = "--ctx-estimate", "--ctx-prompts=chatty"
    stale = "2 more are stale, recorded for another request: --ctx-record new_episodes would send them, too."
    assert checkout.pytest(*estimate).says("2 of 4 trials need a request", stale)
    asked_too = checkout.pytest(*estimate, "--ctx-record=new_episodes")
    assert asked_too.says("4 of 4 trials need a request")
    assert stale not in asked_too.out


def test_old_prices_are_doubted(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-estimate", "--ctx-model=claude-haiku-4-5")
    assert "over a year ago" not in result.out
    checkout.file("fixtures/models/toy.toml").write_text(PRICES.replace("2026", "2024"))
    assert checkout.pytest("--ctx-estimate").says("The prices of toy are from 2024-01-01, over a year ago")


def test_a_model_without_prices_has_none(checkout: Checkout) -> None:
    assert checkout.pytest("--ctx-estimate").says("4 of 4 trials need a request", "price not known")


def test_with_workers_none_is_started(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-estimate", "-n1", page=True)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] == "Estimate only: no requests were sent."
    assert result.out.splitlines()[0] == "Price not known, for 4 trials; nothing was sent."
    assert len(result.out.splitlines()) == 4


def test_recordings_of_another_request_are_stale_whatever_changed(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server)
    checkout.file("fixtures/models/toy.toml").write_text('system = "You are terse."')
    assert checkout.pytest("--ctx-estimate").says("0 of 4 trials need a request", "4 more are stale")


@pytest.mark.parametrize("options", [["--ctx-estimate"], ["--ctx-record=once"]])
def test_a_model_of_another_vendor_needs_a_profile(checkout: Checkout, options: list[str]) -> None:
    result = checkout.pytest("--ctx-model=gpt-5-mini", *options)
    assert result.code == 4
    assert result.says("longctx models add gpt-5-mini --api openai-chat writes this file", "[model-of-another-vendor]")
    assert checkout.longctx("models", "add", "gpt-5-mini", "--api=openai-chat").code == 0
    assert checkout.pytest("--ctx-model=gpt-5-mini", "--ctx-estimate").says("4 of 4 trials need a request")


def test_a_model_that_was_misspelled_is_suggested(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-estimate", "--ctx-model=claude-haiku-4.5")
    assert result.says("price not known", "no profile of claude-haiku-4.5", "Did you mean 'claude-haiku-4-5'?")
    assert "Did you mean" not in checkout.pytest("--ctx-estimate", "--ctx-model=my-own-llama").out


LONG = '[line_retrieval]\nmodels = ["toy"]\nlines = [3, 500, 900]\norders = ["ordered"]\ntrials = 2\n'


def test_what_does_not_fit_is_named_and_has_no_price(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LONG, PASSKEY)
    checkout.file("fixtures/models/toy.toml").write_text(f"window = 4096\n\n[tokens]\nline = 20\n\n{PRICES}")
    named = "Left out: 2 cells of line_retrieval on toy. The first: toy-protocol-lines-500 takes about 10,100 tokens"
    estimated = checkout.pytest("--ctx-estimate")
    assert estimated.says(
        named, "line_retrieval on toy: 2 of 2 trials need a request, about 320 input", "passkey on toy: 4 of 4"
    )
    recorded = checkout.record(server, env=RECORD_ONLY)
    assert recorded.code == 1
    assert recorded.says(named, "Asked 6 of 6 trials", "Recorded in part")
    assert recorded.out.index("Left out:") < recorded.out.index("Asked 6 of 6")


def test_what_does_not_fit_by_the_servers_count_is_not_asked(checkout: Checkout, server: SimulatedServer) -> None:
    """By the profile, a prompt of three lines has 145 tokens; the server counts a prompt of its own, too."""
    checkout.file("fixtures/models/toy.toml").write_text("window = 512\n")
    server.counting = giving(b'{"input_tokens": 600}')
    result = checkout.record(server, env=RECORD_ONLY)
    assert result.code == 1
    assert result.says("Left out: 2 cells of line_retrieval on toy.", "but the window of toy is 512")
    assert not server.asked


def test_sizes_may_be_shares_of_the_window(checkout: Checkout) -> None:
    checkout.profile(LONG.replace("[3, 500, 900]", "[0.5, 1.0]"))
    assert checkout.pytest("--ctx-estimate").says("[share-without-window]", "models probe toy")
    checkout.file("fixtures/models/toy.toml").write_text("window = 4096\n")
    result = checkout.pytest("--ctx-estimate")
    assert (result.code, "Left out" in result.out) == (0, False)
    assert checkout.pytest("--collect-only", "-q").says("lines-129]", "lines-265]")


def test_the_smallest_margin_that_a_set_can_rule_out(checkout: Checkout) -> None:
    checkout.profile(PASSKEY)
    result = checkout.pytest("--ctx-estimate")
    assert result.says("passkey of toy, prompts protocol: 4 trials", "cannot pass at a margin of 5%: use"), result
    table = '[{}]\nmodels = ["toy"]\nwindows = [4096]\ntrials = 10\n'
    tests = ("variable_tracking", "frequent_words", "coreference", "aggregation")
    checkout.profile(*map(table.format, tests))
    checkout.take(*(f"tests_longctx/test_{test}.py" for test in tests))
    result = checkout.pytest("--ctx-estimate")
    assert result.says(
        "4 bands cannot pass at a margin of 5% with so few trials. The smallest margin that each can, if 10% of pairs "
        "change by chance: ",
        "frequent_words 35%",
    ), result
