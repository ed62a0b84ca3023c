"""Headers: credentials and transport, or treatments."""

from __future__ import annotations

import pytest

from longctx.config.models import ModelProfile, as_lines, custom_headers, treatments


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
    assert as_lines(profile.treatments) == "anthropic-beta: z\nx-a: 1\nx-b: 2"


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
def test_a_profile_refuses(entry: dict[str, object], sentence: str) -> None:
    """docs/security.md, profile-headers"""
    with pytest.raises(ValueError, match=sentence):
        ModelProfile.model_validate(entry)
