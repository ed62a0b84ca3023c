"""Short answers, to questions of long-context QA: the profile's [short_answers] tables give the grid."""

import pytest

from longctx.families.short_answers import ShortAnswers


@pytest.mark.longctx(family=ShortAnswers)
def test_short_answers(scenario, measure):
    measure(scenario)
