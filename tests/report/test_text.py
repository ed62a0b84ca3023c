"""A run as text: what the terminal shows, and the Markdown of a pull request."""

from dataclasses import replace

import pytest

from longctx.report.markdown import plain
from longctx.report.text import as_markdown, cost_sentences, details_for_terminal, trials_sentence
from longctx.results.row import Row, Subject
from longctx.summary.costs import Cost, UsageSummary
from longctx.summary.summary import Answered, Summary, Truncated, summarize
from tests.report.markdown import without_code

TERMINAL = """\
70 trials: 1 live (1%); 59 replayed (84%), recorded 2026-11-20 to 2026-11-21; 10 not measured.

Line retrieval, some-model, prompts protocol: accuracy [95% interval] by number of lines

lines    ordered                 shuffled      blocks of 2
-------  ----------------------  ------------  ----------------------
5        0.30 [0.11, 0.60] n=10  not measured
10       0.10 [0.02, 0.40] n=10                0.00 [0.00, 0.28] n=10
"""

MARKDOWN = """\
# longctx run today

## Tests

```text
line retrieval        lines     5     10
  some-model        ordered  0.30*  0.10*
                blocks of 2     ·   0.00*
passkey  some-model  n=30  k_max 2,048 [2,048, 4,096] at 4,096 tokens
· not run; * fewer than 20 trials
```

70 trials: 1 live (1%); 59 replayed (84%), recorded 2026-11-20 to 2026-11-21; 10 not measured.

## Line retrieval, some-model, prompts protocol: accuracy [95% interval] by number of lines

| lines | ordered | shuffled | blocks of 2 |
| --- | --- | --- | --- |
| 5 | 0.30 [0.11, 0.60] n=10 | not measured |  |
| 10 | 0.10 [0.02, 0.40] n=10 |  | 0.00 [0.00, 0.28] n=10 |
"""

HOSTILE = '<script>alert("x")</script> | \x1b[31m{0}'


def without_trailing_spaces(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_the_terminal_shows_the_tables(summary: Summary) -> None:
    shown = without_trailing_spaces(details_for_terminal(summary))
    assert shown.startswith(TERMINAL)
    assert "\nk     some-model 4096\n" in shown
    assert "\nsome-model  protocol   4096      2,048 [2,048, 4,096]  2,048            -           -\n" in shown


def test_markdown_shows_the_tables(summary: Summary) -> None:
    shown = as_markdown(summary, "today")
    assert shown.startswith(MARKDOWN)
    assert shown.count("\n## ") == 5
    assert shown.endswith("|\n")


def test_markdown_has_the_tables_that_fit(summary: Summary) -> None:
    """The tests and what needs attention come first, and all of them: CI shows this file whole."""
    lines = [
        replace(cell, cell=f"lines-{n}", params={"lines": n, "block_size": None})
        for n in range(1, 400)
        for cell in summary.cells[:1]
    ]
    many = replace(summary, cells=(*lines, *summary.cells))
    shown = as_markdown(many, "today")
    assert shown.startswith("# longctx run today\n\n## Tests\n")
    assert (shown.count("\n## "), len(shown.encode()) < 25_000) == (4, True)
    assert "line retrieval, 20 of 399 lengths" in shown
    assert shown.endswith("\n\n1 more table is on the run's page, index.html.\n")


def test_no_name_ends_the_block_of_the_first_table(summary: Summary) -> None:
    cells = tuple(replace(cell, test="test_```_hostile") for cell in summary.cells[:1])
    shown = as_markdown(replace(summary, cells=cells, tests={}), "today")
    assert "\n````text\n" in shown


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({}, "70 trials: 1 live (1%); 59 replayed (84%), recorded 2026-11-20 to 2026-11-21; 10 not measured."),
        (
            {"live": 0, "replayed": 1234, "unmeasured": 0, "recorded": ("2026-11-21", "2026-11-21")},
            "1,234 trials: 0 live (0%); 1,234 replayed (100%), recorded 2026-11-21.",
        ),
        ({"live": 5, "replayed": 0, "unmeasured": 0, "recorded": None}, "5 trials: 5 live (100%); 0 replayed (0%)."),
        (
            {"live": 5, "replayed": 0, "unmeasured": 3, "recorded": None, "errors": {"early stop": 2, "stale": 1}},
            "8 trials: 5 live (62%); 0 replayed (0%); 2 left out by looks; 1 not measured.",
        ),
        ({"live": 0, "replayed": 0, "unmeasured": 0, "recorded": None}, "0 trials: 0 live (0%); 0 replayed (0%)."),
    ],
)
def test_the_headline_tells_live_from_replayed(summary: Summary, counts: dict[str, object], sentence: str) -> None:
    assert trials_sentence(replace(summary, **counts)) == sentence


@pytest.mark.parametrize(
    ("cached", "written", "sentence"),
    [
        (None, 0, "passkey on a: 200 input tokens; 5 output tokens."),
        (0, 0, "passkey on a: 200 input tokens (0% cached); 5 output tokens."),
        (50, 0, "passkey on a: 200 input tokens (25% cached); 5 output tokens."),
        (
            50,
            20,
            "passkey on a: 200 input tokens (25% cached, 10% written to the cache); 5 output tokens.",
        ),
        (
            None,
            20,
            "passkey on a: 200 input tokens (0% cached, 10% written to the cache); 5 output tokens.",
        ),
    ],
)
def test_the_cache_is_told_of_where_the_server_tells_of_it(
    summary: Summary, cached: int | None, written: int, sentence: str
) -> None:
    usage = UsageSummary("passkey", "a", 200, cached, 5, None, (1.0, 2.0), written)
    assert sentence in details_for_terminal(replace(summary, usage=(usage,)))


def test_a_model_that_answered_instead_of_another_is_reported(summary: Summary) -> None:
    others = (Answered("some-model", "b", 3, 60), Answered("c", "d", 2, 2), Answered("e", HOSTILE * 9, 1, 1))
    changed = replace(summary, answered=others)
    notes = "answered 3 of 60 trials.", "c was asked for, but the server says that d answered all 2 trials."
    for text in (details_for_terminal(changed), as_markdown(changed, "today")):
        assert all(sentence in text for sentence in notes)
        assert "…" in text
        assert "\x1b" not in text
    assert "<script" not in without_code(as_markdown(changed, "today"))


def test_where_replies_are_cut_off_the_fix_is_named(summary: Summary) -> None:
    subject = Subject("some-model", "protocol")
    cut = Truncated("line_retrieval", subject, 11, 12, (10, 10), False, "lines-5-block_size-1", 3)
    full = Truncated("passkey", subject, 2, 3, (1, 7), True, "window-400-k-40", 0)
    changed = replace(summary, truncated=(cut, full))
    notes = (
        "line_retrieval on some-model, prompts protocol: 11 of 12 replies were cut off after 10 tokens and count as "
        "truncated. Raise max_tokens in [line_retrieval] of the profile, or thinking_tokens in the model's if it "
        "thinks first; --ctx-record new_episodes then asks that table again. See the first with python -m longctx show "
        "line_retrieval/lines-5-block_size-1#3 --run reports/mine; in results.jsonl all have the outcome truncated."
    )
    assert notes in details_for_terminal(changed, "reports/mine")
    assert plain(notes.replace("reports/mine", "RUN")) in as_markdown(changed, "today")
    assert "2 of 3 replies were cut off after 1 to 7 tokens, with the window full, and count as truncated. Choose " in (
        details_for_terminal(changed, "reports/mine")
    )


def test_what_a_model_says_is_in_no_table() -> None:
    row = Row(
        run="today",
        model="some-model",
        prompt_set="protocol",
        prompt_digest="0123456789ab",
        test="line_retrieval",
        cell="lines-5",
        params={"lines": 5, "block_size": None},
        seed=0,
        trial=0,
        item=None,
        repeat=0,
        outcome="wrong",
        expected=HOSTILE,
        returned=HOSTILE,
        why=HOSTILE,
        error=HOSTILE,
        depth=0.5,
        distance_from_end=40,
        stop_reason=HOSTILE,
        source="live",
    )
    summary = summarize([row])
    for text in (details_for_terminal(summary), as_markdown(summary, "today")):
        assert "0.00 [0.00, 0.79] n=1" in text
        assert "script" not in text
        assert "\x1b" not in text


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (Cost("a", 200, 1.234, 0, 0.0, "2026-01-01"), "a: 200 live answers cost $1.23, at prices of 2026-01-01."),
        (Cost("a", 0, 0.0, 1, 0.5), "a: 1 answer replayed cost $0.50 when recorded."),
        (
            Cost("a", 1, 0.25, 2, 0.5, "2026-01-01"),
            "a: 1 live answer cost $0.25; 2 answers replayed cost $0.50 when recorded, at prices of 2026-01-01.",
        ),
        (
            Cost("a", 3, None, 0, 0.0),
            "a: the cost of 3 live answers is not known, since prices are missing ([prices] in the model's profile).",
        ),
        (
            Cost("a", 1, None, 2, 0.5),
            "a: the cost of 1 live answer is not known, since prices are missing ([prices] in the "
            "model's profile); 2 answers replayed cost $0.50 when recorded.",
        ),
        (Cost("a", 0, 0.0, 3, None), None),
        (Cost("own", 3, 0.0, 3, 0.0, "2026-01-01"), None),
    ],
)
def test_a_sentence_for_what_cost_something(cost: Cost, sentence: str | None) -> None:
    assert list(cost_sentences([cost])) == ([sentence] if sentence else [])
