"""The estimate names the recorded answers that do not count, and what asking them again costs."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

from longctx.cases.case import Case
from longctx.config.models import Prices
from longctx.live.estimating import estimate_live
from longctx.recording.tape import Tape
from tests.recording.examples import recorded
from tests.recording.test_versions import of_version

PRICES = Prices(dated=datetime.date(2026, 11, 1), input=1000.0, output=0.0)


def said(tape: Tape, case: Case) -> str:
    lines: list[str] = []
    estimate_live(tape, [case], lines.append)
    return "\n".join(lines)


def test_answers_of_an_earlier_version_are_counted_and_priced(tmp_path: Path) -> None:
    recorded(tmp_path, of_version(1))
    case = of_version(2)
    case = dataclasses.replace(case, model=case.model.model_copy(update={"prices": PRICES}))
    text = said(Tape(tmp_path, "once"), case)
    cost = f"${case.size_tokens / 1000:.2f}"
    assert (
        "collage on toy: 1 of the trials to ask has an answer of version 1, not used because these documents are drawn "
        f"by version 2 now. Asking again costs about {cost}. If they are as they were recorded, write version = 1"
    ) in text


def test_where_all_answers_count_nothing_is_said(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    assert "of version" not in said(tape, of_version(2))
    recorded(tmp_path, of_version(1))
    recorded(tmp_path, of_version(2))
    assert "of version" not in said(Tape(tmp_path, "once"), of_version(2))
