"""What abstention reports: inventions and needless refusals beside right answers."""

from __future__ import annotations

from longctx.results.row import Row
from longctx.summary.summary import Summary, summarize
from tests.rows import joined, row, traced

NEEDLESS = {"not_there": 1, "needless_refusal": 1}


def rows(section: str, *told: tuple[str, dict[str, int]], letters: str | None = "own") -> list[Row]:
    place = {
        "test": "abstention",
        "cell": f"budget-600-longest-500-depth-50-section-{section}-letters-{letters}",
        "params": {"budget": 600, "longest": 500, "depth": 50, "section": section, "letters": letters},
        "model": "m",
    }
    return traced(*told, **place)


def made() -> Summary:
    present = rows("present", ("correct", {}), ("wrong", NEEDLESS), ("wrong", {}), ("refusal", {}))
    absent = rows("absent", *[("wrong", {"invented": 1})] * 9, ("correct", {"not_there": 1}))
    return summarize(joined(present, absent))


def test_rates_of_invention_and_of_needless_refusal() -> None:
    summary = made()
    test, cells = summary.tests["abstention"], summary.of("abstention")
    account, analysis = test.reporting, test.analysis
    right, wrong = account.views(cells, analysis)
    assert [(point.x, point.series, str(point.value)) for point in right.points] == [
        (600, "right answer, section in the record", "0.25 [0.05, 0.70] n=4"),
        (600, "abstention, section left out", "0.10 [0.02, 0.40] n=10"),
    ]
    assert [(point.series, point.value.correct, point.value.n) for point in wrong.points] == [
        ("invention, section left out", 9, 10),
        ("needless refusal, section in the record", 2, 4),
    ]
    assert [sentence for _, sentence in account.findings(cells, analysis)] == [
        "Abstention, m, prompts protocol, right answer, section in the record: 0.25 [0.05, 0.70] n=4, not "
        "significantly different from guessing (0.20).",
        "Abstention, m, prompts protocol, abstention, section left out: 0.10 [0.02, 0.40] n=10, not significantly "
        "different from guessing (0.20).",
        "Abstention, m, prompts protocol: in 9 of 10 trials without the section an answer is invented.",
    ]
    [entry] = account.data(analysis)["abstention"]
    assert (entry["invented"], entry["absent"], entry["needlessly_refused"], entry["present"]) == (9, 10, 2, 4)


def test_a_liking_for_a_letter_is_found_over_both_sections() -> None:
    letters = "ABCDE"
    asked = [
        row(
            "correct" if right == "D" else "wrong",
            test="abstention",
            cell=f"budget-600-longest-500-depth-50-section-{section}",
            params={"budget": 600, "longest": 500, "depth": 50, "section": section},
            model="m",
            trial=trial,
            expected=right,
            returned="D",
            trace={} if right == "D" or section == "present" else {"invented": 1},
        )
        for section in ("present", "absent")
        for trial, right in enumerate(letters)
    ]
    summary = summarize(asked)
    test, cells = summary.tests["abstention"], summary.of("abstention")
    account, analysis = test.reporting, test.analysis
    table = list(account.tables(cells, analysis) or ())[-1]
    assert table.title == "Letters, Abstention, m, prompts protocol, in 600 tokens: bias 0.80"
    said = [sentence.partition(": ")[2] for _, sentence in account.findings(cells, analysis)]
    assert said[-1].startswith("D is chosen in 10 of 10 answers and right in 2, in 600 tokens: ")
    [entry] = account.data(analysis)["abstention"]
    assert entry["letters"]["D"] == {"right": 2, "chosen": 10, "found": 2, "of": 10}


def test_the_earlier_version_is_named() -> None:
    summary = summarize(joined(rows("present", ("correct", {})), rows("present", ("wrong", {}), letters=None)))
    test, cells = summary.tests["abstention"], summary.of("abstention")
    right, _ = test.reporting.views(cells, test.analysis)
    assert [point.series for point in right.points] == [
        "right answer, section in the record",
        "right answer, section in the record (earlier version)",
    ]
