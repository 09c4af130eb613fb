"""Chapter 13: the small cache, its traced run, the rates, the faults, and that every line is explained."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.demo import faults
from core.demo.cache import PrefixCache, compute, serve
from core.demo.faults import FAULTS, REQUESTS, SHARED, repaired, results
from core.demo.sisters import SISTERS, reused
from core.demo.trace import TRACED, rates, trace
from core.engine.engine import Engine
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request
from pages.ch13 import command, percent
from ui.course.ch13 import (
    DEFAULT,
    FUNCTIONS,
    PAIRS,
    SIZES,
    changed_line,
    code_lines,
    first_hit,
    is_fault,
    line_key,
    next_request,
    parse_requests,
    sister_bet,
    sister_put,
    take_away,
)
from ui.course.code import source_of
from ui.course.mine import our_prompt
from ui.stage.own import OwnPrompts
from ui.words.i18n import LANGS, Lang, t, table

PROMPTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), min_size=1, max_size=6)


def test_the_four_requests() -> None:
    rows = rates(REQUESTS, SHARED, 2)
    assert [row.reused for row in rows] == [0, 4, 0, 4]
    assert [percent(row.of_asked) for row in rows] == ["0.00 %", "50.00 %", "50.00 %", "66.67 %"]
    assert [percent(row.of_requests) for row in rows] == ["0.00 %", "50.00 %", "33.33 %", "50.00 %"]
    assert [percent(row.of_tokens) for row in rows] == ["0.00 %", "33.33 %", "22.22 %", "33.33 %"]


def test_a_request_with_another_beginning_first_has_no_rate_yet() -> None:
    rows = rates(REQUESTS[2:], SHARED, 2)
    assert percent(rows[0].of_asked) == "–"
    assert rows[1].reused == 0, "nobody has computed that beginning"


@given(PROMPTS, st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_the_small_cache_hits_what_the_engine_hits(prompts: list[list[int]], size: int) -> None:
    cache = PrefixCache(size)
    engine = Engine(EngineConfig(block_size=size, num_blocks=200))
    for number, tokens in enumerate(prompts):
        reused, kv = serve(cache, tokens)
        request = Request(f"R{number}", tuple(tokens))
        assert reused == engine.lookup(request).hit
        assert kv == compute(tokens, 0), "reused KV is the KV that computing would give"
        engine.submit(request)
        engine.run()


@given(PROMPTS, st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_every_line_that_runs_is_explained(prompts: list[list[int]], size: int) -> None:
    moments = trace(prompts, size)
    assert moments[-1].request == len(prompts) - 1
    assert {line_key(moment) for moment in moments} <= set(table("en"))


@pytest.mark.parametrize("lang", LANGS)
def test_there_is_a_sentence_for_each_line_and_no_other(lang: Lang) -> None:
    wanted = {
        f"course.ch13.line.{name.rsplit('.', 1)[-1]}.{number}"
        for name, function in FUNCTIONS.items()
        for number in range(1, len(code_lines(function)) + 1)
    }
    assert {key for key in table(lang) if key.startswith("course.ch13.line.")} == wanted
    assert set(FUNCTIONS.values()) == set(TRACED)


def test_sentences_stand_at_their_lines() -> None:
    """An inserted line would shift all sentences behind it; these are the ones that would tell."""
    ends = {name: [line for _, line in code_lines(function)] for name, function in FUNCTIONS.items()}
    assert ends["serve"][2].startswith("kv = kv + compute(")
    assert ends["PrefixCache.look_up"][4] == "break"
    assert ends["PrefixCache.tags"][4].startswith("tag = sha256(")
    assert ends["compute"][2].startswith("kv.append(")
    assert ends["PrefixCache.store"][2].startswith("self.kv_of[tag] = ")


def test_the_page_opens_at_the_second_requests_first_block() -> None:
    moments = trace(REQUESTS, 2)
    place = first_hit(moments)
    opened = moments[place]
    assert (opened.request, opened.function) == (1, "PrefixCache.look_up")
    first, lines = source_of(PrefixCache.look_up)
    assert lines[opened.line - first].strip() == "kv += self.kv_of[tag]"
    assert len(opened.stored) == 3
    assert next_request(moments, place) == next(p for p, m in enumerate(moments) if m.request == 2)
    assert next_request(moments, len(moments) - 1) == len(moments) - 1
    assert first_hit(trace([[1, 2, 3]], 2)) == 0


def test_a_run_is_the_same_each_time_and_leaves_no_tracer() -> None:
    before = sys.gettrace()
    assert trace(REQUESTS, 2) == trace(REQUESTS, 2)
    assert sys.gettrace() is before


@pytest.mark.parametrize(("text", "requests"), [
    (DEFAULT, [list(tokens) for tokens in REQUESTS]),
    ("1, 2,3\n\n 4 ", [[1, 2, 3], [4]]),
    ("", None),
    ("\n \n", None),
    ("1 2 x", None),
    ("1 -2", None),
    ("__import__('os')", None),
    ("100000", None),
    ("１ ２", None),
    (" , ", None),
    ("1 " * 13, None),
    ("1\n" * 7, None),
])  # fmt: skip
def test_only_numbers_come_in(text: str, requests: list[list[int]] | None) -> None:
    assert parse_requests(text) == requests


@pytest.mark.parametrize(("name", "got", "true"), [
    ("phantom", 4, 0), ("left_out", 200 / 3, 50), ("by_value", 2, 3), ("digest", 4, 0),
    ("all_or_nothing", 0, 2),
])  # fmt: skip
def test_a_fault_shows(name: str, got: float, true: float) -> None:
    assert results(name) == pytest.approx((got, true))


@pytest.mark.parametrize("name", FAULTS)
def test_the_line_at_fault_stands_once_in_its_function(name: str) -> None:
    lines = [line for _, line in code_lines(FAULTS[name].function)]
    assert lines.count(FAULTS[name].line) == 1
    assert sum(is_fault(name, line) for line in lines) == 1 < len(lines)
    assert FAULTS[name].line in FAULTS[name].repair, "it is the line that the repair changes"


def made(source: str, name: str) -> Callable[..., Any]:
    """The function that a changed source makes."""
    names = dict(vars(faults))
    exec(source, names)
    function: Callable[..., Any] = names[FAULTS[name].function.__name__]
    return function


def all_hold(source: str, name: str) -> bool:
    try:
        return all(got == true for got, true in FAULTS[name].checks(made(source, name)))
    except Exception:  # noqa: BLE001 (code with a line left out may do anything)
        return False


@pytest.mark.parametrize("name", FAULTS)
def test_a_cards_answer_is_proven_by_its_repair(name: str) -> None:
    """The card that compared before it hashed named a line whose removal hit for foreign prompts."""
    source = textwrap.dedent(inspect.getsource(FAULTS[name].function))
    assert not all_hold(source, name)
    assert all_hold(repaired(name), name)
    lines = source.splitlines()
    body = [line for _, line in code_lines(FAULTS[name].function)]
    for place, line in enumerate(lines):
        if line.strip() not in body:
            continue
        for instead in ([], [line.replace(line.strip(), "pass")]):
            without = "\n".join([*lines[:place], *instead, *lines[place + 1 :]]) + "\n"
            assert not all_hold(without, name), f"without {line.strip()!r} it is right, too"


@pytest.mark.parametrize("name", FAULTS)
def test_checks_see_more_than_the_fault(name: str) -> None:
    """A repair that answers every request alike would pass a single check."""
    assert len({true for _, true in FAULTS[name].checks(made(repaired(name), name))}) > 1


# -- the bet -----------------------------------------------------------------------------------------------

ODD = [
    OwnPrompts("Soup.", ("", "", "")),
    OwnPrompts("汤", ("辣吗？", "辣吗？", "开吗？")),
    OwnPrompts("🍜🍜", ("🌶", "", "🥚")),
    OwnPrompts("word " * 150, ("a b c", "a b d", "x")),
    OwnPrompts("One two three four", (" five six seven eight", " five six seven eight", " nine")),
    our_prompt("en"),
    our_prompt("zh"),
]


@pytest.mark.parametrize("number", range(len(ODD)))
def test_the_bet_can_be_put_on_any_prompt(number: int) -> None:
    prompt = ODD[number]
    for seed in range(12):
        asked = sister_bet(prompt, seed)
        assert asked.truth in asked.answers()
        key, args = asked.told(0)
        for lang in LANGS:
            assert t(asked.ask, lang, **asked.args)
            assert t(key, lang, **args)


def test_two_seeds_put_two_questions() -> None:
    asked = [sister_bet(our_prompt("en"), seed) for seed in range(12)]
    assert all(one.args != other.args for one, other in pairwise(asked))
    assert len({str(one.args) for one in asked}) > 6
    assert len({one.truth for one in asked}) > 3


@pytest.mark.parametrize("prompt", ODD)
def test_the_right_cache_reuses_what_the_engine_does(prompt: OwnPrompts) -> None:
    tokenizer = TeachingTokenizer()
    prompts = [tokenizer.encode(prompt.system + message) for message in prompt.messages[:2]]
    for size in SIZES:
        engine = Engine(EngineConfig(block_size=size, num_blocks=400))
        engine.submit(Request("a", tuple(prompts[0])))
        engine.run()
        assert reused("", prompts, size) == engine.lookup(Request("b", tuple(prompts[1]))).hit


def test_each_sister_errs_somewhere() -> None:
    """A bet on a fault that never shows would teach nothing."""
    same = [[1, 2, 3, 4], [1, 2, 3, 4]]
    near = [[1, 2, 3, 4, 5], [1, 2, 3, 9, 5]]
    wrong = {name: [reused(name, one, 2) != reused("", one, 2) for one in (same, near)] for name in SISTERS}
    assert wrong == {"first": [False, True], "whole": [False, True], "last": [True, False]}


@pytest.mark.parametrize("name", SISTERS)
def test_a_sister_is_the_small_cache_with_one_line_changed(name: str) -> None:
    """What is shown beside the right function: every other line is the same, so that one can compute it."""
    sister = SISTERS[name]
    right, changed = (source_of(function)[1] for function in (sister.right, sister.changed))
    other = [new for old, new in zip(right, changed, strict=True) if old != new]
    assert [line.strip() for line in other] == [sister.line]
    first, lines = source_of(sister.changed)
    put = next(put for seed in range(3) if (put := sister_put(our_prompt("en"), seed)).name == name)
    assert lines[changed_line(put) - first].strip() == sister.line


@pytest.mark.parametrize("prompt", ODD)
def test_a_bet_is_on_a_fault_that_shows_wherever_one_does(prompt: OwnPrompts) -> None:
    puts = [sister_put(prompt, seed) for seed in range(24)]
    shows = [put.got != put.right for put in puts]
    assert all(shows) or not any(shows)
    for put, seed in zip(puts, range(24), strict=True):
        assert sister_bet(prompt, seed).told(0)[0].endswith(".same") == (put.got == put.right)


def test_no_difference_is_told_where_there_is_none() -> None:
    tiny = OwnPrompts("a", ("", "", ""))
    assert {sister_put(tiny, seed).got for seed in range(12)} == {0}
    assert all(sister_bet(tiny, seed).told(0)[0].endswith(".same") for seed in range(12))


@pytest.mark.parametrize("lang", LANGS)
def test_our_own_prompts_show_every_fault(lang: Lang) -> None:
    puts = [sister_put(our_prompt(lang), seed) for seed in range(12)]
    assert {put.name for put in puts} == set(SISTERS)
    assert all(put.got != put.right for put in puts)


def test_the_command_leads_links_to_the_visitors_own_server() -> None:
    assert command("en", "http://localhost:8501/") == "python -m core.demo.judge my_cache.py"
    told = command("zh", "http://localhost:9000/broth/")
    assert told == "python -m core.demo.judge my_cache.py --lang zh --base http://localhost:9000/broth/"
    assert "'" in command("en", "http://x/;rm")


# -- to take away ------------------------------------------------------------------------------------------


def test_the_small_cache_runs_alone_in_an_empty_folder(tmp_path: Path) -> None:
    """It used to print nothing."""
    (tmp_path / "demo_cache.py").write_text(take_away(), encoding="utf-8")
    command = [sys.executable, "-I", "-S", "-X", "utf8", "demo_cache.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert [line.split()[-2:] for line in done.stdout.splitlines()[1:5]] == [
        ["0", "6"],
        ["4", "2"],
        ["0", "6"],
        ["4", "2"],
    ]
    assert done.stderr == ""


@pytest.mark.parametrize(("old", "new"), [
    ('f"{tag} {block}"', 'f"{block}"'),
    ("limit = (len(tokens) - 1)", "limit = len(tokens)"),
    ("kv = kv + compute(tokens, reused)", "kv = kv + compute(tokens, 0)"),
])  # fmt: skip
def test_what_it_checks_can_fail(tmp_path: Path, old: str, new: str) -> None:
    source = take_away()
    assert old in source
    (tmp_path / "demo_cache.py").write_text(source.replace(old, new), encoding="utf-8")
    command = [sys.executable, "-I", "-S", "-X", "utf8", "demo_cache.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1


def test_the_pairs_are_real_functions_of_the_engine() -> None:
    for small, large in PAIRS.values():
        assert small in TRACED
        assert all(function.__module__.startswith("core.") and source_of(function)[1] for function in large)
