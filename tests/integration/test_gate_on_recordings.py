"""The gate on real recordings: the commands of docs/gate.md, and what they show there."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout

GATE = "--ctx-profile=lines", "--ctx-baseline=lines"

COLLAGE = """
[[collage]]
models = ["qwen2.5-coder-0.5b"]
prompts = ["tagged"]
budgets = [2600]
longest = 600
variants = ["none"]
letters = "control"
trials = 30
max_tokens = 300
"""


def test_the_same_prompts_pass_again(with_lines: Checkout) -> None:
    result = with_lines.pytest(*GATE, "--ctx-prompts=chatty", "-n2", profile=None)
    assert result.code == 0
    assert result.says("Gate: pass - all 2 bands replay the baseline's own answers")


def test_the_protocols_own_words_are_worse_for_this_model_and_a_regression(with_lines: Checkout) -> None:
    result = with_lines.pytest(*GATE, "--ctx-prompts=protocol", "-n1", profile=None)
    assert result.code == 10
    assert result.says(
        "Gate: regression - line_retrieval -0.195 in short; line_retrieval -0.170 in middle",
        "prompt set: chatty → protocol",
    )


@pytest.mark.parametrize(
    ("prompts", "left_out", "looks", "verdict"),
    [
        ("protocol", 48, (1, 1), "line_retrieval -0.417 in short; line_retrieval -0.306 in middle"),
        ("chatty", 24, (2, 1), "line_retrieval -0.150 in short; line_retrieval -0.278 in middle"),
    ],
)
def test_a_gate_of_two_models_that_stopped_early_replays_to_its_verdict(
    with_lines: Checkout, prompts: str, left_out: int, looks: tuple[int, int], verdict: str
) -> None:
    """Both runs were killed within a look and at its end, and resumed; the verdict is the one that they ended with."""
    options = "--ctx-profile=downgrade", "--ctx-baseline=downgrade", f"--ctx-prompts={prompts}"
    result = with_lines.pytest(*options, "-n1", profile=None)
    assert result.code == 10
    assert result.says(
        f"Gate: regression - {verdict}",
        f"120 trials: {120 - left_out} replayed, {left_out} left out by early stopping, 0 requests",
        "model: qwen2.5-coder-1.5b → qwen2.5-coder-0.5b",
    )
    bands = with_lines.gate()["tests"][0]["bands"]
    assert [(band["look"], band["looks"]) for band in bands] == [(look, 2) for look in looks]


def test_collages_of_four_and_five_sections_pass_against_their_own_baseline(checkout: Checkout) -> None:
    """The number of sections varies within a cell. The baseline is the one of the main branch, as it is kept."""
    checkout.take("cassettes/qwen2.5-coder-0.5b/collage", "fixtures/baselines", "tests_longctx/test_collage.py")
    checkout.profile(COLLAGE)
    result = checkout.pytest("--ctx-baseline=main")
    assert len({row["params"]["sections"] for row in checkout.rows()}) == 2
    assert result.code == 0
    assert result.says("Gate: pass - the only band replays the baseline's own answers")


@pytest.mark.parametrize(
    ("server", "profile", "code", "said"),
    [
        ("kv-q4_0", "table4", 10, ("80 trials: 80 replayed", "-17.5 [-29.3, -3.8] 16 / 2 of 80 regression")),
        ("kv-q8_0", "table4", 11, ("4 of 80 lost; a drop above 13 points is ruled out",)),
        ("rope-0.5", "table4", 11, ("11 of 80 lost; a drop above 32 points is ruled out",)),
        ("kv-q4_0", "table4-8k", 11, ("40 trials: 40 replayed", "-27.5 too few clusters 13 / 2 of 40")),
    ],
)
def test_a_changed_server_is_judged_on_its_own_recordings(
    checkout: Checkout, server: str, profile: str, code: int, said: tuple[str, ...]
) -> None:
    """They are in docs/serving.md."""
    for model in ("gemma-3-270m", f"gemma-3-270m,server={server}"):
        checkout.take(f"cassettes/{model}/passkey")
    checkout.take(f"fixtures/baselines/{profile}.jsonl", f"fixtures/profiles/{profile}.toml")
    options = f"--ctx-server={server}", f"--ctx-profile={profile}", f"--ctx-baseline={profile}", "-n2"
    result = checkout.pytest("tests_longctx/test_passkey.py", *options, profile=None)
    assert result.code == code
    assert result.says("replayed, 0 requests", f"server without a name → {server}", *said)


SHORT = """
[line_retrieval]
models = ["qwen2.5-coder-0.5b"]
lines = [{lines}]
orders = ["ordered", "shuffled"]
trials = 50
"""


def test_a_run_cut_from_5_to_3_lines_is_compared_unpaired(with_lines: Checkout) -> None:
    options = "--ctx-prompts=chatty", "-k", "line_retrieval", "-n1"
    with_lines.profile(SHORT.format(lines=5))
    assert with_lines.pytest(*options, "--ctx-report=five").code == 0
    with_lines.profile(SHORT.format(lines=3))
    result = with_lines.pytest(*options, "--ctx-baseline=five", "--ctx-report=three")
    assert result.code == 0
    assert result.says(
        "Gate: pass",
        "lines of line_retrieval: 5 → 3",
        "line_retrieval: lines 5 → 3: the items do not correspond, so the rates are compared unpaired, as those of two "
        "independent samples.",
        "100 and 100, unpaired",
    )
    compared = with_lines.longctx("compare", "five", "three", "-v")
    assert compared.code == 0
    assert compared.says("lines-5, lines 5 → 3", "n=50, 50 unpaired", "the items do not correspond, so unpaired.")
