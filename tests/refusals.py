"""Expects a UserError by its code, so that its sentence can be reworded: only tests/test_wording.py holds the words."""

from __future__ import annotations

import pytest

from longctx.errors import UserError


def refused(code: str, *names: object) -> pytest.RaisesExc[UserError]:
    """Return a context manager that expects a UserError with this code.

    names: what its sentence must name, such as the file.
    """

    def fits(error: UserError) -> bool:
        assert error.code == code
        for name in names:
            assert str(name) in error.sentence
        return True

    return pytest.raises(UserError, check=fits)
