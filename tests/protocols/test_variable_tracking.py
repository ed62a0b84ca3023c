"""Variable tracking: what a seed builds, how large it is, and which names a reply gives."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.haystack import spare
from longctx.vocabulary.point import BuiltTrial
from tests.given import words_of
from tests.protocols import VariableTracking
from tests.protocols.tokens import TOKENS_OF, built, count, everything, fitted, judged, taken

WORDS = words_of(VariableTracking)
TOKENS = TOKENS_OF[VariableTracking]
CELL = VariableTracking(1500, 3, 4)
cells = st.builds(VariableTracking, st.integers(1500, 6000), st.integers(1, 4), st.integers(1, 6))


def assigned(trial: BuiltTrial) -> dict[str, str]:
    """Return what each name is assigned in the text after the example."""
    _, _, text = trial.user.rpartition(WORDS["prompt"][:40])
    return dict(re.findall(r"^VAR (\w+) = (?:VAR )?(\w+)$", text, re.MULTILINE))


def test_a_complete_prompt() -> None:
    trial = VariableTracking(540, 1, 1).fit(TOKENS).build(WORDS, 0, 0)
    [(first, value), (hop, before)] = assigned(trial).items()
    filler = WORDS["filler"]
    example, _, question = trial.user.partition("\n\nMemorize and track")
    assert example.startswith("Memorize and track")
    assert example.endswith(
        "Question: Find all variables that are assigned the value 40817 in the text above. Answer: According to the "
        "chain(s) of variable assignment in the text above, 5 variables are assigned the value 40817, they are: "
        "QZT HWB XLM KNV DRJ"
    )
    assert question == (
        " the chain(s) of variable assignment hidden in the following text.\n\n"
        f"VAR {first} = {value}\n{filler}\nVAR {hop} = VAR {first}\n{filler}\n"
        f"Question: Find all variables that are assigned the value {value} in the text above."
    )
    assert before == first
    assert trial.prefill == (
        "Answer: According to the chain(s) of variable assignment in the text above, 2 variables are assigned the "
        f"value {value}, they are:"
    )
    assert trial.without_prefill == (
        f"Do not provide any explanation. Please directly give me the answer. {trial.prefill}"
    )
    assert (trial.expected, trial.recorded, trial.system) == (f"{first} {hop}", {"fillers": 2}, "")


@given(cells, st.integers(0, 10**6), st.integers(0, 100))
def test_exactly_the_expected_variables_have_the_value(cell: Any, seed: int, index: int) -> None:
    trial = built(cell, seed, index)
    values = assigned(trial)
    assert len(values) == cell.chains * (cell.hops + 1)

    def value(name: str) -> str:
        return value(values[name]) if values[name] in values else values[name]

    [asked] = re.findall(r"assigned the value (\d{5}) in the text above\.$", trial.user)
    assert [name for name in values if value(name) == asked] == trial.expected.split()
    assert len({value(name) for name in values}) == cell.chains


@given(cells, st.integers(0, 10**6))
def test_what_is_known_of_places_is_so(cell: Any, seed: int) -> None:
    trial = built(cell, seed)
    assert trial.depth == trial.user.index(f"VAR {trial.expected.split()[0]} = ") / len(trial.user)
    outcome = judged(fitted(cell), trial, everything(trial))
    *marks, question = outcome.marks
    assert trial.user[question.start :].startswith("Question: Find all variables")
    assert {trial.user[mark.start : mark.end] for mark in marks} == {
        statement for statement in trial.user.split("\n") if statement.startswith("VAR ") and "," not in statement
    } - set(WORDS["prompt"].split("\n"))
    asked = [mark for mark in marks if mark.name == "needle"]
    for number, (name, mark) in enumerate(zip(trial.expected.split(), asked, strict=True), start=1):
        assert trial.user[mark.start : mark.end].startswith(f"VAR {name} = ")
        assert outcome.trace[f"named_{number}"] == 100 * mark.start // len(trial.user)


@given(cells, st.integers(0, 10**6))
def test_a_prompt_fills_its_window_and_never_exceeds_it(cell: Any, seed: int) -> None:
    kept = spare([2] * cell.chains * (cell.hops + 1))
    assert cell.window - count(WORDS["filler"]) - 2 * kept < taken(built(cell, seed)) <= cell.window


@given(st.integers(0, 2**70), st.integers(0, 10_000))
def test_a_prompt_follows_from_cell_seed_and_index_alone(seed: int, index: int) -> None:
    cell = CELL.fit(TOKENS)
    trial, again = (cell.build(WORDS, seed, index, repeat) for repeat in (0, 1))
    assert again.user == trial.user
    assert str(again.identity) == (
        f"variable_tracking.v1/window-1500-chains-3-hops-4/seed-{seed}/trial-{index}/repeat-1"
    )


def test_another_tokenizer_gets_the_same_names_values_and_order() -> None:
    ours, theirs = (CELL.fit(tokens).build(WORDS, 0, 0) for tokens in (TOKENS, TOKENS | {"filler": 20.0}))
    assert ours.user != theirs.user
    assert assigned(ours) == assigned(theirs)


def test_the_asked_chain_is_any_of_them() -> None:
    firsts = {next(iter(assigned(trial := built(CELL, index=index)))) in trial.expected for index in range(20)}
    assert firsts == {True, False}


def test_a_window_too_small_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ValueError, match="a window of 500 tokens is too small"):
        VariableTracking(500, 1, 4).fit(TOKENS)


@pytest.mark.parametrize(("chains", "hops"), [(0, 4), (1, 0)])
def test_a_chain_has_a_hop(chains: int, hops: int) -> None:
    with pytest.raises(ValueError, match=f"{chains} chains of {hops} hops cannot be tracked: use at least 1 of each"):
        VariableTracking(4096, chains, hops)


def test_measures_that_cannot_be_right_are_refused() -> None:
    counts = dict.fromkeys(VariableTracking.declared.counts.probes(WORDS), 100)
    with pytest.raises(ValueError, match="filler would take 0 tokens"):
        VariableTracking.declared.counts.values(counts)
    with pytest.raises(ValueError, match="without a usable count of 'hop': delete the table"):
        CELL.fit(TOKENS | {"hop": 0})
    with pytest.raises(ValueError, match="the model's tokens of this wording are not known"):
        CELL.build(WORDS, 0, 0)


def test_the_window_is_its_length_and_leaves_room_for_the_answer() -> None:
    assert (CELL.length, CELL.size_tokens({})) == (1500, 1500 - 128)


SOME = fitted(VariableTracking(1200, 2, 2))
TRIAL = SOME.build(WORDS, 0, 0)
A, B, C = TRIAL.expected.split()
OTHER = next(name for name in assigned(TRIAL) if name not in TRIAL.expected)


@pytest.mark.parametrize(
    ("text", "returned"),
    [
        (f"{A} {B} {C}", [A, B, C]),
        (f"{A}, {B} and {C}.", [A, B, C]),
        (f"1. VAR {A}\n2. VAR {B}\n3. `{C}`", [A, B, C]),
        (f"{A.lower()} {B}", [A, B]),
        (f"VAR {OTHER} = 12345, and {A}", [OTHER, A]),
        ("QZT HWB XLM KNV DRJ", ["QZT", "HWB", "XLM", "KNV", "DRJ"]),
        (f"The grass is green, and VAR {A} ZZZZZ too", [A, "ZZZZZ"]),
        (f"{A}, ABCD", [A]),
        ("I found no variable.", []),
    ],
)
def test_which_variables_a_reply_names(text: str, returned: list[str]) -> None:
    assert (judged(SOME, TRIAL, text).returned or "").split() == returned


def test_what_was_named_besides_is_traced_to_where_it_is_from() -> None:
    outcome = judged(SOME, TRIAL, f"{TRIAL.prefill} {A} {B} {C} {OTHER} QZT ZZZZZ")
    assert outcome.kind == "wrong"
    traced = {reason: n for reason, n in outcome.trace.items() if reason.startswith(("of_", "nowhere"))}
    assert traced == {"of_another_chain": 1, "of_the_example": 1, "nowhere_in_the_text": 1}
    assert outcome.trace["matched"] == outcome.trace["asked"] == 3
