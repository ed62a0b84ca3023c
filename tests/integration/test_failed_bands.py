"""FAILED lines carry their reason, and each band that fails the gate is a failed test case, with workers too."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET

import pytest

from tests.integration.conftest import ROOT, Checkout

RECORDINGS = "cassettes/qwen2.5-coder-0.5b/line_retrieval"


@pytest.fixture
def recorded(checkout: Checkout) -> Checkout:
    shutil.copytree(ROOT / RECORDINGS, checkout.file(RECORDINGS))
    shutil.copytree(ROOT / "fixtures/baselines", checkout.file("fixtures/baselines"), dirs_exist_ok=True)
    return checkout


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_failed_bands_are_test_cases(recorded: Checkout, workers: str) -> None:
    options = "--ctx-profile=lines", "--ctx-baseline=lines", "--ctx-prompts=protocol", "--junit-xml=junit.xml", workers
    result = recorded.pytest(*options, profile=None)
    assert result.code == 10
    assert re.search(r"FAILED gate::line_retrieval, short.* - regression: 51 of 200 lost, 12 gained", result.out)
    assert result.out.splitlines()[-1].startswith("GATE: REGRESSION in 2 of 2 bands (exit 10) · 2 failed, 6 passed")
    assert max(map(int, re.findall(r"\[ *(\d+)%\]", result.out))) == 100
    cases = ET.parse(recorded.file("junit.xml")).getroot().iter("testcase")  # pytest wrote it
    failed = {case.get("name"): found.get("message") for case in cases if (found := case.find("failure")) is not None}
    assert sorted(str(name).partition(" [")[0] for name in failed) == [
        "line_retrieval, middle",
        "line_retrieval, short",
    ]
    assert all(str(message).startswith("regression: ") for message in failed.values())


def test_a_pass_has_no_test_case_of_a_band(recorded: Checkout) -> None:
    result = recorded.pytest("--ctx-profile=lines", "--ctx-baseline=lines", "--ctx-prompts=chatty", "-rA", profile=None)
    assert result.code == 0
    assert "gate::" not in result.out


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_failed_line_has_its_reason(recorded: Checkout, workers: str) -> None:
    recorded.options(min_rate=0.9)
    options = "--ctx-profile=lines", "--ctx-prompts=protocol", "-k", "lines-10", workers
    result = recorded.pytest(*options, profile=None)
    assert result.code == 1
    failed = [line for line in result.out.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 2
    assert all(re.search(r" - Failed: rate 0\.\d\d < 0\.9", line) for line in failed)
