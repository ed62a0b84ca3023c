"""The controls of long-context QA, from which the filter is made: the profile's [control] tables give the grid."""

import pytest

from longctx.families.long_context_qa.control import Control


@pytest.mark.longctx(family=Control)
def test_control(scenario, measure):
    measure(scenario)
