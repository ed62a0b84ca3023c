"""A 6,500-line file and its digest: built by the suite, and line by line as the original script did; and conversations.

Aims: at least 4 times faster than the script; at most 5 ms for a conversation of 100,000 tokens.
"""

import hashlib
import random
from pathlib import Path

import pytest

from longctx.config.prompts import PromptSet
from tests.here import HERE
from tests.protocols import Coreference, LineRetrieval

LINES = 6500
WORDS = PromptSet.open(HERE, "protocol").wording(LineRetrieval).templates


def suite() -> str:
    trial = LineRetrieval(LINES).build(WORDS, seed=0, index=0)
    return hashlib.sha256(trial.user.encode()).hexdigest()


def line_by_line(folder: Path) -> str:
    """One random number and one f-string a line, through a file, then a search for the target."""
    lines = ["Testing Long Context\n\n"]
    lines += [f"line {i}: REGISTER_CONTENT is <{random.randint(1, 50_000)}>\n" for i in range(1, LINES + 1)]
    target = random.randint(1, LINES)
    lines.insert(target, WORDS["instruction"].replace("{line}", str(target)) + "\n")
    with (folder / "prompt.txt").open("w") as file:
        file.writelines(lines)
    expected = next(line for line in lines if f"line {target}:" in line)
    assert expected
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.benchmark(group="a 6,500-line file with its digest")
def test_suite(benchmark):
    benchmark(suite)


@pytest.mark.benchmark(group="a 6,500-line file with its digest")
def test_line_by_line(benchmark, tmp_path):
    benchmark(line_by_line, tmp_path)


@pytest.mark.parametrize("window", [100_000, 1_000_000])
@pytest.mark.benchmark(group="a conversation of so many tokens")
def test_conversation(benchmark, window):
    words = PromptSet.open(HERE, "protocol").wording(Coreference).templates
    cell = Coreference(8, window, tokens={"exchange": 98.35, "fixed": 364})
    trial = benchmark(cell.build, words, 0, 0)
    assert len(trial.user) > 4 * window
