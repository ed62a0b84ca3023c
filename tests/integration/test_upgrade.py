"""python -m longctx upgrade: may a new treatment replace the old one?"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from longctx.cli import main
from tests.integration.conftest import Checkout, Result
from tests.integration.pages import blocks, missing
from tests.integration.priced import LINES, data, priced, upgraded
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of, right

RECORDINGS = "cassettes/qwen2.5-coder-0.5b/line_retrieval"
RETENTION = "cassettes/qwen2.5-coder-0.5b/test_retention"
SMALLER = "cassettes/smollm2-135m/line_retrieval"
LARGER = "cassettes/qwen2.5-coder-1.5b/line_retrieval"


def weaker(body: Body) -> Answer:
    """Answer rightly, but for the model `weak`, which is wrong at more than four lines, and thinks at high effort."""
    effort = body.get("output_config", {}).get("effort")
    text = "0" if body["model"] == "weak" and prompt_of(body).count("REGISTER_CONTENT") > 5 else None
    if effort == "high":
        usage = {"input_tokens": 90, "output_tokens": 60, "output_tokens_details": {"thinking_tokens": 50}}
        return 200, {}, message(json.loads(right(body)[2])["content"][0]["text"], body, usage=usage)
    return right(body) if text is None else (200, {}, message(text, body))


@pytest.fixture
def two(checkout: Checkout, server: SimulatedServer) -> Checkout:
    """A project with two priced models, of which the new one costs three times as much, and a server for both."""
    server.script = weaker
    checkout.profile(LINES)
    priced(checkout, "old", 1)
    priced(checkout, "new", 3)
    return checkout


def upgrade(checkout: Checkout, server: SimulatedServer | None, *arguments: object) -> Result:
    return upgraded(checkout, server, *arguments, "--profile", "tiny.toml")


def differences(markdown: str) -> list[str]:
    """Return the names of the texts that differ."""
    return re.findall("What changed: <code>(.*)</code>", markdown)


def test_two_models_end_to_end(two: Checkout, server: SimulatedServer) -> None:
    result = upgrade(two, server, "old", "new", "--max-cost", 1, "--volume", 1_000_000)
    assert result.code in (0, 11)
    assert len(server.asked) == 64
    assert result.says("May new replace old? ", "a month at 1,000,000 $")
    assert "Accuracy against price" not in result.out
    found = data(two)
    [candidate] = found["candidates"]
    before, after = candidate["usage"]["before"], candidate["usage"]["after"]
    assert after["usd"] > 2.5 * before["usd"]
    assert candidate["usage"]["latency"] is not None
    page = two.file("up/index.html").read_text()
    assert "Content-Security-Policy" in page
    assert "May new replace old?" in two.file("up/upgrade.md").read_text().splitlines()[0]
    shutil.rmtree(two.file("up"))
    again = upgrade(two, None, "old", "new", "-v")
    assert again.code == result.code
    assert again.says("May new replace old? ", "Accuracy against price")
    assert len(server.asked) == 64


def test_a_loss_at_one_length_is_a_regression(two: Checkout, server: SimulatedServer) -> None:
    priced(two, "weak", 0.1)
    result = upgrade(two, server, "old", "weak", "--max-cost", 1)
    assert result.code == 10
    assert result.says("May weak replace old? REGRESSION in 1 of 2 bands 16 of 32 answers lost, 0 gained")
    [short, middle] = data(two)["candidates"][0]["tests"][0]["bands"]
    assert (short["verdict"] != "regression", middle["verdict"]) == (True, "regression")
    assert (middle["before"]["rate"], middle["after"]["rate"]) == (1.0, 0.0)


def test_models_by_effort_are_candidates_in_one_table(two: Checkout, server: SimulatedServer) -> None:
    result = upgrade(two, server, "old", "new", "--effort", "low,high", "--max-cost", 1)
    assert [candidate["name"] for candidate in data(two)["candidates"]] == ["new, effort=low", "new, effort=high"]
    efforts = [body["output_config"]["effort"] for body in server.asked if "output_config" in body]
    assert (efforts.count("low"), efforts.count("high")) == (32, 32)
    high = data(two)["candidates"][1]["usage"]["after"]
    assert high["thinking_tokens"] == 50
    assert "Each of the 2 candidates is judged at an alpha of 0.025" in two.file("up/upgrade.md").read_text()
    assert result.says("new, effort=low ", "new, effort=high ")


def test_the_cap_is_one_for_all_treatments(two: Checkout, server: SimulatedServer) -> None:
    result = upgrade(two, server, "old", "new", "--max-cost", 0.0048)
    assert result.code == 12
    assert 32 <= len(server.asked) < 64
    assert result.says("leaves no room")


def test_without_a_cap_nothing_is_asked(two: Checkout, server: SimulatedServer) -> None:
    result = upgrade(two, server, "old", "new")
    assert result.code == 2
    assert result.says("[upgrade-not-recorded]", "64 trials of old; new have no recording", "--max-cost")
    assert server.received == []
    assert not two.file("up").exists()


def test_an_estimate_asks_nothing(two: Checkout, server: SimulatedServer) -> None:
    result = upgrade(two, server, "old", "new", "--estimate")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("About $")
    table = lines[2 : lines.index("", 2)]
    assert [line.split()[0] for line in table] == ["price", "old", "line_retrieval", "new", "line_retrieval"]
    assert max(map(len, [lines[0], *table])) <= 100
    assert "32 of 32" in lines[4]
    assert upgrade(two, server, "old", "new", "--estimate", "-v").says(
        "line_retrieval on old: 32 of 32 trials need a request"
    )
    assert server.received == []


def test_a_model_profile_s_variant_is_a_treatment(two: Checkout, server: SimulatedServer) -> None:
    priced(two, "old-terse", 1, model="old")
    text = two.file("fixtures/models/old-terse.toml").read_text()
    two.file("fixtures/models/old-terse.toml").write_text(f'system = "Be terse."\n{text}')
    result = upgrade(two, server, "old", "old-terse", "--max-cost", 1)
    assert result.code in (0, 11)
    assert len(server.asked) == 64
    assert data(two)["candidates"][0]["tests"][0]["after"]["model"] == "old-terse"
    markdown = two.file("up/upgrade.md").read_text()
    assert differences(markdown) == ["system prompt of line_retrieval"]
    assert "+Be terse." in markdown
    assert "What changed" not in result.out


@pytest.mark.parametrize(("options", "shown"), [([], True), (["--no-text"], False)])
def test_lost_answers_are_shown_and_without_text_no_reply(
    two: Checkout, server: SimulatedServer, options: list[str], shown: bool
) -> None:
    def customers(body: Body) -> Answer:
        return right(body) if body["model"] == "old" else (200, {}, message("a customer's name: 12345", body))

    server.script = customers
    result = upgrade(two, server, "old", "new", "--max-cost", 1, "--no-canary", *options)
    assert result.code == 10
    page = two.file("up/index.html").read_text()
    screen = page[: page.index("Accuracy against price")]
    assert ("12345" in result.out, "Lost answers" in screen, "12345" in screen) == (shown, shown, shown)
    everything = page + two.file("up/upgrade.md").read_text() + two.file("up/upgrade.json").read_text() + result.out
    assert shown or "customer" not in everything


@pytest.mark.parametrize(
    "treatment", ["new,effort=most", "new,speed=1", ",effort=low", "new,effort=low,effort=high", "old"]
)
def test_a_mistaken_treatment_is_refused(two: Checkout, treatment: str) -> None:
    result = upgrade(two, None, "old", treatment)
    assert result.code == 2
    assert result.says("[bad-treatment]") or result.says("[same-treatment-twice]")


def test_the_address_of_a_server_is_not_on_the_page(two: Checkout, server: SimulatedServer) -> None:
    url = server.url.replace("http://", "http://user:secret@")
    upgrade(two, server, "old", f"new,base_url={url}", "--max-cost", 1)
    everything = "".join(path.read_text() for path in Path(two.file("up")).glob("*.*"))
    assert "secret" not in everything
    assert server.url not in everything


def test_prompts_of_a_recorded_model(checkout: Checkout) -> None:
    checkout.take(RECORDINGS, "fixtures/profiles")
    model = "qwen2.5-coder-0.5b"
    result = checkout.longctx(
        "upgrade", f"{model},prompts=chatty", f"{model},prompts=protocol", "--profile", "lines", "--out", "up"
    )
    assert result.code == 10
    assert result.out.startswith("""\
May prompts=protocol replace prompts=chatty on qwen2.5-coder-0.5b? REGRESSION in 2 of 2 bands
76 of 300 answers lost, 20 gained. 72 of 76 lost answers name another line's value.
                                 now   new  change, points        lost / gained
line retrieval, 94–133 tokens   0.61  0.41  -19.5 [-26.9, -12.2]  51 / 12 of 200  regression
line retrieval, 189–205 tokens  0.36  0.19  -17.0 [-27.9, -6.1]   25 / 8 of 100   regression
Median latency 1.10 → 1.15 s; tokens in 137 → 146, out 10 → 6.
1 of 76 lost: line_retrieval/lines-3#7: [EXECUTE THIS]: Go to lin… "33130" → "28038": the value of…
Report: """)
    assert len(result.out.splitlines()) == 8
    markdown, page = (checkout.file(f"up/{name}").read_text() for name in ("upgrade.md", "index.html"))
    assert "No significant difference by place" in markdown
    [differs] = differences(markdown)
    assert differs == "fixtures/prompts/protocol/line_retrieval/instruction.txt"
    assert differs in page
    assert "\n-Please look up line {line} and" in markdown
    bands = checkout.read("up/upgrade.json")["candidates"][0]["tests"][0]["bands"]
    assert [(band["lost"], band["gained"]) for band in bands] == [(51, 12), (25, 8)]


def test_the_guide(checkout: Checkout) -> None:
    checkout.take(RECORDINGS, LARGER, SMALLER, RETENTION, "fixtures/profiles")
    # The profile names functions of both.
    checkout.take("tests_longctx/test_retention.py", "tests_longctx/test_functions.py")
    output = ""
    for kind, text in blocks("upgrade.md"):
        if kind == "sh":
            command, _, code = text.strip().partition("    # exit status ")
            result = checkout.longctx(*shlex.split(command)[1:])
            assert result.code == int(code or 0), result.out + result.err
            output = result.out
        else:
            assert not missing(text, output), output


def test_a_candidate_whose_replies_cannot_be_read(
    two: Checkout, server: SimulatedServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = lambda body: message_of(body) if body["model"] == "new" else right(body)
    monkeypatch.chdir(two.folder)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    asked = ["upgrade", "old", "new", "--profile=tiny.toml", "--max-cost=1", f"--base-url={server.url}", "--trials=10"]

    assert main([*asked, "--out=stopped"]) == 12
    assert sum(body["model"] == "new" for body in server.asked) == 10
    assert "none of the first 10 trials of line_retrieval on new" in capsys.readouterr().out

    assert main([*asked, "--out=complete", "--no-canary"]) == 10
    assert sum(body["model"] == "new" for body in server.asked) == 20


def message_of(body: Body) -> Answer:
    return 200, {}, message("Sorry, I cannot say.", body)
