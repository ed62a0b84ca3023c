"""Asks for a mistake by its code, so that its sentence can be reworded: tests/test_wording.py holds the words."""

from __future__ import annotations

import pytest

from longctx.errors import UserError


def refused(code: str, *names: object) -> pytest.RaisesExc[UserError]:
    """The context manager that expects this mistake. names: what its sentence must name, such as the file."""

    def fits(error: UserError) -> bool:
        assert error.code == code
        for name in names:
            assert str(name) in error.sentence
        return True

    return pytest.raises(UserError, check=fits)
