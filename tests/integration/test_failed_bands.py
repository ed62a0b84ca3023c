"""FAILED lines carry their reason, and each band that fails the gate is a failed test case, with workers too."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tests.integration.conftest import Checkout


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_failed_bands_are_test_cases(with_lines: Checkout, workers: str) -> None:
    options = "--ctx-profile=lines", "--ctx-baseline=lines", "--ctx-prompts=protocol", "--junit-xml=junit.xml", workers
    result = with_lines.pytest(*options, profile=None)
    assert result.code == 10
    assert re.search(r"FAILED gate::line_retrieval, short.* - regression: 51 of 200 lost, 12 gained", result.out)
    assert result.out.splitlines()[-1].startswith("GATE: REGRESSION in 2 of 2 bands (exit 10) · 2 failed, 6 passed")
    assert "= FAILURES =" not in result.out, "the table of bands has them"
    assert max(map(int, re.findall(r"\[ *(\d+)%\]", result.out))) == 100
    cases = ET.parse(with_lines.file("junit.xml")).getroot().iter("testcase")  # pytest wrote it
    failed = {case.get("name"): found.get("message") for case in cases if (found := case.find("failure")) is not None}
    assert sorted(str(name).partition(" [")[0] for name in failed) == [
        "line_retrieval, middle",
        "line_retrieval, short",
    ]
    assert all(str(message).startswith("regression: ") for message in failed.values())


def test_a_run_that_leaves_cells_out_has_one_verdict(with_lines: Checkout) -> None:
    options = "--ctx-profile=lines", "--ctx-baseline=lines", "--ctx-prompts=protocol", "-k", "lines-3", "-n0"
    result = with_lines.pytest(*options, profile=None)
    assert "GATE: INVALID in the whole run" in result.out
    assert [line.partition(" - ")[0] for line in result.out.splitlines() if line.startswith("FAILED gate")] == [
        "FAILED gate::the whole run"
    ]
    [short] = [line for line in result.out.splitlines() if re.match(r"line.retrieval +short", line)]
    assert "invalid" in short
    assert "regression" not in result.out


def test_a_pass_has_no_test_case_of_a_band(with_lines: Checkout) -> None:
    result = with_lines.pytest(
        "--ctx-profile=lines", "--ctx-baseline=lines", "--ctx-prompts=chatty", "-rA", profile=None
    )
    assert result.code == 0
    assert "gate::" not in result.out


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_failed_line_has_its_reason(with_lines: Checkout, workers: str) -> None:
    with_lines.options(min_rate=0.9)
    options = "--ctx-profile=lines", "--ctx-prompts=protocol", "-k", "lines-10", workers
    result = with_lines.pytest(*options, profile=None)
    assert result.code == 1
    failed = [line for line in result.out.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 2
    assert "cannot fail" not in result.out
    assert all(re.search(r" - Failed: accuracy 0\.\d\d < 0\.9", line) for line in failed)


def test_github_shows_what_failed_where_it_changed_or_at_its_test(with_lines: Checkout) -> None:
    """The names in commands are escaped: a colon or a comma would end a property."""
    with_lines.options(min_rate=0.9)
    options = "--ctx-profile=lines", "--ctx-baseline=lines", "--ctx-prompts=protocol", "-n1", "-q"
    result = with_lines.pytest(*options, profile=None, env={"GITHUB_ACTIONS": "true"})
    assert result.code == 10
    shown = [line for line in result.out.splitlines() if line.startswith("::error ")]
    [short, middle] = [line for line in shown if "regression" in line]
    place = re.escape("file=fixtures/prompts/protocol/line_retrieval/instruction.txt,line=1")
    title = re.escape("title=longctx%3A line_retrieval%2C short [qwen2.5-coder-0.5b%2C prompts protocol],")
    assert re.match(rf"::error {title}{place}::regression: 51 of 200 lost, 12 gained", short)
    assert "line_retrieval%2C middle" in middle
    own = [line for line in shown if "file=tests_longctx/test_line_retrieval.py,line=1::" in line]
    assert len(own) == len(shown) - 2
    assert sum("test_line_retrieval[" in line and "accuracy 0." in line for line in shown) == len(shown) - 2 > 0
    quiet = with_lines.pytest(*options, profile=None)
    assert "::error" not in quiet.out


def test_an_annotation_names_the_file_from_the_root_of_the_repository(with_lines: Checkout) -> None:
    with_lines.options(min_rate=0.9)
    env = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(with_lines.folder.parent)}
    result = with_lines.pytest("--ctx-profile=lines", "--ctx-prompts=protocol", "-k", "lines-10", profile=None, env=env)
    assert f"file={with_lines.folder.name}/tests_longctx/test_line_retrieval.py,line=" in result.out


def test_tests_that_no_accuracy_can_fail_say_so(with_lines: Checkout) -> None:
    """The accuracy of the cells of 10 lines is below 0.3, and they pass."""
    options = "--ctx-profile=lines", "--ctx-prompts=protocol", "-k", "lines-10"
    passed = with_lines.pytest(*options, profile=None)
    assert (passed.code, passed.out.count("no min_rate: accuracy cannot fail these tests")) == (0, 1)
    assert "no min_rate" not in with_lines.pytest(*options, "-q", "-q", profile=None).out
