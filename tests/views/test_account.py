"""The accounts of families: those of longctx, those that a family names wrongly, and the default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.registry import shipped
from longctx.views.account import Account, account_of
from tests.refusals import refused


def test_every_family_of_longctx_has_an_account() -> None:
    assert all(isinstance(account_of(family), Account) for family in shipped().values())


def test_a_family_that_names_no_account_has_the_plain_one() -> None:
    account = account_of(replace(shipped()["passkey"], account=""))
    assert type(account) is Account
    assert account.tables([], None) is account.charts([], None) is account.analyse([], []) is None


@pytest.mark.parametrize(
    ("account", "code"),
    [
        ("tests.no_such_module:Account", "protocol-not-usable"),
        ("builtins:dict", "not-an-account"),
    ],
)
def test_an_account_that_cannot_be_loaded_is_a_sentence(account: str, code: str) -> None:
    with refused(code, "'passkey'", account):
        account_of(replace(shipped()["passkey"], account=account))
