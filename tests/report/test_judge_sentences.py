"""Sentences on judges: what is known of their errors, and what a verdict assumes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from longctx.gate.verdict import Rules, give_verdict
from longctx.report.judge_sentences import gate_sentences
from longctx.report.run_folder import as_json
from longctx.report.terminal import attention
from longctx.report.text import as_markdown
from longctx.report.verdict_document import verdict_document
from longctx.results.row import AGREEMENT, Row
from longctx.summary.summary import summarize
from tests.judges import LABELLED, rows


def banded(own: Sequence[Row]) -> list[Row]:
    return [replace(each, band=None if each.test.endswith("agreement") else "all") for each in own]


def test_a_judge_with_labels_is_shown_with_its_errors_and_what_they_correct() -> None:
    summary = summarize(rows(*LABELLED))
    (line,) = [line for line in attention(summary) if "judge" in line]
    assert line == (
        "! test_tone: the judge agrees with 9 of 12 labels (Cohen's kappa 0.47 [-0.13, 0.81]); accuracy "
        "without its errors 0.67 [0.00, 1.00]. 12 labels are too few to know how often the "
        "judge errs: accuracies to within 5% need about 1,203."
    )
    markdown = as_markdown(summary, "run")
    assert (
        "it calls 2 of 8 right answers (25% [7%, 59%]) wrong, and 1 of 4 wrong answers (25% [5%, 70%]) right"
        in markdown
    )
    assert "Accuracy 0.58, without these errors 0.67" in markdown
    (data,) = json.loads(as_json(summary, "run"))["judges"]
    assert data["labels"] == 12
    assert data["wrong_on_right"]["n"] == 8


def test_a_run_without_a_judge_says_nothing_of_one() -> None:
    plain = summarize([row for row in rows(*LABELLED) if not row.trace and row.test.endswith("polite")])
    assert "judges" not in json.loads(as_json(plain, "run"))
    assert "judge" not in as_markdown(plain, "run")


def test_many_labels_are_enough() -> None:
    summary = summarize(rows(*LABELLED * 101))
    assert not [line for line in attention(summary) if "too few" in line]


@pytest.mark.parametrize(("labels", "verdict"), [(0, "pass"), (10, "inconclusive"), (200, "pass")])
def test_a_judge_with_known_errors_decides_by_the_corrected_interval(labels: int, verdict: str) -> None:
    """12 of 400 lost and 4 gained: a drop of 5 points is ruled out if the grades are right, or their errors known."""
    same = [("Y", "")] * 344 + [("N", "")] * 40
    before, after = (banded(rows(*[(was, "")] * 12, *[(now, "")] * 4, *same)) for was, now in (("Y", "N"), ("N", "Y")))
    for number in range(labels):
        said, label = [("Y", "Y"), ("N", "N")][number % 2] if number % 20 > 1 else [("N", "Y"), ("Y", "N")][number % 2]
        of_label = {"test": f"test_tone.{AGREEMENT}", "item": f"case-{number}", "trial": number, "trace": {}}
        after.append(replace(after[0], **of_label, band=None, returned=said, expected=label))
    judged = give_verdict(before, after, Rules(margin=0.05))
    band = next(band for band in judged.bands if band.band.test == "test_tone")
    assert (band.verdict, judged.verdict) == (verdict, verdict)
    assert band.bound == pytest.approx(0.0387, abs=1e-4) if not labels else band.bound > 0.045
    *assumed, sentence = gate_sentences(judged)
    assert len(assumed) == (labels > 0)
    assert ("the verdict allows for them" in sentence) == bool(labels)
    assert ("10 labels are too few to know how often the judge errs" in sentence) == (labels == 10)


@pytest.mark.parametrize("labelled", [False, True])
def test_a_verdict_says_what_it_assumes_of_a_judge(labelled: bool) -> None:
    own = banded(rows(*(LABELLED if labelled else [(said, "") for said, _ in LABELLED])))
    verdict = give_verdict(own, own, Rules())
    sentences = list(gate_sentences(verdict))
    if labelled:
        assert sentences[0].startswith(
            "test_tone: equal errors of its judge before and after are assumed; `longctx data"
        )
        assert sentences[1].startswith("test_tone, all: +0.000 [")
        assert "without the judge's errors, if it errs as often in both runs" in sentences[1]
    else:
        assert sentences == [
            "test_tone: equal errors of its judge before and after are assumed, and its grades are taken as right; "
            "`longctx data labels RUN` writes answers to label, with which the verdict holds without that."
        ]
    document = verdict_document(verdict, "main", ())
    assert set(sentences) <= set(document.notes)
    assert all(sentence in document.brief for sentence in sentences)


def test_a_verdict_on_other_tests_says_nothing_of_judges() -> None:
    own = [row for row in banded(rows(*LABELLED)) if not row.trace]
    assert not list(gate_sentences(give_verdict(own, own, Rules())))
