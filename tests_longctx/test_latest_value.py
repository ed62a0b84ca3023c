"""Latest value, after PI-LLM: the profile's [latest_value] tables give the grid."""

import pytest

from longctx.families.latest_value import LatestValue


@pytest.mark.longctx(family=LatestValue)
def test_latest_value(scenario, measure):
    measure(scenario)
