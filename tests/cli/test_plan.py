"""`python -m longctx plan`."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.config.profiles import load_profile
from longctx.corpus.question_bank import load_bank
from longctx.engine.loads import SubjectBand, planned
from longctx.engine.run_plan import Plan
from longctx.engine.settings import Settings
from longctx.gate.bands import Band
from longctx.gate.power import Assumed, Load, Target, outlook
from longctx.results.row import Subject
from longctx.workspace import Workspace
from tests.cli.runs import rows, run
from tests.given import written
from tests.here import HERE
from tests.protocols import LineRetrieval
from tests.refusals import refused
from tests.rows import right_of

Capture = pytest.CaptureFixture[str]

LATER = "2026-11-23T00:00:00+00:00"
TABLES = """
[line_retrieval]
models = ["toy"]
lines = [5, 10, 40]
orders = ["ordered", "shuffled"]
trials = 50
max_tokens = 10
bands = { short = 10, long = 40 }

[passkey]
models = ["toy"]
windows = [1024, 2048]
distances = 4
trials = 10
"""
QA = """
[control]
models = ["claude-haiku-4-5"]
longest = 600
trials = 1000

[collage]
models = ["claude-haiku-4-5"]
budgets = [3000]
longest = 600
depths = ["beginning", "end"]
variants = ["none"]
trials = 60
max_tokens = 300
"""


def profile(folder: Path, *tables: str) -> str:
    return str(written(folder / "mine.toml", "".join(tables)))


def loads_with(
    name: str, *models: str, workspace: Workspace = HERE, corpus: Path | None = None, questions: Path | None = None
) -> dict[SubjectBand, Load]:
    return planned(Plan(Settings(profile=name, models=models, corpus=corpus, questions=questions), workspace))


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_load_of_each_band(tmp_path: Path) -> None:
    loads = loads_with(profile(tmp_path, TABLES))
    toy = Subject("toy", "protocol")
    assert {where: (load.trials, load.clusters) for where, load in loads.items()} == {
        (toy, Band("line_retrieval", "short")): (200, 200),
        (toy, Band("line_retrieval", "long")): (100, 100),
        (toy, Band("passkey", "all")): (80, 8),
    }
    short = loads[toy, Band("line_retrieval", "short")]
    assert (short.output_tokens, short.price) == (200 * 10, None)
    each = [LineRetrieval(lines, None).size_tokens({"line": 15.0}) for lines in (5, 10)]
    assert short.input_tokens == 100 * sum(each)


def test_each_prompt_costs_by_its_own_length(tmp_path: Path, within_mine: Workspace) -> None:
    """Files of 5 and 10 lines are of one band, on both sides of a boundary."""
    shorter, longer = (LineRetrieval(lines, None).size_tokens({"line": 15.0}) for lines in (5, 10))
    for boundary, dear in ((shorter - 1, (shorter, longer)), (shorter, (longer,)), (longer, ())):
        within_mine.own("models", "toy.toml").write_text(
            "[prices]\ninput = 1\noutput = 2\ndated = 2026-11-22\n"
            f"[[prices.above]]\ntokens = {boundary}\ninput = 10\noutput = 20\n"
        )
        loads = loads_with(profile(tmp_path, TABLES), workspace=within_mine)
        price = sum(100 * (size + 2 * 10) * (10 if size in dear else 1) for size in (shorter, longer)) / 1e6
        assert loads[Subject("toy", "protocol"), Band("line_retrieval", "short")].price == pytest.approx(price)


def test_questions_come_in_clusters_and_no_more_than_there_are(tmp_path: Path) -> None:
    loads = loads_with(profile(tmp_path, QA))
    by_band = {str(band): load for (_, band), load in loads.items()}
    assert by_band["collage, all"].trials == 120
    assert by_band["collage, all"].clusters < 60
    control = by_band["control, all"]
    assert 100 < control.trials < 430, "of the right section alone: the other records are not gated"
    assert control.price == pytest.approx((control.input_tokens + 5 * control.output_tokens) / 1e6)


def test_documents_of_ones_own_have_their_own_questions(tmp_path: Path) -> None:
    corpus, questions = HERE.own("handbook"), HERE.own("questions", "handbook.jsonl")
    table = '[control]\nmodels = ["toy"]\nlongest = 5000\ntrials = 430'
    [load] = loads_with(profile(tmp_path, table), corpus=corpus, questions=questions).values()
    assert load.trials == len(load_bank(HERE, corpus, questions, "toy").items)


def test_the_bank_for_gates_has_many_clusters(tmp_path: Path) -> None:
    table = """[collage]
models = ["toy"]
bank = "register-gate"
budgets = [70000]
depths = ["middle"]
variants = ["none"]
trials = 1204
"""
    [load] = loads_with(profile(tmp_path, table)).values()
    assert (load.trials, load.clusters) == (1204, 602)


def test_models_on_the_command_line_count_instead(tmp_path: Path) -> None:
    loads = loads_with(profile(tmp_path, TABLES), "a", "b")
    assert {subject.model for subject, _ in loads} == {"a", "b"}
    assert len(loads) == 6


def test_a_profile_without_models_or_trials_is_a_sentence(tmp_path: Path) -> None:
    with refused("no-model"):
        loads_with("paper")
    with refused("nothing-to-plan"):
        loads_with(profile(tmp_path, '[control]\nmodels = ["toy"]\nrecords = ["none"]\ntrials = 3'))


def test_a_guess(tmp_path: Path, capsys: Capture) -> None:
    assert main(["plan", "-v", "--profile", profile(tmp_path, TABLES), "--discordance", "0.02"]) == 0
    out = capsys.readouterr().out
    assert "its mid-p-value at 0.05 / 3 = 0.017: Holm's first and hardest step over 3 bands." in out
    assert "Discordance and rates are guesses; --from RUN_A RUN_B measures them." in out
    assert "line_retrieval short 200" in words(out)
    assert "0.020 guessed" in out
    assert out.splitlines()[-2].startswith(
        "Powered: line_retrieval (short). If nothing has changed, it passes with a probability of 90% or more. "
        "Underpowered: line_retrieval (long), passkey (all)."
    )


def test_a_plan_is_short_and_its_price_comes_first(capsys: Capture) -> None:
    assert main(["plan", "--profile", "gate-pr", "--model", "claude-haiku-5-5", "--power", "0.95"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("gate-pr on claude-haiku-5-5: 234 trials, about $")
    assert lines[1] == (
        "An unchanged model passes in 95%. Found in 95%: a drop of 12 points everywhere, or of 30 in one band."
    )
    assert lines[3].split("  ")[0] == "band"
    assert [line.partition("  ")[0] for line in lines[4:9]] == [
        "line retrieval, short",
        "collage, short",
        "coreference",
        "variable tracking",
        "all bands together",
    ]
    assert (len(lines), max(map(len, lines)) <= 110) == (12, True)


def test_what_two_runs_saw(tmp_path: Path, capsys: Capture) -> None:
    short, whose = {"band": "short"}, {"model": "toy"}
    before = run(tmp_path / "before", rows(*["correct"] * 40, **short, **whose))
    after = run(tmp_path / "after", rows(*right_of(37, 40), **short, **whose, recorded_at=LATER))
    base = ["plan", "-v", "--profile", profile(tmp_path, TABLES), "--from", str(before)]
    assert main([*base, str(after)]) == 0
    out = capsys.readouterr().out
    assert f"estimated from {before} and {after}" in out
    assert "0.095 of 40" in out
    assert "rates for line_retrieval (long), passkey (all) are guesses; the two runs have no pairs there." in out
    assert "with another model" not in out
    assert main([*base, str(after), "--model", "new"]) == 0
    assert "For line_retrieval (short), they come from another model or other prompts." in capsys.readouterr().out


def test_runs_that_say_nothing_are_a_sentence(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "one", rows("correct", "wrong", band="short"))
    again = run(tmp_path / "again", rows("correct", "wrong", band="short"))
    other = run(tmp_path / "other", rows("correct", seed=8, band="short"))
    for second, code in (
        (again, "same-recordings"),
        (other, "no-trial-in-common"),
        (tmp_path / "nowhere", "unknown-baseline"),
    ):
        assert main(["plan", "--from", str(first), str(second)]) == 2
        assert f"[{code}]" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--alpha", "--margin", "--power", "--drop", "--rate"])
@pytest.mark.parametrize("value", ["0", "1", "-0.1", "5%", "nan"])
def test_a_share_is_between_0_and_1(option: str, value: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["plan", f"{option}={value}"])
    assert caught.value.code == 2
    assert "[bad-share]" in words(capsys.readouterr().err)


def test_some_shares_may_be_0_or_1(capsys: Capture) -> None:
    for option, value, says in (
        ("--discordance", "1", "0 included, 1 not"),
        ("--correlation", "1.1", "0 and 1 included"),
    ):
        with pytest.raises(SystemExit):
            main(["plan", option, value])
        assert says in capsys.readouterr().err


def test_a_drop_is_no_larger_than_the_rate(capsys: Capture) -> None:
    assert main(["plan", "--drop", "0.6", "--rate", "0.5"]) == 2
    assert "[drop-above-rate]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "most", "bands", "drop", "guessed"),
    [
        ("gate", 22, 7, 0.1, Assumed()),
        ("gate-short", 1.3, 2, 0.15, Assumed()),
        ("gate-sets", 8.5, 3, 0.13, Assumed(discordance=0.2, rate=0.7)),
        ("gate-truth", 9, 4, 0.12, Assumed(discordance=0.2, rate=0.7)),
    ],
)
def test_the_profiles_for_gates_are_powered_at_their_price(
    name: str, most: float, bands: int, drop: float, guessed: Assumed
) -> None:
    """The guesses are cautious: how many pairs change, and how much the questions about one context tell."""
    loads = loads_with(name, "claude-haiku-5-5")
    profile = load_profile(HERE, name)
    assert profile.margin is not None
    wanted = Target(profile.margin, power=0.95, bands=len(loads), looks=profile.looks)
    passes = [
        outlook(
            load.trials,
            load.clusters,
            replace(guessed, correlation=Assumed.guess(load.in_contexts).correlation),
            wanted,
        )
        for load in loads.values()
    ]
    assert len(loads) == bands
    assert math.prod(band.passing for band in passes) >= 0.95
    shown = [band.smallest_paired or 1 for band in passes]
    assert max(shown) <= drop
    assert sum(load.price or most for load in loads.values()) <= most
    assert all(load.input_tokens / load.trials < 100_000 for load in loads.values()), "dearer above"


def test_thinking_that_is_assumed_is_a_part_of_the_price(capsys: Capture) -> None:
    """A reply of full length has 4,096 tokens of it; the user's length of replies, or a recording, replaces that."""
    named = "plan", "-v", "--profile", "gate-pr", "--model", "claude-sonnet-5-5"
    assert main([*named]) == 0
    text = capsys.readouterr().out
    pattern = r"\$([\d.]+) \(in batches \$([\d.]+)\)"
    whole, thinking = (float(part[1]) for part in (re.findall(pattern, text))[-2:])
    assert "is for thinking that no recording has measured: `thinking_tokens` in the profile of claude-sonnet" in text
    asked = sum(load.trials for load in loads_with("gate-pr", "claude-sonnet-5-5").values())
    assert 0.3 * asked < thinking / (4096 * 10e-6 / 2) < 0.9 * asked, "gates end early"
    assert main([*named, "--reply-tokens", "500"]) == 0
    text = capsys.readouterr().out
    assert "thinking" not in text.splitlines()[-1]
    assert whole > thinking


@pytest.mark.parametrize(("model", "most"), [("haiku", 0.1), ("sonnet", 2), ("opus", 4)])
def test_the_first_gate_for_pull_requests_costs_what_it_is_to_cost(model: str, most: float, capsys: Capture) -> None:
    """In batches, with replies of 500 tokens, where 5% of pairs change by chance."""
    named = "--profile", "gate-pr", "--model", f"claude-{model}-5-5", "--discordance", "0.05"
    assert main(["plan", "-v", *named, "--reply-tokens", "500"]) == 0
    text = capsys.readouterr().out
    price = re.search(r"Expected price: \$[\d.]+ \(in batches \$([\d.]+)\)", text)
    assert price is not None
    assert float(price[1]) <= most
    [row] = [line for line in text.splitlines() if line.startswith("all bands ") and " 0.050 guessed " in line]
    assert row.split()[2] == "234"
    assert "All bands together pass where that bound is below 7.5%, which they must, too." in text
    loads = loads_with("gate-pr", f"claude-{model}-5-5").values()
    assert sum(load.input_tokens for load in loads) <= 13_000 * sum(load.trials for load in loads)
    assert {load.trials for load in loads} <= {58, 60}
