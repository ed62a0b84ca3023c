"""Abstention, with the questions of long-context QA: the profile's [abstention] tables give the grid."""

import pytest

from longctx.families.abstention import Abstention


@pytest.mark.longctx(family=Abstention)
def test_abstention(scenario, measure):
    measure(scenario)
