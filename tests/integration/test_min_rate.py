"""`min_rate`: a cell fails when its rate is shown to lie below, Holm's correction over the run."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from tests.integration.conftest import UNEVEN, Checkout
from tests.servers import SimulatedServer, saying


def test_without_a_minimum_a_wrong_answer_fails_nothing(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13")
    result = checkout.record(server)
    assert result.code == 0
    assert result.says("0.00 [0.00, 0.66] n=2")


def test_a_rate_that_is_shown_to_lie_below_fails_at_once(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13")
    checkout.options(min_rate=0.9)
    result = checkout.record(server)
    assert result.code == 1
    assert result.says(
        "accuracy 0.00 < 0.9: 0.00 [0.00, 0.66] n=2 is significantly below min_rate (p = 0.01)", "2 failed"
    )


def test_a_rate_that_is_not_shown_to_lie_below_passes(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13")
    checkout.options(min_rate=0.5)
    assert checkout.record(server).code == 0
    checkout.options(min_rate=0)
    assert checkout.pytest().code == 0


def test_the_projects_hook_goes_before_the_profile(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(UNEVEN.replace("trials", "min_rate = 0.99\ntrials"))
    server.script = saying("13")
    assert checkout.record(server).code == 1
    checkout.options(min_rate=0)
    assert checkout.pytest().code == 0


def test_what_only_holms_later_steps_show_fails_at_the_end(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(UNEVEN)
    server.script = saying("13")
    assert checkout.record(server).code == 0
    checkout.options(min_rate=0.8)
    for workers in ("-n0", "-n2"):
        result = checkout.pytest(workers, "--junitxml=junit.xml")
        assert result.code == 1
        assert result.says("n=4 is significantly below min_rate (p = 0.0016)", "2 failed, 1 deselected")
        assert result.says("n=2 is significantly below min_rate (p = 0.04)")
        assert " passed" not in result.out
        [suite] = ET.parse(checkout.file("junit.xml")).getroot()
        failed = {case.get("name") for case in suite if case.find("failure") is not None}
        assert failed == {f"test_line_retrieval[toy-protocol-lines-{lines}]" for lines in (3, 5)}
        assert suite.get("failures") == "2"


def test_a_cell_that_was_not_measured_is_invalid_not_short(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "-k", "lines-3")
    checkout.options(min_rate=0.9)
    result = checkout.pytest()
    assert result.code == 1
    assert result.says("invalid: 2 of 2 trials have no recording", "1 failed, 1 passed")
    assert "is significantly below" not in result.out
