"""How far a reader walks who follows the calls from two runs' rows to the verdict."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from types import FrameType

import longctx
from longctx.gate.verdict import Rules, give_verdict
from tests.rows import digested, joined, run

MOST_STAYS, MOST_RETURNS = 12, 2
"""Only lower them."""


def test_few_modules_are_returned_to() -> None:
    """The walk is along the public functions of `gate` and `compare`, in the order in which they are first entered.

    A stay is at one module, however many of its functions follow one another; a return is a stay where one was before.
    """
    entered: dict[tuple[str, str], None] = {}
    home = str(Path(longctx.__file__).parent)

    def enter(frame: FrameType, event: str, _: object) -> None:
        name, module = frame.f_code.co_name, frame.f_globals.get("__name__", "")
        if (
            event == "call"
            and frame.f_code.co_filename.startswith(home)
            and module.startswith(("longctx.gate.", "longctx.compare."))
            and frame.f_globals.get(name) is not None
            and getattr(frame.f_globals[name], "__code__", None) is frame.f_code
            and not name.startswith("_")
        ):
            entered[module, name] = None

    before, after = (digested(joined(run("correct", word, band="short")), word) for word in ("correct", "wrong"))
    earlier = sys.getprofile()
    sys.setprofile(enter)
    try:
        give_verdict(before, after, Rules(), {})
    finally:
        sys.setprofile(earlier)
    stays = [module for module, _ in groupby(module for module, _ in entered)]
    assert {"longctx.compare.pairs", "longctx.gate.bands", "longctx.gate.validity"} < {*stays}
    assert len(stays) <= MOST_STAYS
    assert len(stays) - len({*stays}) <= MOST_RETURNS
