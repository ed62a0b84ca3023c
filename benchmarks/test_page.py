"""How soon a report's page is usable in a browser, with 1,500 and with 15,000 trials of a made-up run.

Aim: at most 3 times as long with ten times the trials.
"""

import pytest

pytest.importorskip("playwright", reason="requirements-dev.txt has playwright, which drives the browser")

from tests.browser import MISSING, installed, launched
from tests.report.sample import rows, write_rows

CELLS = 24


@pytest.fixture(scope="module")
def tab():
    with launched(offline=True) as tab:
        yield tab


@pytest.mark.skipif(installed() is None, reason=MISSING)
@pytest.mark.benchmark(group="a page, opened until its list of trials can be filtered")
@pytest.mark.parametrize("trials", [1_500, 15_000])
def test_page(benchmark, tab, tmp_path, trials, small):
    page = write_rows(tmp_path, list(rows(trials // CELLS // (50 if small else 1))), "some-model")
    benchmark.pedantic(tab.open, args=(page.as_uri(),), rounds=5, warmup_rounds=1)
