"""Aggregation, after OOLONG: the profile's [aggregation] tables give the grid."""

import pytest

from longctx.families.aggregation import Aggregation


@pytest.mark.longctx(family=Aggregation)
def test_aggregation(scenario, measure):
    measure(scenario)
