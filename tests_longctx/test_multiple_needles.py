"""Multiple needles, after RULER: the profile's [multiple_needles] tables give the grid."""

import pytest

from longctx.families.tracing_and_counting.protocol.needles import MultipleNeedles


@pytest.mark.longctx(family=MultipleNeedles)
def test_multiple_needles(scenario, measure):
    measure(scenario)
