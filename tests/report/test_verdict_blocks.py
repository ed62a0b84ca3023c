"""What a reader of a verdict sees first."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.report.gate_lines import lost_answers, without_answers
from longctx.report.markdown_document import as_markdown
from longctx.report.verdict_blocks import MARKS, TextChange
from longctx.report.verdict_document import verdict_document
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.rows import digested, joined, right_of, run

ROOT = Path(__file__).parents[2]
CHANGED = ["prompt set: chatty → protocol", "prompt templates of line_retrieval: b1 → 01"]
SENT = {"input_tokens": 100, "cost_usd": 0.0, "source": "replayed"}


def of(right: int, band: str, number: int = 100, **fields: object) -> list[Row]:
    return run(*right_of(right, number), band=band, cell=band, **{**SENT, **fields})


def verdict_of(*bands: Both[int], number: int = 100) -> RunVerdict:
    """Return the verdict on bands of 100, 200, … tokens. bands: the right answers before and after."""
    sides = [
        joined(*(of(getattr(band, side), f"b{n}", number, input_tokens=100 * n) for n, band in enumerate(bands, 1)))
        for side in Both._fields
    ]
    return give_verdict(*sides, RULES)


def comment(verdict: RunVerdict, *texts: TextChange) -> str:
    return as_markdown(verdict_document(verdict, "lines", CHANGED, texts=texts))


def test_how_much_was_lost_in_which_bands_and_what_changed() -> None:
    diff = TextChange(
        "prompts/protocol/instruction.txt", ("-old", "+new"), instead_of="prompt templates of line_retrieval: "
    )
    text = comment(verdict_of(Both(90, 60), Both(80, 80)), diff)
    assert text.partition("<details><summary>Latency")[0] == (
        "### ❌ longctx: 30 of 200 answers lost, 0 gained\n\n"
        "prompts `chatty` → `protocol` · some-model · against `lines` · replayed, $0.00\n\n"
        "|  | before | after | change, points | lost / gained |  |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| line retrieval, 100 tokens | 0.90 | 0.60 | **-30.0** [-39.6, -21.9] | 30 / 0 of 100 | regression |\n"
        "| line retrieval, 200 tokens | 0.80 | 0.80 | **+0.0** [-3.7, +3.7] | 0 / 0 of 100 | pass |\n\n"
        "<details open><summary>What changed: <code>prompts/protocol/instruction.txt</code></summary>\n\n"
        "```diff\n-old\n+new\n```\n\n</details>\n\n"
    )


def test_a_change_of_server_stands_below_the_heading() -> None:
    text = as_markdown(verdict_document(verdict_of(Both(90, 60)), "f16", ["server f16 → q4"]))
    assert text.splitlines()[2] == "server `f16` → `q4` · some-model · against `f16` · replayed, $0.00"
    assert "Changed:" not in text.partition("<details><summary>Latency")[0]


def test_without_a_text_the_digest_is_named() -> None:
    assert "Changed: prompt templates of line_retrieval: b1 → 01." in comment(verdict_of(Both(90, 60)))


def test_of_many_bands_those_that_fail_are_shown() -> None:
    text = comment(verdict_of(*[Both(90, 90)] * 30, Both(90, 60))).partition("<details>")[0]
    assert len(text) < 1500
    assert "| line retrieval, 3,100 tokens | 0.90 | 0.60 |" in text
    assert text.count("| line retrieval") == 6
    assert "25 more bands: pass." in text


def test_a_replay_of_the_baseline_is_one_line() -> None:
    own = digested(joined(*(of(80, f"b{n}") for n in range(29))), "a")
    document = verdict_document(give_verdict(own, own, RULES), "main", [])
    said = "all 29 bands replay the baseline's own answers, so this says nothing about a new model or prompt"
    assert document.brief == f"Gate: pass - {said}"
    assert as_markdown(document).startswith(f"### ✅ longctx: {said}\n\nsome-model · against `main`")
    assert "| b1 |" not in as_markdown(document).partition("<details>")[0]


def test_the_line_of_a_replay_says_what_it_costs_more() -> None:
    before, after = (digested(of(80, "b1", cost_usd=cost), "a") for cost in (0.001, 0.003))
    document = verdict_document(give_verdict(before, after, RULES), "main", [])
    assert document.heading.endswith("a new model or prompt; costs 3 times as much")


def test_bands_that_replay_are_counted_beside_those_that_do_not() -> None:
    own = digested(joined(of(80, "b1"), of(80, "b2")), "a")
    other = joined(own[:100], digested(of(50, "b2"), "b"))
    text = as_markdown(verdict_document(give_verdict(own, other, RULES), "main", [])).partition("<details>")[0]
    assert "1 band replays the baseline's own answers." in text
    assert text.count("| line retrieval") == 1


def test_of_a_run_of_which_cells_were_left_out_bands_are_one_line() -> None:
    before, after = (joined(of(right, "b1"), of(right, "b2")) for right in (90, 70))
    given = give_verdict(before, after, replace(RULES, left_out=4, cells=6))
    document = verdict_document(given, "lines", CHANGED, lost=lost_answers(given, before, after, lambda *_: ({}, {})))
    assert document.brief == (
        "Gate: invalid - 4 of 6 cells were left out (-k, -x, --lf, --ctx-only): run all\n"
        "Against the baseline lines. Changed: prompt set: chatty → protocol; "
        "prompt templates of line_retrieval: b1 → 01.\n"
        "\n"
        "Measured so far, not a verdict: line retrieval, b1, 100 tokens -20.0 [-28.9, -13.3], n=100; "
        "line retrieval, b2, 100 tokens -20.0 [-28.9, -13.3], n=100."
    )
    assert "| line retrieval" not in as_markdown(document).partition("<details>")[0]


@pytest.mark.parametrize(
    ("both", "number", "verdict"),
    [
        (Both(90, 60), 100, "regression"),
        (Both(180, 180), 200, "pass"),
        (Both(18, 17), 20, "inconclusive"),
        (Both(0, 0), 100, "invalid"),
    ],
)
def test_ci_reads_the_verdict_from_the_first_line(tmp_path: Path, both: Both[int], number: int, verdict: str) -> None:
    given = verdict_of(both, number=number)
    assert given.verdict == verdict
    text = comment(given)
    assert text.startswith(f"### {MARKS[verdict]} longctx: ")
    (tmp_path / "gate.md").write_text(text)
    script = (ROOT / ".ci/gate").read_text()
    start = script.index("    verdict=\n")
    reading = script[start : script.index("esac\n", start) + 5]
    read = subprocess.run(
        ["sh", "-c", f'report={tmp_path}\n{reading}\necho "$verdict"'], capture_output=True, text=True, check=True
    )
    assert read.stdout == f"{verdict}\n"


@pytest.mark.parametrize(
    ("reason", "answers", "left"),
    [
        ("invented: 222, where QX-1 is accepted", ("It is 222.", "222", "QX-1"), "invented"),
        ("D, not C", ("D", "D", "C"), ""),
        ("the value of line 3, not of line 2", ("28038", "28038", "33130"), "the value of line 3, not of line 2"),
        (
            "assert '70 days' in '30 days.'\n +  where '30 days.' = ask()",
            ("30 days.", None, None),
            "assert '70 days' in '…'",
        ),
    ],
)
def test_a_reason_repeats_no_answer(reason: str, answers: tuple[str | None, ...], left: str) -> None:
    assert without_answers(reason, *answers) == left
