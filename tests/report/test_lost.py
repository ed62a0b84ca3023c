"""The lost answers in words: each in a line of its own, whatever a model wrote."""

from __future__ import annotations

from longctx.report.document import Document, as_terminal
from longctx.report.gate_lines import LONGEST, LostAnswer, LostAnswers
from longctx.report.markdown_document import as_markdown
from tests.report.markdown import without_code


def test_texts_of_models_stay_in_their_cells() -> None:
    hostile = "\x1b[2J<img src=x> @everyone [a](http://b)\n| c |\n# d `e`"
    lost = LostAnswers((LostAnswer(f"test_it/all#{hostile}", "toy", hostile, hostile, hostile),), 1, "show")
    document = Document("Gate", (lost.sentence,), (lost.table,))
    lines = as_markdown(document).splitlines()
    row = lines[-1]
    assert lines[-2].startswith("| --- |")
    assert not {"<", "@", "\x1b", "["} & set(without_code(row))
    assert "\x1b" not in as_terminal(document)
    assert as_terminal(document).rstrip().count("\n") == 7


def test_a_long_answer_is_cut_and_one_that_is_not_kept_is_a_dash() -> None:
    lost = LostAnswers((LostAnswer("passkey/k-1#0", "toy", None, "y" * 200, "x " * 500),), 30, "show")
    [(_, before, after)] = lost.table.rows
    assert (len(str(before)), len(str(after))) == (LONGEST, LONGEST)
    assert lost.sentence.startswith("30 answers were lost: right in the baseline and not in this run; the first 1 are ")
    assert lost.sentence.endswith("To see all: show")
