"""Long-context QA over a randomized collage: the profile's [collage] tables give the grid."""

import pytest

from longctx.families.long_context_qa.collage import Collage


@pytest.mark.longctx(family=Collage)
def test_collage(scenario, measure):
    measure(scenario)
