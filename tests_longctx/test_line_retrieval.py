"""The Little Retrieval Test: the profile's [line_retrieval] tables give the grid."""

import pytest

from longctx.families.line_retrieval.protocol import LineRetrieval


@pytest.mark.longctx(family=LineRetrieval)
def test_line_retrieval(scenario, measure):
    measure(scenario)
