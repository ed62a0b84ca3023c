"""results.csv beside every run, and results.parquet for a project that asks for it."""

from __future__ import annotations

import csv
import json

import pandas as pd

from tests.integration.conftest import LINES, NO_TEXT, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying

FORMULA = "=cmd|'/c calc'!A1 \x1b[31m 7"


PARQUET = "-o", "longctx_parquet=true"


def test_the_rows_as_csv_and_parquet(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, "-n1", "-k", "lines or k-256", *PARQUET)
    rows = checkout.rows()
    with checkout.file("reports/latest/results.csv").open(newline="") as file:
        csv_rows = list(csv.DictReader(file))
    frame = pd.read_parquet(checkout.file("reports/latest/results.parquet"))
    assert [row["expected"] for row in rows] == [row["expected"] for row in csv_rows] == frame["expected"].tolist()
    assert [row["input_tokens"] for row in rows] == frame["input_tokens"].tolist()
    assert [row["params"] for row in rows] == [json.loads(params) for params in frame["params"]]
    assert str(frame["input_tokens"].dtype) == "Int64"
    assert [pd.Timestamp(row["recorded_at"]) for row in rows] == frame["recorded_at"].tolist()
    assert frame["correct"].all()


def test_no_formula_reaches_a_spreadsheet(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying(FORMULA, model=FORMULA)
    checkout.record(server, "--ctx-label", "name==1+1", *PARQUET)
    with checkout.file("reports/latest/results.csv").open(newline="") as file:
        csv_rows = list(csv.DictReader(file))
    assert {row["model_returned"] for row in csv_rows} == {"'=cmd|'/c calc'!A1 \\x1b[31m 7"}
    assert set(pd.read_parquet(checkout.file("reports/latest/results.parquet"))["model_returned"]) == {FORMULA}


def test_without_text_there_is_none(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, *PARQUET, env=NO_TEXT)
    frame = pd.read_parquet(checkout.file("reports/latest/results.parquet"))
    assert frame[["expected", "returned", "why"]].isna().all(axis=None)


def test_merged_runs_have_parquet_if_one_of_them_has(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-report=reports/a")
    assert not checkout.file("reports/a/results.parquet").exists()
    checkout.pytest("--ctx-report=reports/b", *PARQUET)
    assert checkout.longctx("merge", "reports/a", "reports/b", "--out=reports/both", "--no-page").code == 0
    assert len(pd.read_parquet(checkout.file("reports/both/results.parquet"))) == len(checkout.rows("reports/both"))


def test_latest_may_be_a_file(recorded: Checkout) -> None:
    [run] = recorded.runs()
    latest = recorded.file("reports/latest")
    latest.unlink()
    latest.write_text(run.name)
    assert recorded.longctx("compare", "reports/latest", "reports/latest").code == 0
