"""longctx measures how well language models find things in long contexts, with pytest.

The names below are its public API: docs/reference/api.md has them with examples. Modules deeper down may move.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from longctx.engine.run import Run as Run
    from longctx.errors import UserError as UserError
    from longctx.functions.ask import Ask as Ask
    from longctx.functions.case import Case as Case
    from longctx.functions.chunks import Chunks as Chunks
    from longctx.functions.chunks import chunks as chunks
    from longctx.functions.draw import Draw as Draw
    from longctx.functions.fixtures import Check as Check
    from longctx.functions.fixtures import Ctx as Ctx
    from longctx.functions.transcript import Probe as Probe
    from longctx.functions.transcript import Transcript as Transcript
    from longctx.functions.transcript import transcript as transcript
    from longctx.report.verdict_of import FileVerdict as FileVerdict
    from longctx.report.verdict_of import verdict_of as verdict_of
    from longctx.results.row import Row as Row
    from longctx.stats.rates import Rate as Rate
    from longctx.views.answers import Answers as Answers
    from longctx.views.chart import Chart as Chart
    from longctx.views.chart import Plot as Plot
    from longctx.views.chart import PlotMark as PlotMark
    from longctx.views.chart import Table as Table
    from longctx.vocabulary.answer import Answer as Answer
    from longctx.vocabulary.bank import Bank as Bank
    from longctx.vocabulary.counts import Counts as Counts
    from longctx.vocabulary.grid import Axes as Axes
    from longctx.vocabulary.grid import Count as Count
    from longctx.vocabulary.judging import unanswered as unanswered
    from longctx.vocabulary.point import Mark as Mark
    from longctx.vocabulary.point import Outcome as Outcome
    from longctx.vocabulary.protocol import protocol as protocol
    from longctx.vocabulary.protocol_cell import ProtocolAsk as ProtocolAsk
    from longctx.vocabulary.protocol_cell import ProtocolCell as ProtocolCell
    from longctx.vocabulary.protocol_cell import ProtocolDraw as ProtocolDraw
    from longctx.vocabulary.protocol_cell import TrialNumber as TrialNumber
    from longctx.vocabulary.questions import BankAxes as BankAxes
    from longctx.vocabulary.report import Causes as Causes
    from longctx.vocabulary.report import Report as Report
    from longctx.vocabulary.report import Reported as Reported
    from longctx.vocabulary.report import Shares as Shares
    from longctx.vocabulary.report import StatedMinimum as StatedMinimum
    from longctx.vocabulary.shapes import Context as Context
    from longctx.vocabulary.shapes import Piece as Piece
    from longctx.vocabulary.text import fill as fill
    from longctx.vocabulary.text import mark as mark

PUBLIC = {
    "longctx.functions.fixtures": ("Ctx", "Check"),
    "longctx.functions.ask": ("Ask",),
    "longctx.vocabulary.answer": ("Answer",),
    "longctx.functions.case": ("Case",),
    "longctx.functions.draw": ("Draw",),
    "longctx.functions.transcript": ("transcript", "Transcript", "Probe"),
    "longctx.functions.chunks": ("chunks", "Chunks"),
    "longctx.engine.run": ("Run",),
    "longctx.vocabulary.grid": ("Axes", "Count"),
    "longctx.vocabulary.protocol": ("protocol",),
    "longctx.vocabulary.protocol_cell": ("ProtocolAsk", "ProtocolDraw", "TrialNumber", "ProtocolCell"),
    "longctx.vocabulary.counts": ("Counts",),
    "longctx.vocabulary.point": ("Outcome", "Mark"),
    "longctx.vocabulary.shapes": ("Context", "Piece"),
    "longctx.vocabulary.text": ("fill", "mark"),
    "longctx.vocabulary.judging": ("unanswered",),
    "longctx.vocabulary.bank": ("Bank",),
    "longctx.vocabulary.questions": ("BankAxes",),
    "longctx.vocabulary.report": ("Report", "Shares", "Causes", "StatedMinimum", "Reported"),
    "longctx.report.verdict_of": ("verdict_of", "FileVerdict"),
    "longctx.results.row": ("Row",),
    "longctx.stats.rates": ("Rate",),
    "longctx.views.answers": ("Answers",),
    "longctx.views.chart": ("Table", "PlotMark", "Plot", "Chart"),
    "longctx.errors": ("UserError",),
}
"""The public names by the modules that define them, in the order of the reference. A module is imported when needed."""
__all__ = [name for names in PUBLIC.values() for name in names]

if not TYPE_CHECKING:  # so that type checkers know the names above and no others

    def __getattr__(name: str) -> Any:
        for module, names in PUBLIC.items():
            if name in names:
                value = globals()[name] = getattr(importlib.import_module(module), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
