"""longctx serving: two servers of one model, compared by length."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import ROOT, Checkout, Result
from tests.servers import Answer, Body, Saying, failing, giving, message, prompt_of, right

SERVED = """
[[line_retrieval]]
lines = [3, 12]
orders = ["ordered"]
trials = 130
bands = { short = 3, long = 12 }
"""
WRONG = "7"


def lines_in(body: Body) -> int:
    return prompt_of(body).count("\nline ")


def mostly(wrong_from: int = 99, share: int = 8) -> Any:
    """Return a script: one of `share` answers is wrong, and from some number of lines on every other one is."""

    def script(body: Body) -> Answer:
        drawn = sum(map(ord, prompt_of(body)))
        bad = drawn % share == 0 or (lines_in(body) >= wrong_from and drawn % 2 == 0)
        return (200, {}, message(WRONG, body)) if bad else right(body)

    return script


@pytest.fixture
def both() -> Iterator[tuple[Saying, Saying]]:
    with Saying(mostly()) as old, Saying(mostly()) as new:
        yield old, new


@pytest.fixture
def served(checkout: Checkout) -> Checkout:
    checkout.file("fixtures/profiles").mkdir(exist_ok=True)
    checkout.profile(SERVED, name="fixtures/profiles/served.toml")
    return checkout


def serving(checkout: Checkout, old: object, new: object, *more: object) -> Result:
    return checkout.longctx("serving", old, new, "--model=toy", "--profile=served", *more)


def test_a_loss_is_found_at_the_length_where_it_is(served: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    new.script = mostly(wrong_from=12)
    run = serving(served, f"f16={old.url}", f"q4={new.url}")
    assert run.code == 10, run.out + run.err
    assert run.says("SERVING: REGRESSION at long (exit 10)", "Up to short a loss of 5 points is ruled out.")
    assert run.says("old: vLLM 0.29.0, recorded as f16 · new: vLLM 0.29.0, recorded as q4")
    assert run.says(
        "Prompts: 260 of 260 have the same number of tokens on both.",
        "old repeats itself: of 20 trials asked twice no reply and no outcome differs.",
    )
    assert {path.name for path in served.file("cassettes").iterdir()} >= {"toy,server=f16", "toy,server=q4"}
    sent = len(old.received) + len(new.received)
    replayed = serving(served, "f16", "q4", "--out=again")
    assert replayed.code == 10
    assert _tables(replayed) == _tables(run), "a recorded comparison has the same verdict"
    assert served.read("again/serving.json")["verdict"] == "regression"
    assert replayed.out.splitlines()[-2].endswith("again/index.html")
    page, text = (served.file(f"again/{name}").read_text() for name in ("index.html", "serving.md"))
    assert text.startswith("### ❌ longctx serving: regression. Up to short a loss of 5 points is ruled out.")
    for said in (page, text):
        assert "vLLM 0.29.0" in said
        assert "Lost answers" in said or "lost answers" in said
    assert ">server f16 → q4</h1>" in page
    assert 'id="explorer"' in page
    assert len(old.received) + len(new.received) == sent, "and sends nothing"
    named = serving(served, "f16", f"q4={new.url}")
    assert named.says(f"serving: nothing was sent to {new.url}: 260 of 260 answers are recordings of")


def _tables(run: Result) -> str:
    return re.sub(r"\nReport: .*", "", run.out[run.out.index("Prompts: 2") :])


SHORT = """
[line_retrieval]
lines = [5]
orders = ["ordered"]
trials = 40
bands = { 5 = 5 }
"""


@pytest.fixture
def short(served: Checkout) -> Checkout:
    served.profile(SHORT, name="fixtures/profiles/served.toml")
    return served


def counted(factor: float, most: int = 1_000_000) -> Any:
    """Return a script of a server that counts other tokens, or reads at most so many."""

    def script(body: Body) -> Answer:
        status, headers, content = mostly()(body)
        answer = json.loads(content)
        tokens = answer["usage"]["input_tokens"]
        answer["usage"]["input_tokens"] = min(round(tokens * factor), most)
        return status, headers, json.dumps(answer).encode()

    return script


def test_another_tokenizer_or_template_is_the_first_line(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    new.script = counted(1.2)
    run = serving(short, old.url, new.url)
    assert _report(run)[0].startswith("Prompts: 40 of 40 (100%) have another number of tokens on new, such as ")
    assert "in line_retrieval/lines-5#" in _report(run)[0]


def _report(run: Result) -> list[str]:
    return run.out.partition("\n\n")[2].splitlines()


def test_prompts_that_new_cut_are_not_measured(served: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    new.script = counted(1, most=80)
    served.profile(SERVED.replace("130", "40"), name="fixtures/profiles/served.toml")
    run = serving(served, old.url, new.url)
    assert run.code == 12
    assert "40 prompts were cut and not measured" in _report(run)[0]
    assert run.says("SERVING: INVALID (exit 12)")


def test_a_server_asked_again_by_its_url_is_asked_anew(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    assert serving(short, f"good={old.url}", new.url).code in (0, 11)
    before = len(new.asked)
    run = serving(short, "good", new.url)
    assert len(new.asked) == 2 * before, run.out + run.err
    assert run.says("old: vLLM 0.29.0, good, recorded on")


def test_known_good_answers_are_a_baseline(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    options = "--ctx-save-baseline=good", "--ctx-model=toy"
    assert short.record(old, *options, profile="fixtures/profiles/served.toml").code == 0
    asked = len(old.asked)
    new.script = mostly(wrong_from=0)
    run = serving(short, "good", new.url)
    assert run.code == 10
    assert len(old.asked) == asked
    assert run.says("old: the baseline good, recorded on", "No trial of old was asked twice")


DISTANCES = """
[passkey]
windows = [256]
distances = 40
trials = 1
bands = { 256 = 256 }
"""


def test_the_first_trials_are_a_part_of_a_band_that_has_a_cell_per_trial(
    served: Checkout, both: tuple[Saying, Saying]
) -> None:
    old, new = both
    served.profile(DISTANCES, name="fixtures/profiles/served.toml")
    assert serving(served, old.url, new.url, "--out=out").code in (0, 11)
    [band] = served.read("out/serving.json")["bands"]
    assert band["n"] == 40 - 10
    assert len(new.asked) == 40
    assert len(old.asked) == 40 + 10, "the first trials are asked twice"


def test_noise_is_shown(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    numbers = iter(range(10**6))
    old.script = lambda body: right(body) if next(numbers) % 3 else (200, {}, message(WRONG, body))
    run = serving(short, old.url, new.url)
    assert run.says("old does not repeat itself: of 10 trials asked twice")


def test_another_fingerprint_of_the_answers_is_shown_and_decides_nothing(
    short: Checkout, both: tuple[Saying, Saying]
) -> None:
    def named(fingerprint: str) -> Any:
        def script(body: Body) -> Answer:
            status, headers, content = mostly()(body)
            return status, headers, json.dumps(json.loads(content) | {"system_fingerprint": fingerprint}).encode()

        return script

    old, new = both
    old.script, new.script = named("fp_1"), named("fp_2\n::error")
    run = serving(short, f"one={old.url}", f"two={new.url}")
    assert run.code in (0, 11)
    said = "They say of themselves: system fingerprint fp_1 → fp_2"
    assert run.says(said)
    assert not any(line.startswith("::error") for line in run.out.splitlines())
    assert serving(short, "one", "two").says(said)


def test_bands_without_room_say_how_to_get_it(served: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    served.profile(SERVED.replace("130", "60"), name="fixtures/profiles/served.toml")
    old.script = new.script = lambda body: right(body) if lines_in(body) < 12 else (200, {}, message(WRONG, body))
    run = serving(served, old.url, new.url)
    assert run.says(
        "line retrieval at long: old is right in 0 of its first 10 trials, below 0.30",
        "choose fewer or smaller lines",
        "line retrieval at short: old is right in 10 of its first 10 trials",
        "choose more or larger lines",
    )
    assert not any(lines_in(body) >= 12 for body in new.asked), "nothing is asked that cannot be judged"


def test_a_profile_without_any_room_never_passes(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    old.script = new.script = lambda body: (200, {}, message(WRONG, body))
    run = serving(short, old.url, new.url)
    assert run.code == 12
    assert run.says("No band has room for a loss: choose other sizes.", "SERVING: INVALID (exit 12)")
    [page] = short.file("reports").glob("serving-*/index.html")
    assert "No band has room for a loss: choose other sizes." in page.read_text()


def test_a_window_that_only_new_cannot_hold(served: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    served.profile(
        SERVED.replace("[3, 12]", "[3, 60, 400]").replace("130", "20").replace("long = 12", "long = 60, far = 400"),
        name="fixtures/profiles/served.toml",
    )
    old.said = {"/props": {"build_info": "b1", "default_generation_settings": {"n_ctx": 2048}}}
    new.said = {"/props": {"build_info": "b2", "default_generation_settings": {"n_ctx": 512}}}
    run = serving(served, old.url, new.url)
    assert run.code == 12
    assert run.says(
        "old: llama.cpp b1, window 2,048",
        "They say of themselves: software llama.cpp b1 → llama.cpp b2; window 2048 → 512.",
        "1 cell is left out that old cannot hold, or has no answers of.",
        "New cannot hold line retrieval at long, which old holds.",
    )


def test_a_window_that_only_new_cannot_hold_is_invalid_where_old_is_always_wrong(
    served: Checkout, both: tuple[Saying, Saying]
) -> None:
    old, new = both
    served.profile(SERVED.replace("12", "60"), name="fixtures/profiles/served.toml")
    old.script = new.script = lambda body: mostly()(body) if lines_in(body) < 60 else (200, {}, message(WRONG, body))
    new.said = {"/props": {"build_info": "b2", "default_generation_settings": {"n_ctx": 512}}}
    run = serving(served, old.url, new.url)
    assert run.code == 12
    assert run.says(
        "below 0.30", "New cannot hold line retrieval at long, which old holds.", "SERVING: INVALID (exit 12)"
    )


def test_a_server_of_another_model(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    new.script = lambda body: (200, {}, message("7", body, model="other-model"))
    run = serving(short, old.url, new.url)
    assert run.code == 12
    assert run.says("New answered as other-model instead of toy: it serves another model.")


def test_a_server_that_answers_html(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    new.script = giving(b"<html>welcome</html>", **{"content-type": "text/html"})
    run = serving(short, old.url, new.url)
    assert run.code in (2, 12)
    assert "SERVING: PASS" not in run.out


def test_a_server_that_dies_half_way_is_resumed(short: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    numbers = iter(range(10**6))
    new.script = lambda body: mostly()(body) if next(numbers) < 20 else failing(400, "gone")(body)
    run = serving(short, f"old={old.url}", f"new={new.url}")
    assert run.code == 12
    assert run.says("new answered 20 of 40 trials. To send only the rest", f"new={new.url}")
    sent, new.script = len(new.asked), mostly()
    again = serving(short, "old", f"new={new.url}")
    assert again.code in (0, 11)
    assert len(new.asked) == sent + 20


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("http://a.test", "http://a.test", "same-server-twice"),
        ("http://a.test", "nothing", "unknown-server"),
        ("http://", "http://a.test", "bad-base-url"),
        ("../x=http://a.test", "http://b.test", "unknown-server"),
        ("a b=http://a.test", "http://b.test", "bad-server-name"),
    ],
)
def test_sides_that_cannot_be_used(short: Checkout, old: str, new: str, code: str) -> None:
    refused = serving(short, old, new)
    assert refused.code == 2
    assert refused.says(f"[{code}]")


PAGE = (ROOT / "docs/serving.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^longctx (serving .*?) +# exit status (\d+)$", PAGE, re.MULTILINE)
OF_PAGE = SERVED.replace("short = 3, long", "1k = 3, 4k").replace("130", "120")


def test_the_page_runs_as_it_is_written(served: Checkout, both: tuple[Saying, Saying]) -> None:
    old, new = both
    new.script = mostly(wrong_from=12)
    for server in both:
        models = {"data": [{"id": "my-model", "max_model_len": 32768}]}
        server.said = {"/version": {"version": "0.29.0"}, "/v1/models": models}
    served.profile(OF_PAGE, name="fixtures/profiles/serving.toml")
    assert len(COMMANDS) == 2
    for command, status in COMMANDS:
        given = command.replace("http://127.0.0.1:8080", old.url).replace("http://127.0.0.1:8081", new.url)
        run = served.longctx(*given.split())
        assert run.code == int(status), run.out + run.err
        if "f16=" in command:
            block = PAGE.partition("```text\n")[2].partition("```")[0]
            shown = [re.escape(line).replace("…", ".*") for line in block.splitlines() if line != "…"]
            assert all(any(re.fullmatch(line, found) for found in _report(run)) for line in shown), run.out


@pytest.mark.parametrize(("status", "bisected"), [(0, 0), (10, 10), (11, 125), (12, 125)])
def test_bisecting_skips_what_is_no_verdict(status: int, bisected: int, tmp_path: Path) -> None:
    [script] = re.findall(r"^git bisect run sh -c '(.*)'$", PAGE, re.MULTILINE)
    for name, code in (("serve-this-build", 0), ("longctx", status)):
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False)
    assert done.returncode == bisected
