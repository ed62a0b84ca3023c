"""Replies that are cut off: where they are most of what is not right, the end of the run says so, and what to do."""

from __future__ import annotations

from tests.integration.conftest import LINES, Checkout
from tests.servers import Answer, Body, SimulatedServer, find_answer, message, prompt_of

SENTENCE = "The REGISTER_CONTENT of the line that you asked me about in the file above is "


def talkative(body: Body) -> Answer:
    """Answer as a chat model does, with a sentence of some twenty tokens, cut off at max_tokens."""
    answer = SENTENCE + find_answer(prompt_of(body))
    cut = body["max_tokens"] < 20
    usage = {"input_tokens": 100, "output_tokens": body["max_tokens"] if cut else 20}
    text = " ".join(answer.split()[: body["max_tokens"]]) if cut else answer
    return 200, {}, message(text, body, stop_reason="max_tokens" if cut else "end_turn", usage=usage)


def test_the_end_of_a_run_says_how_many_what_to_do_and_where_they_are(
    checkout: Checkout, server: SimulatedServer
) -> None:
    server.script = talkative
    result = checkout.record(server, "--ctx-report=cut")
    assert result.says(
        "line_retrieval on toy, prompts protocol: 4 of 4 replies were cut off after 10 tokens and count as truncated.",
        "Raise max_tokens in [line_retrieval] of the profile",
        "python -m longctx show line_retrieval/lines-3#0 --run cut",
    )
    shown = checkout.longctx("show", "line_retrieval/lines-3#0", "--run", "cut")
    assert shown.says("# outcome: truncated", "# stopped by: max_tokens", "The REGISTER_CONTENT of the line")

    checkout.profile(LINES, "max_tokens = 64\n")
    again = checkout.record(server, mode="new_episodes")
    assert again.says("4 of 4 trials need a request", "4 live")
    assert "truncated" not in again.out
    assert {row["outcome"] for row in checkout.rows()} == {"correct"}


def test_smoke_leaves_room_for_a_sentence(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = talkative
    live = (f"--ctx-base-url={server.url}", "--ctx-record=once")
    result = checkout.pytest("--ctx-model=toy", "-k", "lines", *live, profile="smoke")
    assert result.code == 0
    assert "truncated" not in result.out
    assert {row["outcome"] for row in checkout.rows()} == {"correct"}
