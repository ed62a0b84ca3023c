"""Graph walks: the profile's [graph_walks] tables give the grid."""

import pytest

from longctx.families.graph_walks.protocol import GraphWalks


@pytest.mark.longctx(family=GraphWalks)
def test_graph_walks(scenario, measure):
    measure(scenario)
