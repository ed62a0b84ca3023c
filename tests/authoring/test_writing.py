"""Writing: the notebook's two-shot prompt, the same for a section wherever it stands."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping

import pytest

from longctx.authoring.writing import PROMPT_TOKENS, Writing
from longctx.config.models import ModelProfile
from longctx.corpus.documents import reference_tokens
from longctx.recording.request import parameters
from longctx.registry import known_protocols
from longctx.vocabulary.bank import Section
from tests.given import reply, words_of
from tests.here import HERE

SECTION = Section("harbor", "The Harbor Office dredges {passage1} basin 4.", 10)


@pytest.fixture(scope="module")
def words() -> Mapping[str, str]:
    return words_of(Writing)


def writing(per_section: int = 5, section: Section = SECTION) -> Writing:
    return Writing(per_section, section=section)


def test_golden(words: Mapping[str, str]) -> None:
    trial = writing().build(words, 0, 0)
    assert hashlib.sha256(trial.user.encode()).hexdigest() == GOLDEN


def test_the_section_comes_after_the_examples_as_it_is(words: Mapping[str, str]) -> None:
    trial = writing().build(words, 0, 0)
    _, first, second, passage = trial.user.split("<Passage>\n")
    assert first.startswith("DEPARTMENT OF LABOR")
    assert second.startswith("NATIONAL ARCHIVES")
    assert passage.startswith(f"{SECTION.text}\n</Passage>\n\nPlease write five factual questions")
    assert trial.user[round(trial.depth * len(trial.user)) :].startswith(SECTION.text)
    assert trial.prefix == writing(section=Section("pier", "x", 1)).build(words, 0, 0).prefix


def test_numbers_are_written_as_the_notebook_writes_them(words: Mapping[str, str]) -> None:
    user = writing(8).build(words, 0, 0).user
    assert "devise eight factual questions" in user
    assert "Please write eight factual questions" in user
    assert "Write 7 non-numerical questions and one numerical one." in user


def test_a_trial_is_its_section_whatever_else_the_corpus_holds() -> None:
    name = "writing.v1/per_section-5/harbor@2cecf87a8abf/seed-0/trial-0/repeat-0"
    assert {str(writing().identity(seed, 0, 0)) for seed in (0, 7)} == {name}
    changed = dataclasses.replace(SECTION, text="other")
    assert str(writing(section=changed).identity(0, 0, 0)) != name


def test_the_answer_may_be_begun_by_another_prompt_set(words: Mapping[str, str]) -> None:
    assert len(parameters(writing().build(words, 0, 0), ModelProfile(model="m", prefill=True))["messages"]) == 1
    trial = writing().build({**words, "prefill": "<Question 1>"}, 0, 0)
    [_, begun] = parameters(trial, ModelProfile(model="m", prefill=True))["messages"]
    assert begun["content"] == "<Question 1>"
    [asked] = parameters(trial, ModelProfile(model="m"))["messages"]
    assert asked["content"].endswith('Begin your reply with "<Question 1>"')


def test_its_size_is_told_before_anything_is_built(words: Mapping[str, str]) -> None:
    prompt = writing(section=Section("s", "", 0)).build(words, 0, 0).user
    assert reference_tokens(prompt) == pytest.approx(PROMPT_TOKENS, rel=0.02)
    assert writing().size_tokens({"reference": 2.0}) == 2 * (PROMPT_TOKENS + 10)


def test_it_is_no_test_of_the_benchmark() -> None:
    assert Writing.declared.name not in known_protocols(HERE)
    words = {**dict.fromkeys(Writing.declared.templates, ""), "prompt": "{passage}"}
    trial, outcome = writing().run(words, 0, 0, 0, lambda trial: REPLY)
    assert (trial.judge, outcome) == (None, None), "nothing in a reply is right or wrong"


@pytest.mark.parametrize("per_section", [1, 21])
def test_so_many_cannot_be_asked_for(per_section: int) -> None:
    with pytest.raises(ValueError, match="use 2 to 20"):
        writing(per_section)


REPLY = reply("")
GOLDEN = "532af2064e88ef83d9ddcf1f65e2fa656a2b42924faf2f52d4e703520e2fe316"
