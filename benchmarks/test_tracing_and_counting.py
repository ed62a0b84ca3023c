"""A prompt of 100,000 tokens of each test after RULER, built as its tokens are known.

Aim: at most 5 ms.
"""

import pytest

from longctx.config.prompts import PromptSet
from tests.here import HERE
from tests.protocols import FrequentWords, MultipleNeedles, VariableTracking

SLUGS = {
    VariableTracking: "window-100000-chains-8-hops-8",
    MultipleNeedles: "window-100000-keys-8-values-4-queries-4",
    FrequentWords: "window-100000-alpha_percent-200",
}
TOKENS = {"filler": 24, "first": 9, "hop": 11, "needle": 20, "query": 9, "dots": 1, "word": 3.4, "fixed": 330}


@pytest.mark.parametrize("kind", SLUGS, ids=lambda kind: kind.declared.name)
@pytest.mark.benchmark(group="a prompt of 100,000 tokens")
def test_build(benchmark, kind):
    words = PromptSet.open(HERE, "protocol").wording(kind).templates
    cell = kind.from_slug(SLUGS[kind]).fit(TOKENS | dict.fromkeys(words.get("frequent", "").split(), 3))
    assert len(benchmark(cell.build, words, seed=0, index=0).user) > 200_000
