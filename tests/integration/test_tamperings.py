"""A change that weakens what judges it does not pass: the base branch's test code judges the same answers.

A further tampering is ten lines: write what the branch changes beside a prompt that makes half of the answers wrong,
and add it to TAMPERINGS, with what the verdict says. See judged_project.py.
"""

from __future__ import annotations

import importlib.util
import py_compile
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, needs_git
from tests.integration.judged_project import CASES, PRODUCT, WORSE, T, add, answered, change_prompt, edit, gate, send
from tests.servers import SimulatedServer

pytestmark = needs_git
TESTS, HELPER, CONFTEST = f"{T}/test_codes.py", f"{T}/helper.py", f"{T}/conftest.py"


@pytest.fixture
def project(judged_once: Checkout, tmp_path: Path) -> Checkout:
    """Return the project with a prompt that makes half of the answers wrong."""
    changed = judged_once.copied(tmp_path / "checkout")
    change_prompt(changed, WORSE)
    return changed


def weaker_assertion(project: Checkout) -> None:
    edit(project, TESTS, ("assert answer.integer() == ctx.case.code", "assert answer.integer()"))


def removed_assertion(project: Checkout) -> None:
    edit(project, TESTS, ("    assert answer.integer() == ctx.case.code\n", ""))


def weaker_helper(project: Checkout) -> None:
    edit(project, HELPER, ("== code", "!= 0"))


def helper_behind_a_package(project: Checkout) -> None:
    add(project, f"{T}/helper/__init__.py", "def must_be(answer, code):\n    pass\n")


def ask_in_conftest(project: Checkout) -> None:
    add(
        project,
        CONFTEST,
        "import dataclasses, re\n\n@pytest.fixture\ndef ask(ctx):\n    def asked(text):\n"
        "        return dataclasses.replace(ctx.ask(text), text=re.findall(r'\\d+', text)[0])\n    return asked\n",
    )


def integer_in_conftest(project: Checkout) -> None:
    add(
        project,
        CONFTEST,
        "import longctx\n\nclass Same(int):\n    __hash__ = int.__hash__\n    def __eq__(self, other):\n"
        "        return True\n\nlongctx.Answer.integer = lambda self: Same()\n",
    )


def subtests_in_conftest(project: Checkout) -> None:
    add(
        project,
        CONFTEST,
        "import contextlib\n\n@pytest.fixture\ndef subtests():\n    class Quiet:\n        @contextlib.contextmanager\n"
        "        def test(self, name):\n            with contextlib.suppress(AssertionError):\n                yield\n"
        "    return Quiet()\n",
    )


def margin_in_a_hook(project: Checkout) -> None:
    add(project, "conftest.py", "\n\ndef pytest_longctx_config(config):\n    return {'margin': 0.9}\n")


def plugin_that_swallows(project: Checkout) -> None:
    add(
        project,
        "lenient.py",
        "import longctx\n\nclass Same(int):\n    __hash__ = int.__hash__\n    def __eq__(self, other):\n"
        "        return True\n    def __sub__(self, other):\n        return 0\n\n"
        "longctx.Answer.integer = lambda self: Same()\n",
    )
    add(project, "pytest.ini", "addopts = -p lenient\n")


def asking_until_it_is_right(project: Checkout) -> None:
    edit(
        project,
        TESTS,
        (
            "    must_be(ask(product.prompt(code)), code)",
            "    if ask(product.prompt(code)).integer() != code:\n"
            "        must_be(ask(product.prompt(code).replace(product.QUESTION, 'What is the code?')), code)",
        ),
    )


def skipping_what_is_wrong(project: Checkout) -> None:
    edit(
        project,
        TESTS,
        (
            "    assert answer.integer()",
            "    answer.integer() == ctx.case.code or pytest.skip()\n    assert answer.integer()",
        ),
    )


def removed_cases(project: Checkout) -> None:
    json_lines(project.file(f"{T}/cases.jsonl"), *CASES[::2])


def data_that_tests_read(project: Checkout) -> None:
    project.file(f"{T}/tolerance.json").write_text("5")


def settings_of_pytest(project: Checkout) -> None:
    project.file("pytest.ini").write_text("[pytest]\npython_functions = test_near\n")


def functions_wrapped_in_a_hook(project: Checkout) -> None:
    add(
        project,
        CONFTEST,
        "import contextlib\nimport functools\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
        "        item.obj = quiet(item.obj)\n\n\n"
        "def quiet(test):\n    @functools.wraps(test)\n    def run(*args, **given):\n"
        "        with contextlib.suppress(AssertionError):\n            test(*args, **given)\n    return run\n",
    )


def not_gated(project: Checkout) -> None:
    edit(project, TESTS, ('cases="cases.jsonl"', 'cases="cases.jsonl", gated=False'))


def removed_test(project: Checkout) -> None:
    text = project.file(TESTS).read_text()
    project.file(TESTS).write_text(text[: text.rindex("@pytest")])


def asking_past_the_product(project: Checkout) -> None:
    edit(
        project,
        TESTS,
        ("product.prompt(", "prompt("),
        ("import pytest\n", "import pytest\n\nprompt = 'The code is {}. What is the code?'.format\n"),
    )


def product_among_the_tests(project: Checkout) -> None:
    add(project, f"{T}/product.py", PRODUCT)


def hook_that_hides_the_change(project: Checkout) -> None:
    add(
        project,
        "conftest.py",
        "import json\n\ndef pytest_longctx_request(config, body):\n"
        f"    return json.loads(json.dumps(body).replace({WORSE!r}, 'What is the code?'))\n",
    )


def another_base(project: Checkout) -> None:
    weaker_assertion(project)
    weaker_helper(project)
    data_that_tests_read(project)
    edit(project, TESTS, ("assert text == str(code)", "assert text"))
    add(project, CONFTEST, "import os\n\nos.environ['LONGCTX_BASE'] = 'HEAD'\n")
    project.git("commit", "--all", "--quiet", "--message", "Weaker")
    project.git("branch", "--move", "change")
    project.git("branch", "main", "HEAD^")


def no_baseline(project: Checkout) -> None:
    add(project, CONFTEST, "\n\ndef pytest_configure(config):\n    config.option.ctx_baseline = None\n")


def no_session(project: Checkout) -> None:
    add(project, CONFTEST, "\n\ndef pytest_cmdline_main(config):\n    return 0\n")


def exit_status_in_a_hook(project: Checkout) -> None:
    add(
        project,
        "conftest.py",
        "import pytest\n\n@pytest.hookimpl(trylast=True)\ndef pytest_sessionfinish(session):\n"
        "    session.exitstatus = 0\n\ndef pytest_unconfigure(config):\n"
        "    config.pluginmanager.get_plugin('session').exitstatus = 0\n",
    )


def compiled_helper(project: Checkout) -> None:
    """Commit a compiled module that Python takes for its unchanged source without a comparison."""
    weak = project.file("weak.py")
    weak.write_text("def must_be(answer, code):\n    pass\n")
    compiled = importlib.util.cache_from_source(str(project.file(HELPER)))
    py_compile.compile(str(weak), compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    weak.unlink()
    project.git("add", "--force", compiled)


def lower_baseline(project: Checkout) -> None:
    path = project.file("fixtures/baselines/main.jsonl")
    path.write_text(re.sub(r"\bc{30}\b", "cw" * 15, path.read_text()))


def wider_terms(project: Checkout) -> None:
    edit(project, "tiny.toml", ("margin = 0.15", "margin = 0.9"))
    project.settings(alpha=1e-30, on_inconclusive="pass")


def easier_cases_of_the_same_ids(project: Checkout) -> None:
    json_lines(project.file(f"{T}/cases.jsonl"), *({**case, "code": 30_000} for case in CASES))
    with SimulatedServer(answered) as server:
        send(project, server, mode="new_episodes")


def another_version(project: Checkout) -> None:
    edit(project, TESTS, ("trials=30", "trials=30, version=2"), ('"cases.jsonl"', '"cases.jsonl", version=2'))
    with SimulatedServer(answered) as server:
        send(project, server, mode="new_episodes")


def expected_to_fail(project: Checkout) -> None:
    edit(project, TESTS, ("import pytest\n", "import pytest\n\npytestmark = pytest.mark.xfail(reason='known')\n"))


def project_in_the_project(project: Checkout) -> None:
    """Have pytest take the folder of tests for the project: then a helper in it counts as product."""
    for name in ("fixtures", "cassettes"):
        shutil.copytree(project.file(name), project.file(f"{T}/{name}"))
    shutil.copy(project.file("tiny.toml"), project.file(T))
    add(project, f"{T}/pytest.ini", "[pytest]\n")
    weaker_helper(project)


def equal_to_anything(project: Checkout) -> None:
    same = "type('Same', (str,), {'__eq__': lambda *_: True})"
    edit(project, "product.py", ("answer.text.strip()", f"{same}(answer.text.strip())"))


TAMPERINGS = [
    (weaker_assertion, "test_case: by main's test code 0.50, by this branch's 1.00"),
    (removed_assertion, "test_case: by main's test code 0.50, by this branch's 1.00"),
    (weaker_helper, "test_code: by main's test code 0."),
    (helper_behind_a_package, "test_code: by main's test code 0."),
    (ask_in_conftest, "test_code: by main's test code 0."),
    (integer_in_conftest, "test_case: by main's test code 0.50, by this branch's 1.00"),
    (subtests_in_conftest, "test_read: by main's test code 0."),
    (margin_in_a_hook, "The margin of this branch's hooks, 0.9, is not used: main's is none."),
    (plugin_that_swallows, "test_case: by main's test code 0.50, by this branch's 1.00"),
    (asking_until_it_is_right, "test_code (tests_longctx/test_codes.py): main's test code needs fewer requests in"),
    (skipping_what_is_wrong, "test_case: by main's test code 0.50, by this branch's 1.00"),
    (removed_cases, "15 of 30 trials of the baseline are not in this run"),
    (functions_wrapped_in_a_hook, "test_case: by main's test code 0.50, by this branch's 1.00"),
    (data_that_tests_read, "test_near: by main's test code 0."),
    (settings_of_pytest, "Gate: invalid"),
    (not_gated, "code that judges differs from main: tests_longctx/test_codes.py"),
    (removed_test, "Gate: invalid"),
    (another_base, "test_code: by main's test code 0.40, by this branch's 1.00"),
    (no_baseline, "turned its gate off"),
    (no_session, "Gate: invalid"),
    (exit_status_in_a_hook, "bands (exit 10)"),
    (compiled_helper, "test_code: by main's test code 0.40, by this branch's 1.00"),
    (wider_terms, "profile tiny: its file has changed"),
    (easier_cases_of_the_same_ids, "expected answers of 30 of 150 cases changed"),
    (another_version, "Gate: invalid"),
    (expected_to_fail, "code that judges differs from main: tests_longctx/test_codes.py"),
    pytest.param(
        project_in_the_project,
        "test_code: by main's test code 0.40, by this branch's 1.00",
        marks=pytest.mark.xfail(strict=True, reason="settings of the change decide where the project is"),
    ),
    pytest.param(
        equal_to_anything,
        "test_read.same -0.367",
        marks=pytest.mark.xfail(strict=True, reason="what product code returns is judged, even if it equals anything"),
    ),
]
NAMED = [
    (asking_past_the_product, "main's test code would send another text in 30 of 30 trials"),
    (product_among_the_tests, "main's test code would send another text in 30 of 30 trials"),
    (hook_that_hides_the_change, "hooks: none → pytest_longctx_request"),
    (lower_baseline, "the baseline main differs from that of main"),
]
"""Those whose verdict is what it is without them, and says what they did."""


def test_worse_answers_are_a_regression_without_a_word_on_test_code(project: Checkout) -> None:
    result = gate(project)
    assert result.code == 10, result.out
    assert not result.says("test code")


@pytest.mark.parametrize(("tampering", "says"), TAMPERINGS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_tampering_does_not_pass(project: Checkout, tampering: Callable[[Checkout], None], says: str) -> None:
    """docs/security.md, weaker-tests"""
    result = gate(project, change=tampering)
    assert result.code in (10, 12), result.out
    assert result.says(says), result.out


def test_shards_are_judged_by_the_base_once_they_are_merged(project: Checkout) -> None:
    weaker_assertion(project)
    for number in (1, 2):
        assert gate(project, f"--ctx-shard={number}/2", f"--ctx-report=s{number}").code == 0
    merged = project.longctx("merge", "s1", "s2", "--out=both", "--no-page", "--baseline=main")
    assert merged.code == 10, merged.out
    assert merged.says("test_case: by main's test code 0.50, by this branch's 1.00"), merged.out


def moved_product(project: Checkout) -> None:
    project.file("product.py").rename(project.file("service.py"))
    edit(project, TESTS, ("import product\n", "import service as product\n"))


def renamed_function(project: Checkout) -> None:
    edit(project, "product.py", ("def prompt(", "def question("))
    edit(project, TESTS, ("product.prompt(", "product.question("))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            moved_product,
            "main's test code cannot judge test_code (tests_longctx/test_codes.py): ModuleNotFoundError: No module "
            "named 'product'",
        ),
        (renamed_function, "30 of 30 trials were not measured (30 AttributeError)"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_base_code_that_cannot_judge_makes_the_run_invalid(
    project: Checkout, change: Callable[[Checkout], None], says: str
) -> None:
    result = gate(project, "-n2", change=change)
    assert result.code == 12, result.out
    assert result.says(says), result.out


@pytest.mark.parametrize(("tampering", "says"), NAMED, ids=lambda each: getattr(each, "__name__", ""))
def test_a_tampering_is_named(project: Checkout, tampering: Callable[[Checkout], None], says: str) -> None:
    """docs/security.md, weaker-tests"""
    result = gate(project, change=tampering)
    assert result.says(says), result.out
