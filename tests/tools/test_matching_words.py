"""The rates in docs/documents.md are those of the banks and of the recorded answers.

`python -m tests.tools.test_matching_words` writes them to the page.
"""

from __future__ import annotations

from functools import cache

from longctx import Run
from longctx.corpus.question_bank import load_bank
from longctx.engine.measure import Measurement
from longctx.protocols.reports.corpus_report import lexical_rates
from longctx.views.answers import CellSummary
from tests.here import HERE
from tests.tools.tables import table

PAGE = HERE.root / "docs/documents.md"
BUDGETS = 3_000, 70_000, 95_000
BANKS = {
    "`register`": "register",
    "`register-gate`": "register-gate",
    "`register-meaning`, [paraphrased](#a-bank-of-paraphrases)": "register-meaning",
    "`handbook`, as a small model wrote it": "handbook",
}
RIGHT = {"paraphrased": "longest-600-record-right", "usual": "longest-601-record-right"}
COLLAGE = "budget-2600-longest-600-depth-50-variant-none"
RECORDED = {
    "paraphrased, with the right section alone": RIGHT["paraphrased"],
    "usual, with the right section alone": RIGHT["usual"],
    "paraphrased, without a section": "longest-600-record-none",
    "paraphrased, in a record": COLLAGE,
    "usual, in a record without distractors": f"{COLLAGE}-distractors-0",
    "usual, in a record with four": f"{COLLAGE}-distractors-4",
}


@cache
def measured() -> Measurement:
    """Return what the recorded answers of the profile `matching` measure."""
    return Run("matching", root=HERE.root).measure()


def cells() -> dict[str, CellSummary]:
    return {each.cell: each for each in measured().summary.cells}


def of_banks() -> str:
    rows = []
    for name, folder in BANKS.items():
        bank = load_bank(HERE, HERE.find(folder), None, "", folder)
        sizes = [budget for budget in BUDGETS if budget <= sum(each.tokens for each in bank.sections.values())]
        rates = [f"{rate:.2f}" for rate in lexical_rates(bank, sizes or BUDGETS[:1]) if rate is not None]
        rows.append([name, *rates, *[""] * (len(BUDGETS) - len(rates)), "0.25"])
    return table(["bank", f"{BUDGETS[0]:,} tokens", *(f"{budget:,}" for budget in BUDGETS[1:]), "guessing"], rows)


def recorded() -> str:
    rows = [
        [asked, str(of.rate), str(of.lexical) if of.lexical.n else ""]
        for asked, of in ((asked, cells()[name]) for asked, name in RECORDED.items())
    ]
    return table(["questions", "the model", "matching words alone"], rows)


def written(page: str) -> str:
    """Return the page with its tables as they are now."""
    for name, made in (("banks", of_banks()), ("recorded", recorded())):
        begins, ends = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = page.partition(begins)
        page = f"{before}{begins}{made}\n{ends}{rest.partition(ends)[2]}"
    return page


def test_the_tables_of_the_page_are_those_of_the_banks_and_of_the_recorded_answers() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    assert page.count("| the model |") == page.count("| guessing |") == 1


def test_paraphrased_questions_stay_answerable() -> None:
    paraphrased, usual = (cells()[name].rate for name in RIGHT.values())
    assert paraphrased.rate >= 0.8 * usual.rate


def test_the_sentence_has_the_rate_of_the_recorded_answers() -> None:
    short = (HERE.root / "docs/protocols.md").read_text(encoding="utf-8")
    assert f"right in {cells()['budget-2600-longest-600-depth-50'].rate}" in " ".join(short.split())


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
