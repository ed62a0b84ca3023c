"""Model profiles: what is shipped loads, mistakes are sentences, token counts are kept, and which headers are named."""

from __future__ import annotations

import datetime

import pytest

from longctx.config.file_names import file_name
from longctx.config.models import (
    ModelProfile,
    Prices,
    Probed,
    Thinking,
    Tier,
    TokensPerUnit,
    custom_headers,
    header_lines,
    load_model,
    treatments,
)
from longctx.workspace import Workspace
from tests.config.examples import MEASURED, SHIPPED
from tests.here import HERE
from tests.refusals import refused

PRICED = "[prices]\ninput = 0.1\noutput = 0.5\ncache_read = 0.01\ndated = 2026-11-22\n"
TIER = "[[prices.above]]\ntokens = 100000\ninput = 0.5\noutput = 2.5\n"


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_loads(name: str) -> None:
    profile = load_model(HERE, name)
    assert profile.model == name
    assert profile.window
    assert profile.prices
    assert profile.prices.source


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("claude-fable-5", 0.1),
        ("claude-fable-5-1", 0.025),
        ("claude-fable-5-2", 0.025),
        ("claude-haiku-4-5", 0.1),
        ("claude-haiku-5-5", 0.1),
        ("claude-opus-4-5", 0.1),
        ("claude-opus-4-6", 0.1),
        ("claude-opus-4-7", 0.1),
        ("claude-opus-4-8", 0.1),
        ("claude-opus-5", 0.1),
        ("claude-opus-5-5", 0.05),
        ("claude-sonnet-4-5", 0.1),
        ("claude-sonnet-4-6", 0.1),
        ("claude-sonnet-5", 0.1),
        ("claude-sonnet-5-5", 0.05),
    ],
)
def test_the_prices_of_claude_are_in_proportion(name: str, read: float) -> None:
    """The price page gives output, five-minute cache writes and cache reads as multiples of the price of input."""
    prices = load_model(HERE, name).prices
    assert prices
    for rates in (prices, *prices.above):
        assert (rates.output, rates.cache_write) == pytest.approx((5 * rates.input, 1.25 * rates.input))
        assert rates.cache_read == pytest.approx(read * rates.input)
    assert prices.batch_discount == 0.5
    assert "about-claude/pricing" in prices.source


def test_claude_haiku_5_5_is_dearer_above_100_000_tokens() -> None:
    prices = load_model(HERE, "claude-haiku-5-5").prices
    assert prices
    assert [prices.at(tokens).input for tokens in (100_000, 100_001, 1_000_000)] == [0.1, 0.5, 0.5]


def test_the_docs_name_every_entry(mine: Workspace) -> None:
    text = (HERE.root / "docs/models.md").read_text(encoding="utf-8")
    mine.own("models", "m.toml").write_text(text.split("```toml\n")[1].partition("[probed]")[0])
    profile = load_model(mine, "m")
    of_other_apis = {"base_url", "key", "accepts"}
    assert profile.model_fields_set == set(ModelProfile.model_fields) - {"probed", "token_counts"} - of_other_apis
    assert {
        name for name in of_other_apis if f"`{name}" in text or f"{name} = " in text or f"[{name}]" in text
    } == of_other_apis
    assert profile.prices
    assert profile.prices.model_fields_set == set(Prices.model_fields)
    assert profile.prices.above[0].model_fields_set == set(Tier.model_fields)


def test_a_model_without_a_profile_has_defaults(mine: Workspace) -> None:
    assert load_model(mine, "org/new:1") == ModelProfile(model="org/new:1")


def test_a_profile_may_name_another_model_id(mine: Workspace) -> None:
    mine.own("models", "short.toml").write_text('model = "org/a-long-name"\nwindow = 10\n', encoding="utf-8")
    assert load_model(mine, "short") == ModelProfile(model="org/a-long-name", window=10)


def test_a_profile_is_of_no_other_model_whose_name_is_cleaned_alike(mine: Workspace) -> None:
    mine.own("models", f"{file_name('org/model')}.toml").write_text("window = 10\n", encoding="utf-8")
    assert load_model(mine, "org/model") == ModelProfile(model="org/model", window=10)
    assert load_model(mine, "org:model") == ModelProfile(model="org:model")


def test_a_longer_prompt_has_prices_of_its_own(mine: Workspace) -> None:
    longer = "[[prices.above]]\ntokens = 500_000\ninput = 0.7\noutput = 3\n"
    mine.own("models", "m.toml").write_text(f"{PRICED}{longer}{TIER}", encoding="utf-8")
    prices = load_model(mine, "m").prices
    assert prices
    assert [prices.at(tokens).input for tokens in (0, 100_000, 100_001, 500_000, 500_001)] == [0.1, 0.1, 0.5, 0.5, 0.7]
    assert (prices.at(100_001).output, prices.at(100_001).cache_read) == (2.5, None), "nothing is taken from below"


def test_prices_without_tiers_are_written_as_before_there_were_any(mine: Workspace) -> None:
    mine.own("models", "m.toml").write_text(PRICED, encoding="utf-8")
    prices = load_model(mine, "m").prices
    assert prices
    assert prices.model_dump(mode="json", exclude_none=True) == {
        "input": 0.1,
        "output": 0.5,
        "cache_read": 0.01,
        "batch_discount": 0.0,
        "dated": "2026-11-22",
        "source": "",
    }


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("windw = 3", "windw"),
        ("[tokens]\nlin = 3", "tokens.lin"),
        ('window = "large"', "window"),
        ("window = 0", "window"),
        ("[prices]\ninput = 1\noutput = 1", "prices.dated"),
        ("[prices]\ninput = -1\noutput = 1\ndated = 2026-01-01", "prices.input"),
        (f"{PRICED}[[prices.above]]\ninput = 2\noutput = 2", "prices.above.0.tokens"),
        (f"{PRICED}[[prices.above]]\ntokens = 0\ninput = 2\noutput = 2", "prices.above.0.tokens"),
        (f"{PRICED}[[prices.above]]\ntoken = 9\ninput = 2\noutput = 2", "prices.above.0.token"),
        (f"{PRICED}{TIER}{TIER}", "prices"),
        ('[[measured]]\ntest = "passkey"\nwording = "x"\non = 2026-01-01', "measured.0.values"),
        ('provider = "azure"', "provider"),
        ('effort = "huge"', "effort"),
        (
            'thinking = { type = "enabled" }',
            "thinking",
        ),
        ('thinking = { type = "adaptive", budget_tokens = 2048 }', "thinking"),
        ('thinking = { type = "enabled", budget_tokens = 9 }', "thinking.budget_tokens"),
        (
            'thinking = { type = "disabled", display = "omitted" }',
            "thinking",
        ),
        ('thinking = { typ = "adaptive" }', "thinking.typ"),
        (
            'thinking_tokens = 5\nthinking = { type = "enabled", budget_tokens = 2048 }',
            "the file",
        ),
        ('[probed]\non = 2026-01-01\nsource = "x"\nwindo = 3', "probed.windo"),
    ],
)
def test_mistakes_are_sentences(mine: Workspace, text: str, entry: str) -> None:
    mine.own("models", "m.toml").write_text(text, encoding="utf-8")
    with refused("bad-entries", mine.own("models", "m.toml"), f"\n  {entry}: "):
        load_model(mine, "m")


def test_the_latest_measure_of_a_wording_counts() -> None:
    first, other, last = (
        MEASURED.model_copy(update={"wording": wording, "values": {"filler": filler}})
        for wording, filler in (("a", 1.0), ("b", 2.0), ("a", 3.0))
    )
    profile = ModelProfile(measured=(first, other, last))
    assert profile.token_values("passkey", "a") == {"filler": 3.0}
    assert profile.token_values("passkey", "b") == {"filler": 2.0}
    assert profile.token_values("passkey", "c") is None
    assert profile.token_values("line_retrieval", "a") is None


def test_a_measure_holds_for_the_system_prompt_it_was_counted_with() -> None:
    without, terse = ModelProfile(measured=(MEASURED,)), ModelProfile(system="Be terse.", measured=(MEASURED,))
    assert without.token_values("passkey", MEASURED.wording) == MEASURED.values
    assert terse.token_values("passkey", MEASURED.wording) is None
    counted = MEASURED.model_copy(update={"system": terse.system_digest, "values": {"filler": 1.0}})
    terse = terse.model_copy(update={"token_counts": (counted, MEASURED)})
    assert terse.token_values("passkey", MEASURED.wording) == {"filler": 1.0}


def test_the_thinking_budget_is_room_for_thinking() -> None:
    thinking = Thinking(type="enabled", budget_tokens=2048)
    assert ModelProfile(thinking=thinking).thinking_tokens == 2048
    assert ModelProfile(thinking=thinking, thinking_tokens=5000).thinking_tokens == 5000
    assert ModelProfile(thinking=Thinking(type="adaptive")).thinking_tokens == 0
    assert ModelProfile().thinking_tokens == 0


def test_what_was_probed_is_used_where_the_profile_is_silent(mine: Workspace) -> None:
    probed = '[probed]\non = 2026-01-01\nsource = "a server"\nwindow = 4096\nmax_output = 512\n'
    probed += "line = 20.5\nreference = 1.5\n"
    mine.own("models", "silent.toml").write_text(probed)
    mine.own("models", "says.toml").write_text(f"window = 9000\nmax_output = 99\n[tokens]\nline = 17\n{probed}")
    silent, says = load_model(mine, "silent"), load_model(mine, "says")
    assert (silent.window, silent.max_output) == (4096, 512)
    assert (says.window, says.max_output) == (9000, 99)
    assert silent.tokens == TokensPerUnit(line=20.5, reference=1.5)
    assert says.tokens == TokensPerUnit(line=17, reference=1.5)


def test_what_changes_the_question_is_not_taken_from_a_probe() -> None:
    probed = Probed(
        on=datetime.date(2026, 1, 1),
        source="x",
        thinking=("adaptive",),
        effort=("low",),
    )
    profile = ModelProfile(probed=probed).completed()
    assert (profile.prefill, profile.extra_body, profile.thinking, profile.effort) == (False, {}, None, None)


@pytest.mark.parametrize("entry", ["model", "provider_model"])
@pytest.mark.parametrize("name", ["..", ".", ".lock", "a\\nb", " "])
def test_an_id_that_is_no_name(mine: Workspace, entry: str, name: str) -> None:
    """docs/security.md, names."""
    mine.own("models", "toy.toml").write_text(f'{entry} = "{name}"\n')
    with refused("bad-entries", f"{entry}: "):
        load_model(mine, "toy")


def test_a_model_that_is_no_name(mine: Workspace) -> None:
    """docs/security.md, names."""
    with refused("bad-name", ".."):
        load_model(mine, "..")


@pytest.mark.parametrize(
    "name",
    [
        *("Authorization", "x-api-key", "api-key", "Helicone-Auth", "x-portkey-api-key", "cf-aig-authorization"),
        *("Ocp-Apim-Subscription-Key", "CF-Access-Client-Id", "x-amz-date", "X-Stainless-Lang", "traceparent", "host"),
        "x-datadog-trace-id",
    ],
)
def test_no_answer_depends_on_credentials_and_transport(name: str) -> None:
    assert treatments([(name, "value")]) == {}


@pytest.mark.parametrize(
    "name", ["x-mode", "anthropic-version", "anthropic-user-profile-id", "x-portkey-config", "token-mode"]
)
def test_an_answer_may_depend_on_any_other(name: str) -> None:
    assert treatments([(name.title(), "value")]) == {name: "value"}


def test_betas_are_a_set_without_those_of_credentials() -> None:
    given = [("Anthropic-Beta", "b-2, a-1"), ("anthropic-beta", "oauth-2025-04-20,a-1,")]
    assert treatments(given) == {"anthropic-beta": "a-1,b-2"} == ModelProfile(betas=("b-2", "a-1", "a-1")).treatments
    assert treatments([("anthropic-beta", "oauth-2025-04-20")]) == {}


def test_the_environment_is_read_as_the_sdk_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "a: 1\nno header\n B :x:y \n")
    assert custom_headers() == [("a", "1"), ("B", "x:y")]


def test_a_profile_names_its_headers_in_one_order() -> None:
    profile = ModelProfile(headers={"x-b": "2", "x-a": "1"}, betas=("z",))
    assert header_lines(profile.treatments) == "anthropic-beta: z\nx-a: 1\nx-b: 2"


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"betas": ("a,b",)}, "is not the name of a beta"),
        ({"betas": ("",)}, "is not the name of a beta"),
        ({"headers": {"anthropic-beta": "a"}}, "list its values in betas"),
        ({"headers": {"x-api-key": "sk-1"}}, "is a credential or transport"),
        ({"headers": {"X-Mode": "a"}}, "in lower case"),
        ({"headers": {"x-mode": "a\nx-other: b"}}, "a value in ASCII"),
        ({"headers": {"x-mode": ""}}, "a value in ASCII"),
        ({"transport_headers": ("anthropic-beta",)}, "is no name for transport_headers"),
    ],
)
def test_a_profile_refuses_these_headers(entry: dict[str, object], sentence: str) -> None:
    """docs/security.md, profile-headers"""
    with pytest.raises(ValueError, match=sentence):
        ModelProfile.model_validate(entry)
