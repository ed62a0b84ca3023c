"""Variable tracking, after RULER: the profile's [variable_tracking] tables give the grid."""

import pytest

from longctx.families.tracing_and_counting.protocol.tracking import VariableTracking


@pytest.mark.longctx(family=VariableTracking)
def test_variable_tracking(scenario, measure):
    measure(scenario)
