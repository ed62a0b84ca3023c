"""What protocols declare of their reports, and what cannot be loaded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.registry import shipped
from longctx.views.declared import DeclaredReporting, reporting_of
from longctx.views.reporting import Reporting
from tests.refusals import refused


def test_every_protocol_of_longctx_but_one_declares_a_report() -> None:
    plain = {name for name, test in shipped().items() if type(reporting_of(test)) is Reporting}
    assert plain == {"short_answers"}


def test_a_protocol_without_a_report_has_the_plain_one() -> None:
    reporting = reporting_of(replace(shipped()["passkey"], report=None))
    assert type(reporting) is Reporting
    assert reporting.tables([], None) is reporting.charts([], None) is reporting.analyse([], []) is None


def test_a_report_may_be_named_and_is_loaded_when_a_run_ends() -> None:
    assert isinstance(shipped()["passkey"].report, str)
    assert isinstance(reporting_of(shipped()["passkey"]), DeclaredReporting)


@pytest.mark.parametrize(
    ("report", "cause"),
    [("tests.no_such_module:REPORT", "ModuleNotFoundError"), ("builtins:dict", "it is not a Report but a type")],
)
def test_a_report_that_cannot_be_loaded_is_a_sentence(report: str, cause: str) -> None:
    with refused("protocol-not-usable", "'passkey'", report, cause):
        reporting_of(replace(shipped()["passkey"], report=report))
