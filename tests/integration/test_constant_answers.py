"""The best constant answer beside the accuracy of a test function that chooses letters, and in its gate."""

from __future__ import annotations

from tests.given import served
from tests.integration.conftest import Checkout
from tests.servers import Answer, Body, SimulatedServer, message

TEST = """
import pytest


@pytest.mark.longctx(trials=40)
def test_letter(ask, draw):
    right = "A" if draw.integer(0, 3) == 0 else "D"
    assert ask(f"Question {draw.integer(1, 10**9)}: A, B, C or D?").choice() == right
"""


def always(body: Body) -> Answer:
    return 200, {}, message("The answer is D", body)


server = served(always)


def test_always_the_same_letter_is_named_and_its_accuracy_cannot_be_lost(
    project: Checkout, server: SimulatedServer
) -> None:
    project.profile('about = "Letters."\nmodels = ["toy"]\n')
    project.file("test_letters.py").write_text(TEST)
    recorded = project.record(server, "-n2")
    assert recorded.code == 0, recorded.out + recorded.err
    rows = project.rows()
    assert {row["expected"] for row in rows} == {"A", "D"}
    assert {row["trace"]["choices"] for row in rows} == {4}
    constant = f"D {sum(row['expected'] == 'D' for row in rows) / 40:.2f}"
    assert f"best constant answer: {constant}" in project.folder.joinpath("reports/latest/summary.md").read_text()
    project.longctx("baseline", "save", "letters")
    gated = project.pytest("--ctx-baseline=letters", "-n2")
    assert gated.says("invalid", f"guessing, {constant[2:]},")
