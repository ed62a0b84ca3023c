import pytest
from several_keys import SeveralKeys


@pytest.mark.longctx(family=SeveralKeys)
def test_several_keys(scenario, measure):
    measure(scenario)
