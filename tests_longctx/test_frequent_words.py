"""Frequent words, after RULER: the profile's [frequent_words] tables give the grid."""

import pytest

from longctx.families.tracing_and_counting.protocol.words import FrequentWords


@pytest.mark.longctx(family=FrequentWords)
def test_frequent_words(scenario, measure):
    measure(scenario)
