"""Shared prefixes, and that a cache that works as documented reads and writes what was estimated."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.cells.cell import Cell, Trial
from longctx.config.models import Caching, ModelProfile, Tier
from longctx.live.cost.prefixes import Prefix, common_length, pays, plan, shared, shared_prefixes
from longctx.protocols.collage import VARIANTS
from longctx.recording.missing import missing
from longctx.recording.request import Request, Shared, digest, parameters, request_body
from longctx.recording.tape import Tape
from tests.given import dollars
from tests.prefix_cache import CHARACTERS_A_TOKEN, PrefixCache
from tests.recording.examples import collage_cell, line_cell, passkey_cell, requests_of

PRICES = dollars(1, 5, cache_read=0.1, cache_write=1.25)
WORDS = line_cell().wording.templates
CACHED = {"prices": PRICES, "caching": Caching(min_tokens=100)}


def in_order(tmp_path: Path, *cells: Cell) -> list[Request]:
    return shared(missing(Tape(tmp_path, "once"), [cell.fitted() for cell in cells]))


def sent(trial: Request) -> dict[str, object]:
    return parameters(trial.build(), trial.cell.model, trial.shared.cuts)


def alike(texts: list[str]) -> int:
    """Return the length of the prefix that all texts share, found character by character."""
    return sum(1 for _ in itertools.takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False)))


@given(st.text("ab", max_size=30), st.text("ab", max_size=30))
def test_the_common_beginning_of_two_texts(first: str, second: str) -> None:
    assert common_length(first, second) == alike([first, second])


def test_the_beginnings_of_neighbours() -> None:
    texts = ["a", "abc1", "abc2", "ab", "ax", "c", "c"]
    common = [0, *(common_length(*pair) for pair in itertools.pairwise(texts))]
    assert sorted((prefix.length, prefix.first, prefix.last) for prefix in shared_prefixes(common)) == [
        (1, 0, 4),
        (1, 5, 6),
        (2, 1, 3),
        (3, 1, 2),
    ]


@given(st.lists(st.text("ab", max_size=6), max_size=12).map(sorted))
def test_beginnings_are_those_of_all_texts_between(texts: list[str]) -> None:
    common = [0, *(common_length(*pair) for pair in itertools.pairwise(texts))][: len(texts)]
    prefixes = shared_prefixes(common)
    for prefix in prefixes:
        assert prefix.first < prefix.last
        assert prefix.length == alike(texts[prefix.first : prefix.last + 1]) > 0
    longest = [max((o.length for o in prefixes if o.first < place <= o.last), default=0) for place in range(len(texts))]
    assert longest == common


def test_a_beginning_pays_from_its_first_reader_at_claudes_prices() -> None:
    assert not pays([PRICES])
    assert pays([PRICES] * 2)
    dear = PRICES.model_copy(update={"cache_write": 2.0, "cache_read": 0.5})
    assert [pays([dear] * (1 + readers)) for readers in (1, 2, 3)] == [False, False, True]
    assert not pays([dollars(0.1, 1)] * 100), "the same price, however it is rounded"
    assert pays([None] * 2)


def test_a_beginning_pays_by_the_rates_of_each_of_its_prompts() -> None:
    """With Claude Haiku 5.5, a prompt of over 100,000 tokens may cost more to write than the others save."""
    low = dollars(0.1, 0.5, cache_read=0.01, cache_write=0.125)
    high = Tier(tokens=100_000, input=0.5, output=2.5, cache_read=0.05, cache_write=0.625)
    assert pays([low, low])
    assert pays([high, high])
    assert pays([low, high])
    assert not pays([high, low])
    assert pays([high, low, low])


def test_what_is_marked_depends_on_the_length_of_each_prompt() -> None:
    """One reader pays off at both rates, unless only the writer's prompt is in the dearer tier."""
    tier = Tier(tokens=1000, input=5, output=5, cache_read=0.5, cache_write=6.25)
    model = {"prices": PRICES.model_copy(update={"above": (tier,)}), "caching": Caching(min_tokens=100)}
    cell = dataclasses.replace(line_cell(200, trials=1, **model), repeats=2)
    short, long = (dataclasses.replace(cell, counted=counted) for counted in (1000, 1001))
    for writer, reader, marked in ((short, short, True), (long, long, True), (short, long, True), (long, short, False)):
        first, second = shared([Request.of(Trial(writer, 0, repeat=0)), Request.of(Trial(reader, 0, repeat=1))])
        assert (bool(first.shared.cuts), bool(second.shared.read)) == (marked, marked)


def test_the_longest_beginnings_are_marked_and_all_are_cut_off() -> None:
    """Six nested prefixes compete for two breakpoints: a prefix that was not marked cannot be read."""
    prefixes = [Prefix(1000 * step, 0, 7 - step) for step in range(1, 7)]
    plans = list(plan(prefixes, [PRICES] * 8, Caching(min_tokens=1, breakpoints=2)))
    assert plans[0] == ((1000, 2000, 3000, 4000, 5000, 6000), 0, None)
    assert plans[1] == ((1000, 2000, 3000, 4000, 5000, 6000), 6000, 0)
    assert plans[2] == ((1000, 2000, 3000, 4000, 5000), 5000, 0)
    assert plans[3] == ((1000, 2000, 3000, 4000), 0, None)
    assert plans[4] == ((1000, 2000, 3000), 3000, 3)


def test_beginnings_too_short_or_hardly_longer_are_not_cut_off() -> None:
    prefixes = [Prefix(300, 0, 5), Prefix(4000, 0, 4), Prefix(4100, 0, 3), Prefix(4300, 0, 2)]
    cuts = [cut[0] for cut in plan(prefixes, [PRICES] * 6, Caching(min_tokens=1000))]
    assert cuts == [(4000, 4300)] * 3 + [(4000,)] * 2 + [()]


def test_a_question_reads_what_the_one_before_wrote(tmp_path: Path) -> None:
    trials = in_order(tmp_path, *(collage_cell(variant, **CACHED) for variant in VARIANTS))
    first, *others = trials[:8]
    assert (first.shared.read, first.shared.after) == (0, None)
    assert first.shared.write_share > 0.5
    keys = [trial.key for trial in trials]
    for trial in others:
        assert trial.shared.read_share > 0.5
        assert keys.index(trial.shared.after or "") < keys.index(trial.key)
    pairs = [trial for trial in trials if trial.cell.point.params["variant"] == "five_scratchpad"]
    assert all(len(trial.shared.cuts) > 1 for trial in pairs), "examples are shared too"


@pytest.mark.parametrize("min_tokens", [100, 1024])
@pytest.mark.parametrize("breakpoints", [1, 2, 4])
def test_a_cache_reads_and_writes_what_was_foreseen(tmp_path: Path, min_tokens: int, breakpoints: int) -> None:
    model = CACHED | {"caching": Caching(min_tokens=min_tokens, breakpoints=breakpoints)}
    cells = [collage_cell(variant, depth, **model) for depth in (0, 50, 100) for variant in VARIANTS]
    cells += [passkey_cell(window, k, trials=3, **model) for window in (4096, 8192) for k in (512, 2048, 3000, 4096)]
    cells += [dataclasses.replace(line_cell(200, trials=3, **model), repeats=3)]
    cache = PrefixCache(min_tokens, breakpoints)
    trials = in_order(tmp_path, *cells)
    for trial in trials:
        usage, foreseen = cache.usage(sent(trial)), trial.shared
        written = foreseen.cuts[-1] // CHARACTERS_A_TOKEN if foreseen.cuts else 0
        assert usage["cache_read_input_tokens"] == foreseen.read // CHARACTERS_A_TOKEN
        assert usage["cache_creation_input_tokens"] == max(0, written - foreseen.read // CHARACTERS_A_TOKEN)
    assert any(trial.shared.read for trial in trials)


@given(
    st.lists(st.text("ab", max_size=7), max_size=20).map(sorted), st.integers(1, 4), st.sampled_from([100, 300, 1200])
)
def test_so_it_is_for_any_prompts_in_their_order(paths: list[str], breakpoints: int, least: int) -> None:
    """Each letter stands for 300 characters."""
    caching = Caching(min_tokens=least // CHARACTERS_A_TOKEN, breakpoints=breakpoints)
    model, built = ModelProfile(model="toy", caching=caching), line_cell().fitted().point.build(WORDS, 0, 0)
    texts = ["".join(letter * 300 for letter in path) + f"{place}." for place, path in enumerate(paths)]
    common = [0, *(common_length(*pair) for pair in itertools.pairwise(texts))][: len(texts)]
    cache = PrefixCache(caching.min_tokens, breakpoints)
    plans = plan(shared_prefixes(common), [PRICES] * len(texts), caching)
    for text, (cuts, read, _) in zip(texts, plans, strict=True):
        usage = cache.usage(parameters(dataclasses.replace(built, user=text), model, cuts))
        assert usage["cache_read_input_tokens"] == read // CHARACTERS_A_TOKEN


def test_the_request_is_known_by_the_same_digest_and_says_the_same(tmp_path: Path) -> None:
    for trial in in_order(tmp_path, *(collage_cell(variant, **CACHED) for variant in VARIANTS)):
        body, whole = sent(trial), request_body(trial.build(), trial.cell.model)
        assert digest(body) == digest(whole)
        content = body["messages"][0]["content"]  # type: ignore[index]
        assert "".join(block["text"] for block in content) == whole["messages"][0]["content"]
        assert all(block["text"] for block in content)


def test_without_caching_nothing_is_built_or_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = requests_of(passkey_cell(4096, 2048, prices=PRICES).fitted())
    bodies = [parameters(trial.build(), trial.cell.model) for trial in trials]
    monkeypatch.setattr(Trial, "build", None)
    planned = shared(trials)
    assert [trial.shared for trial in planned] == [Shared()] * 2
    monkeypatch.undo()
    assert [sent(trial) for trial in planned] == bodies


def test_line_retrieval_shares_nothing_but_its_repeats(tmp_path: Path) -> None:
    cell = line_cell(200, trials=3, **CACHED)
    assert not any(trial.shared.cuts for trial in in_order(tmp_path, cell))
    repeated = in_order(tmp_path, dataclasses.replace(cell, repeats=2))
    assert [trial.shared.read_share for trial in repeated] == [0, 1] * 3


def test_another_model_or_system_prompt_shares_nothing(tmp_path: Path) -> None:
    cells = [passkey_cell(4096, 2048, trials=1, model=model, **CACHED) for model in ("a", "b")]
    wording = dataclasses.replace(cells[0].wording, prompt_set="z")
    words = dict(wording.templates) | {"system": "Be brief."}
    other = dataclasses.replace(cells[0], wording=dataclasses.replace(wording, templates=words))
    assert not any(trial.shared.cuts for trial in in_order(tmp_path, *cells, other))


def test_a_prompt_with_nothing_but_short_templates_to_share_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = line_cell(200, trials=3, prices=PRICES, caching=Caching(min_tokens=1024))
    monkeypatch.setattr(Trial, "build", None)
    assert [trial.shared for trial in shared(requests_of(cell))] == [Shared()] * 3


def test_a_long_template_is_shared(tmp_path: Path) -> None:
    cell = line_cell(200, trials=3, prices=PRICES, caching=Caching(min_tokens=1024))
    words = dict(cell.wording.templates) | {"header": "Read all of it. " * 300}
    long = dataclasses.replace(cell, wording=dataclasses.replace(cell.wording, templates=words))
    assert [bool(trial.shared.cuts) for trial in in_order(tmp_path, long)] == [True] * 3
