"""`gate`: the verdict on the results of any evaluation tool, by the same statistics."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli import emit
from longctx.cli.shared_options import declare
from longctx.config.arguments import share
from longctx.config.project import project_settings
from longctx.engine.settings import GATE
from longctx.errors import BadValue, UserError
from longctx.gate.rules import MARGIN

RESULTS = "results.jsonl"
FIELDS = {
    "id": "the field that identifies an item (default: id); a field of an object is named as in scores.f1",
    "correct": "the field of the outcome: true, false, or a score from 0 to 1 (default: correct or score)",
    "answer": "the field of the model's answer, which is shown of lost items (default: answer)",
    "expected": "the field of the right answer (default: expected)",
    "question": "the field of what is asked, which is shown of lost items (default: question, query, problem or "
    "user_input)",
    "depth": "the field of the place in the context that has the answer, from 0 to 1 or in percent: the verdict says "
    "in which third answers were lost (default: depth)",
    "error": "the field of the error that an item ended with, which is not measured then (default: error or exception)",
    "band": "items with the same value of this field form a band (default: band)",
    "cluster": "items with the same value of this field form a cluster (default: cluster)",
}
"""The options that name a field of a file, and their help."""

if TYPE_CHECKING:
    from longctx.gate.cases import Retired
    from longctx.gate.verdict import Rules
    from longctx.report.verdict_blocks import TextChange
    from longctx.results.baseline_file import Baseline
    from longctx.results.labels import Labels
    from longctx.results.manifest import Manifest
    from longctx.vocabulary.declaration import Protocol
    from longctx.workspace import Workspace


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="gate the results of any evaluation tool",
        description="Judges NEW against OLD by the statistics of pytest's --ctx-baseline: pairs of one id, clusters, "
        "Holm over the bands, a margin. Each is a log of inspect_ai (.eval or .json), samples of "
        "lm-evaluation-harness (samples_*.jsonl), output of promptfoo (.json or .jsonl), any JSON lines, JSON array, "
        "CSV or TSV with one result per item, each also gzipped, or a run folder of longctx; OLD may be a "
        "baseline's file. An id of OLD that NEW lacks is not measured. "
        "Rows of other tools have no digests, so longctx cannot check that both runs sent the same requests. The exit "
        "status is that of a gated run: 12 invalid, 10 regression, 11 inconclusive, 0 pass.",
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the earlier results: a file, or the folder of a run")
    parser.add_argument("new", type=Path, metavar="NEW", help="the results to judge")
    parser.add_argument(
        "--guessing",
        type=share(zero=True),
        default=0.0,
        metavar="SHARE",
        help="the accuracy that guessing reaches, such as 0.25 (default: 0)",
    )
    parser.add_argument(
        "--subset",
        action="store_true",
        help="NEW measures a part of OLD on purpose: leave out the items that it lacks, which otherwise count as not "
        "measured",
    )
    parser.add_argument(
        "--run-margin",
        type=share(),
        metavar="SHARE",
        help="the largest acceptable drop of all bands together, at most --margin: a larger one must be ruled out, too "
        "(default: a drop in all of them can only be a regression)",
    )
    parser.add_argument(
        "--select",
        type=_pair,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="of several providers, prompts, scorers, filters or metrics in a file, take this one. Repeat it for other "
        "keys; of a key given twice, the first value is for OLD and the second for NEW",
    )
    for name, text in FIELDS.items():
        parser.add_argument(f"--{name}", metavar="FIELD", help=text)
    _add_meaning(parser)
    declare(parser, *GATE, "judge-labels")
    emit.add(parser, "print all tables, and how the verdict is reached")
    parser.set_defaults(run=run)


def _add_meaning(parser: argparse.ArgumentParser) -> None:
    """Add the options that tell where the rows are, and what their outcomes mean."""
    parser.add_argument("--rows", default="", metavar="PATH", help="the list of rows inside an object, such as data")
    parser.add_argument(
        "--score",
        choices=("contains", "share", "exact"),
        default="",
        help="score answers (--answer) against what is expected (--expected): contains: one of the expected texts "
        "occurs in the answer; share: the share of them that occurs; exact: the answer is one of them",
    )
    parser.add_argument(
        "--scale",
        type=_scale,
        default=(0.0, 1.0),
        metavar="LOWEST:HIGHEST",
        help="the worst and the best mark of the outcome, such as 1:5 (default: 0:1)",
    )
    direction = parser.add_mutually_exclusive_group()
    direction.add_argument(
        "--lower-is-better", action="store_true", help="a low outcome is good, such as an error rate"
    )
    direction.add_argument(
        "--higher-is-better", action="store_true", help="a high outcome is good, whatever its name suggests"
    )


def _scale(text: str) -> tuple[float, float]:
    try:
        lowest, highest = map(float, text.split(":"))
    except ValueError:
        lowest = highest = 0
    if not -math.inf < lowest < highest < math.inf:
        raise BadValue("bad-scale", f"{text!r} is no scale: write the lowest and the highest mark, such as 1:5.")
    return lowest, highest


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise BadValue("bad-select", f"{text!r} is not KEY=VALUE: write, for instance, scorer=match.")
    return key, value


def _selected(pairs: Sequence[tuple[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what to select of OLD and of NEW. Raises UserError for a key that is given three times."""
    given: dict[str, list[str]] = {}
    for key, value in pairs:
        given.setdefault(key, []).append(value)
    for key, values in given.items():
        if len(values) > 2:
            raise UserError("bad-select", f"--select has {key} {len(values)} times: use one for OLD and one for NEW.")
    return {key: values[0] for key, values in given.items()}, {key: values[-1] for key, values in given.items()}


def run(options: argparse.Namespace) -> int:
    from longctx.results.imported import without_collector

    with without_collector():
        return _judged(options)


def _judged(options: argparse.Namespace) -> int:
    """Judge, print the verdict, and return the exit status. Raises UserError."""
    from longctx.gate.cases import without_retired
    from longctx.gate.rules import exit_status
    from longctx.gate.verdict import give_verdict
    from longctx.report.gate_lines import lost_answers, views_of_file
    from longctx.report.headline import headline, last_line
    from longctx.report.verdict_document import verdict_document
    from longctx.results.baseline_head import is_baseline
    from longctx.results.foreign.choice import Choice, Undecided
    from longctx.results.foreign.outcome import Scale
    from longctx.results.imported import NOT_CHECKED, RUN, Loaded, check_comparable, load_results, with_unmeasured
    from longctx.vocabulary.both import Both

    emit.check(options)
    named = {name: field for name in FIELDS if (field := getattr(options, name))}
    lower = True if options.lower_is_better else False if options.higher_is_better else None
    lowest, highest = options.scale
    scale = Scale(lowest, highest, lower)
    old, new = (Choice(select, named, options.rows, options.score, scale) for select in _selected(options.select))
    kept = _kept(options.old) if is_baseline(options.old) else None
    try:
        older = Loaded(kept.rows, RUN, kept.manifest) if kept else load_results(options.old, old)
        newer = load_results(options.new, new)
        check_comparable(older, newer, Both(options.old, options.new), new)
    except Undecided as error:
        error.commands = [shlex.join([*_program(), *words]) for words in error.amended(options.words)]
        raise
    for loaded in (older, newer):
        if loaded.understood:
            print(f"{loaded.understood}.", file=sys.stderr)
    before, after, earlier, manifest = older.rows, newer.rows, older.manifest, newer.manifest
    kept = kept or (_kept(_folder(options.old)) if earlier and manifest else None)
    terms = rules = _terms(options, manifest or earlier)
    known: Mapping[str, Protocol] = {}
    if manifest:
        from longctx.engine.settings import GateTerms
        from longctx.engine.terms import merged_rules
        from longctx.plugin.selected_tests import reports_of_tests
        from longctx.registry import known_protocols

        known = known_protocols(options.workspace)
        gate_terms = GateTerms(
            margin=terms.margin, alpha=terms.alpha, max_age=options.max_age, run_margin=terms.run_margin
        )
        reports = reports_of_tests(options.workspace, manifest.reports)
        rules = replace(merged_rules(gate_terms, (), known, manifest, earlier), reports=reports)
    rules = replace(rules, labels=_labels(options), retired=_retired(options.workspace))
    if options.subset:
        rules = replace(rules, left_out=0, subset=True)
    else:
        after = with_unmeasured(without_retired(before, after, rules.retired)[0], after)
    if is_baseline(options.old) and kept:
        from longctx.engine.memory import judged_against

        verdict = judged_against(kept, after, rules, known, options.guessing)
    else:
        verdict = give_verdict(before, after, rules, known, options.guessing)
    understood = [loaded.understood for loaded in (older, newer) if loaded.understood]
    differs = [NOT_CHECKED, *(understood if emit.kind_of(options) in ("markdown", "html") else ())]
    if earlier and manifest:
        from longctx.gate.changed import changed, changed_terms

        differs = [
            *changed_terms(earlier.terms, terms),
            *changed(Both(earlier, manifest), Both(before, after), verdict),
        ]
    views = views_of_file(newer.questions)
    command: Sequence[str] = ()
    if kept and manifest:
        from longctx.engine.finish import command_for_all, texts_of
        from longctx.results.run_folders import find_run
        from longctx.results.store import load

        views = texts_of(kept, load(find_run(_folder(options.new))), options.workspace.cassettes)
        command = command_for_all(*(str(_folder(path)) for path in (options.old, options.new)))
    lost = lost_answers(verdict, before, after, views, command)
    texts: Sequence[TextChange] = ()
    if earlier and manifest:
        from longctx.engine.changed_texts import text_changes

        texts = text_changes(Both(earlier, manifest), Both(before, after), verdict, options.workspace)
    shown = verdict_document(verdict, options.old.name, differs, lost=lost, texts=texts)
    against = options.old.name, earlier.run if earlier else options.old.stem

    def as_page() -> str:
        from longctx.report.page.verdict_page import verdict_page

        return verdict_page(shown, Both(before, after), views, known)

    def as_data() -> dict[str, Any]:
        from longctx.report.verdict_data import with_words

        return {**with_words(verdict, against, differs, shown), "understood": understood}

    emit.show(options, shown, as_page, as_data)
    status = exit_status(verdict.verdict, False, options.on_inconclusive)
    if emit.is_brief(options):
        print("\nAll tables and notes: -v. As a page: --out gate.html.")
    if options.out is not None or emit.kind_of(options) == "terminal":
        print(last_line(headline(verdict), status))
    return status


def _kept(path: Path) -> Baseline:
    """Return a run that is kept: a baseline, or the folder of one. Raises UserError."""
    from longctx.results.baseline_file import load_baseline

    return load_baseline(path)


def _labels(options: argparse.Namespace) -> Labels | None:
    if not options.judge_labels:
        return None
    from longctx.results.labels import read_labels

    return read_labels(options.judge_labels)


def _retired(workspace: Workspace) -> Retired:
    """Return the cases that the project has retired: with a base branch, those that stand there. Raises UserError."""
    from longctx.gate.cases import Retired

    base = os.environ.get("LONGCTX_BASE")
    if not base:
        return Retired(project_settings(workspace.root).retired)
    from longctx.engine.base_terms import retired_cases

    return retired_cases(workspace, base)


def _program() -> list[str]:
    """Return how the person started longctx."""
    return ["python", "-m", "longctx"] if Path(sys.argv[0]).name == "__main__.py" else ["longctx"]


def _folder(path: Path) -> Path:
    """Return the folder of a run that is named by it, or by its file of rows; another path as it is."""
    return path.parent if path.name == RESULTS else path


def _terms(options: argparse.Namespace, of: Manifest | None) -> Rules:
    """Return the terms: those that are given, else those of the new run, else the defaults. Raises UserError."""
    from longctx.gate.verdict import Rules

    recorded = of.terms if of and of.terms else Rules(margin=MARGIN, alpha=options.alpha)
    margin = recorded.margin if options.margin is None else options.margin
    if options.run_margin is not None and options.run_margin > margin:
        raise UserError(
            "run-margin-above-margin",
            f"--run-margin {options.run_margin:g} is more than the margin of a band, {margin:g}: use a smaller one, or "
            "a larger --margin.",
        )
    run_margin = options.run_margin
    if run_margin is None and recorded.run_margin is not None:
        run_margin = min(recorded.run_margin, margin)
    alpha = options.alpha if "alpha" in vars(options).get("given", ()) else recorded.alpha
    return Rules(margin=margin, alpha=alpha, run_margin=run_margin)
