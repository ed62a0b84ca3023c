"""Multi-round coreference: the profile's [coreference] tables give the grid."""

import pytest

from longctx.families.coreference.protocol import Coreference


@pytest.mark.longctx(family=Coreference)
def test_coreference(scenario, measure):
    measure(scenario)
