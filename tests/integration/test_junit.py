"""--junitxml: each test's test, cell, model, rate with its interval and number of trials, and tokens."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.integration.conftest import Checkout
from tests.servers import Answer, Body, SimulatedServer, message, right

NAMES = {"test", "cell", "model", "prompt_set", "n", "correct", "tokens", "rate", "lo", "hi"}


def properties(checkout: Checkout) -> dict[str, dict[str, str]]:
    """Return the properties of each measured test by the name of the test."""
    by_test = {}
    for case in ET.parse(checkout.file("junit.xml")).iter("testcase"):
        pairs = [(node.attrib["name"], node.attrib["value"]) for node in case.iter("property")]
        assert len(dict(pairs)) == len(pairs)
        if pairs:
            by_test[case.attrib["name"]] = dict(pairs)
    return by_test


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_each_test_tells_what_it_measured(checkout: Checkout, server: SimulatedServer, workers: str) -> None:
    def script(body: Body) -> Answer:
        wrong = "line 5:" in body["messages"][0]["content"]
        usage = {"input_tokens": 100, "output_tokens": 3}
        return (200, {}, message("none", body, usage=usage)) if wrong else right(body)

    server.script = script
    checkout.record(server, workers, "--junitxml=junit.xml")
    by_test = properties(checkout)
    assert set(by_test) == {"test_line_retrieval[toy-protocol-lines-3]", "test_line_retrieval[toy-protocol-lines-5]"}
    assert all(set(names) == NAMES for names in by_test.values())
    assert by_test["test_line_retrieval[toy-protocol-lines-5]"] == {
        "test": "line_retrieval",
        "cell": "lines-5",
        "model": "toy",
        "prompt_set": "protocol",
        "n": "2",
        "correct": "0",
        "tokens": "206",
        "rate": "0.0",
        "lo": "0.0",
        "hi": "0.65762",
    }
    assert by_test["test_line_retrieval[toy-protocol-lines-3]"]["rate"] == "1.0"


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_what_was_not_measured_has_no_rate(checkout: Checkout, server: SimulatedServer, workers: str) -> None:
    checkout.record(server, "-k", "lines-3")
    checkout.options(min_rate=0.5)
    checkout.pytest(workers, "--junitxml=junit.xml")
    by_test = properties(checkout)
    assert by_test["test_line_retrieval[toy-protocol-lines-3]"]["minimum"] == "0.5"
    values = by_test["test_line_retrieval[toy-protocol-lines-5]"]
    assert (values["n"], values["tokens"]) == ("0", "0")
    assert not {"rate", "lo", "hi", "minimum"} & values.keys()
