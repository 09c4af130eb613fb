"""The six questions: each right letter is what the engine does; the printed sheet has what was answered."""

from __future__ import annotations

import re

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.events import Event, RequestAdmitted, TokensAppended
from core.scenario.scenario import run
from core.timeline.frame import Frame
from ui.export.handout import question_numbers
from ui.export.pictures import frame_at
from ui.export.six_paper import sheet_html
from ui.stage.payload import Payload, stage_log
from ui.stage.setup import Setup, load_setup
from ui.study.six_questions import LETTERS, QUESTIONS, Sheet
from ui.words.i18n import LANGS, MODES, Lang, LangMode, t


def option(name: str, lang: Lang) -> str:
    return t(f"handout.{name}.{QUESTIONS[name]}", lang, **question_numbers().get(name, {}))


def number_in(text: str) -> int:
    return int(re.findall(r"\d+", text)[0])


def shown(preset: str) -> Payload:
    scenario = load_setup(Setup(preset), "en")
    return stage_log(scenario, run(scenario), preset)


def around(log: Payload, op: str, rid: str) -> tuple[Frame, Frame, str]:
    """The frames before and after the first such step, and its slot."""
    step = next(step for step in log["events"] if (step["op"], step.get("rid")) == (op, rid))
    return frame_at(log, step["i"]), frame_at(log, step["i"] + 1), str(step["slot"])


def admitted(preset: str) -> RequestAdmitted:
    events = run(load_setup(Setup(preset), "en")).events
    return [event for event in events if isinstance(event, RequestAdmitted)][1]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("name", "preset"), [("q1", "P3"), ("q2", "P0")])
def test_the_hits_that_are_asked_for(name: str, preset: str, lang: Lang) -> None:
    assert number_in(option(name, lang)) == admitted(preset).hit_tokens


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_computed_of_an_exact_repeat(lang: Lang) -> None:
    repeat = admitted("P6")
    assert number_in(option("q5", lang)) == repeat.num_tokens - repeat.hit_tokens > 1


def test_a_hit_adds_one_to_the_ref_count_and_changes_nothing_else_in_the_pool() -> None:
    before, after, slot = around(shown("P8"), "touch", "R1")
    assert after["slots"][slot]["ref"] == before["slots"][slot]["ref"] + 1
    content = [
        {name: (one["hash"], one["fill"]) for name, one in f["slots"].items()} for f in (before, after)
    ]
    assert content[0] == content[1], "nothing copied, nothing moved"
    assert QUESTIONS["q3"] == "b"


def test_a_request_that_ends_takes_no_tag_with_it() -> None:
    log = shown("P1")
    steps = log["events"]
    last = next(step["i"] for step in steps if step["op"] == "done")
    first = next(step["i"] for step in steps if step["op"] == "free")
    tables = [frame_at(log, place)["table"] for place in (first, last + 1)]
    assert tables[0] == tables[1]
    assert len(tables[0]) > 0
    assert QUESTIONS["q4"] == "a"


def decoded(caching: bool) -> list[Event]:
    events = run(load_setup(Setup("P1", {"enable_caching": caching}), "en")).events
    return [event for event in events if isinstance(event, TokensAppended)]


def test_a_hit_brings_the_first_token_only() -> None:
    cost = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
    assert cost.compare(640, 512).ratio > 1, "the first token comes sooner"
    assert decoded(True) == decoded(False), "the same tokens, one by one"
    assert cost.decode_s([640]) == pytest.approx(cost.decode_s([640]))
    assert QUESTIONS["q6"] == "b"


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("lang", LANGS)
def test_three_different_options_each(name: str, lang: Lang) -> None:
    args = question_numbers().get(name, {})
    assert len({t(f"handout.{name}.{letter}", lang, **args) for letter in LETTERS}) == 3


@pytest.mark.parametrize("mode", MODES)
def test_an_open_sheet_to_print(mode: LangMode) -> None:
    page = sheet_html(mode, Sheet())
    assert page.count('<ol type="A">') == 6
    assert page.count("____</span>") + page.count("____ <span") >= 6 or page.count("____") >= 12
    assert page.count("<section>") == 1
    assert "$" not in page


def test_a_filled_sheet_to_print() -> None:
    sheet = Sheet(("a", None, "b", "c", "c", "b"), ("c", "b", "b", "a", "c", "b"))
    page = sheet_html("en", sheet)
    assert t("sheet.tries", "en", before="A", after="C") in page
    assert t("sheet.tries", "en", before="____", after="B") in page
    assert t("sheet.result", "en", before=3, after=6, total=6) in page
