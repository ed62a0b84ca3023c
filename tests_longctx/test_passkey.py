"""Passkey retrieval: the profile's [passkey] tables give the grid."""

import pytest

from longctx.families.passkey.protocol import Passkey


@pytest.mark.longctx(family=Passkey)
def test_passkey(scenario, measure):
    measure(scenario)
