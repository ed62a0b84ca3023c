"""The frozen "too hard" filter of a model, and the bank it applies to."""

import datetime

from longctx.config.file_names import file_name
from longctx.corpus.filters import Filter, choose_filter, filter_path, load_filter, make_filter
from longctx.corpus.question_bank import load_bank
from longctx.workspace import Workspace
from tests.here import HERE
from tests.refusals import refused

DIGEST = "0123456789abcdef"


def test_without_a_filter_nothing_is_known(mine: Workspace) -> None:
    assert load_filter(mine, "m", DIGEST) is None


def test_a_filter_keeps_what_was_answered_right(mine: Workspace) -> None:
    path = make_filter(mine, "org/m", DIGEST, "a-run", {"q2": True, "q1": False, "q3": True})
    assert path.name == f"{file_name('org/m')}-0123456789ab.json"
    kept = load_filter(mine, "org/m", DIGEST)
    assert kept is not None
    assert (kept.kept, kept.dropped, kept.run) == (("q2", "q3"), ("q1",), "a-run")


def test_a_filter_is_of_no_other_model_whose_name_is_cleaned_alike(mine: Workspace) -> None:
    made = make_filter(mine, "org/m", DIGEST, "a-run", {"q1": True})
    kept = load_filter(mine, "org/m", DIGEST)
    assert kept is not None
    assert kept.model == "org/m"
    assert load_filter(mine, "org:m", DIGEST) is None
    with refused("filter-exists"):
        make_filter(mine, "org/m", DIGEST, "another", {"q1": False})
    assert make_filter(mine, "org:m", DIGEST, "another", {"q1": True}) != made


def test_a_filter_never_moves(mine: Workspace) -> None:
    make_filter(mine, "m", DIGEST, "a-run", {"q1": True})
    with refused("filter-exists"):
        make_filter(mine, "m", DIGEST, "another", {"q1": False})


def test_a_project_that_cannot_be_written_has_no_filter(mine: Workspace) -> None:
    mine.own("questions").write_text("no folder")
    with refused("not-writable"):
        make_filter(mine, "m", DIGEST, "a-run", {"q1": True})


def test_a_broken_filter_is_a_sentence(mine: Workspace) -> None:
    path = filter_path(mine, "m", DIGEST)
    path.parent.mkdir(parents=True)
    path.write_text('{"model": "m"}')
    with refused("bad-filter", "bank: "):
        load_filter(mine, "m", DIGEST)


def test_the_shipped_bank() -> None:
    bank = load_bank(HERE, None, None, "a-model-without-a-filter")
    assert len(bank.items) == 430
    assert len(bank.sections) == 86
    assert bank.kept == {item.id for item in bank.items}


def test_a_bank_keeps_what_the_filter_keeps(mine: Workspace) -> None:
    whole = load_bank(mine, None, None, "nobody")
    make_filter(mine, "somebody", whole.digest, "a-run", {whole.items[3].id: True, whole.items[4].id: False})
    assert load_bank(mine, None, None, "somebody").kept == {whole.items[3].id}


def frozen(model: str, *kept: str, bank: str = DIGEST) -> Filter:
    return Filter(model=model, bank=bank, made=datetime.date(2026, 11, 22), run="a-run", kept=kept, dropped=())


def test_a_baselines_filter_is_its_models_own_or_its_only_one(mine: Workspace) -> None:
    first, second = frozen("one", "q1"), frozen("two", "q2")
    assert choose_filter(mine, (first, second), "two", DIGEST) == second
    assert choose_filter(mine, (first,), "new", DIGEST) == first
    assert choose_filter(mine, (first,), "one", "another bank") is None
    assert choose_filter(mine, (), "one", DIGEST) is None
    with refused("several-filters", "one, two", "new"):
        choose_filter(mine, (first, second), "new", DIGEST)


def test_without_a_baseline_the_models_own_counts(mine: Workspace) -> None:
    assert choose_filter(mine, None, "m", DIGEST) is None
    make_filter(mine, "m", DIGEST, "a-run", {"q1": True})
    assert choose_filter(mine, None, "m", DIGEST) == load_filter(mine, "m", DIGEST)


def test_a_bank_keeps_what_the_baselines_filter_keeps(mine: Workspace) -> None:
    whole = load_bank(mine, None, None, "nobody")
    make_filter(mine, "somebody", whole.digest, "a-run", {whole.items[3].id: True})
    kept = frozen("before", whole.items[5].id, bank=whole.digest)
    assert load_bank(mine, None, None, "somebody", frozen=(kept,)).kept == {whole.items[5].id}
    assert len(load_bank(mine, None, None, "somebody", frozen=()).kept) == 430
