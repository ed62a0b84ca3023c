"""The row of a trial: what its strategy of context management cost."""

from __future__ import annotations

from pathlib import Path

from longctx.cells.cell import Trial
from longctx.config.models import ModelProfile
from longctx.engine.measure import rows_of
from longctx.engine.run import Run
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.recording.trials import Exchange, Judged, Role
from longctx.results.trial_view import View
from longctx.vocabulary.answer import Answer
from tests.functions.examples import cell_of
from tests.given import dollars

MODEL = ModelProfile(model="toy", prices=dollars(1, 10))


def exchange(role: Role, input_tokens: int, latency_s: float) -> Exchange:
    reply = Answer("a", "end_turn", "toy", input_tokens, output_tokens=100_000, latency_s=latency_s)
    return Exchange(Place("f", "t", role, "protocol", "none"), reply, MODEL, role=role)


def test_its_own_requests_are_what_a_strategy_costs(tmp_path: Path) -> None:
    exchanges = [
        exchange("strategy", 1_000_000, 2.0),
        exchange("strategy", 3_000_000, 3.0),
        exchange("test", 5_000, 7.0),
    ]
    run = Run(profile={}, root=tmp_path)
    judged = Judged("correct", exchanges, View, kept=(30, 40))
    [row] = rows_of(run, Tape(tmp_path), Trial(cell_of(model=MODEL), 0), judged)
    assert (row.strategy_usd, row.strategy_s) == (6.0, 5.0)
    assert (row.cost_usd, row.latency_s) == (7.005, 12.0)
    assert (row.retained, row.input_tokens, row.returned) == (0.75, 4_005_000, None)
