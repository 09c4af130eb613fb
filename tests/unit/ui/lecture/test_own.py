"""A sequence of one's own as a lecture: moments of runs, the stage's questions, pages, hostile titles."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import any_texts
from ui.lecture.asked import MOST, choice_of
from ui.lecture.own import own_lecture
from ui.lecture.paper import notes_html
from ui.lecture.payload import LectureStop
from ui.lecture.scenes import played
from ui.lecture.scripts import script_lecture
from ui.stage.fork import Fork
from ui.stage.own import OWN, OwnPrompts
from ui.stage.questions import KINDS
from ui.stage.setup import Setup, preset_ids
from ui.teacher.address import Address, run_address
from ui.teacher.places import PLACES, address_of
from ui.teacher.seq import Sequence, Stop, tidy
from ui.words.i18n import LANGS, Lang

HOSTILE = (
    "<script>alert(1)</script>",
    "</p><img src=x onerror=alert(1)>",
    "**b** {hit} $x$",
    "${title}",
)


def only(stop: Stop) -> LectureStop:
    return own_lecture(Sequence((stop,)), "both", notes=True)["stops"][0]


@pytest.mark.parametrize("name", [name for name, place in PLACES.items() if place.ask not in ("", "bet")])
def test_where_the_stage_asks_the_room_is_asked(name: str) -> None:
    stop = only(Stop(address_of(name), "A title"))
    step = played(Setup(PLACES[name].preset), "en").steps[address_of(name).step or 0]
    assert stop["scene"]["en"]["kind"] == "run"
    assert stop["title"] == {"en": "A title", "zh": "A title"}
    made = choice_of(step, "en")
    assert (stop["right"], stop["ask"]["en"]) == (made.right, made.ask)
    assert [one["en"] for one in stop["options"]] == list(made.options)
    assert stop["see"]["en"] != stop["ask"]["en"] != stop["know"]["en"]


def test_every_question_of_the_stage_can_be_put_to_a_room() -> None:
    """Each preset's, in both languages: at most four options, and one of them is what the run answers."""
    kinds = set()
    for name in preset_ids():
        for lang in LANGS:
            for step in played(Setup(name), lang).steps:
                if "ask" in step:
                    made = choice_of(step, lang)
                    kinds.add(step["ask"]["id"])
                    assert 1 < len(made.options) <= MOST
                    assert len(set(made.options)) == len(made.options), (name, step["i"])
                    assert all([made.ask, made.know, *made.options])
    assert kinds == set(KINDS)


@pytest.mark.parametrize("lang", LANGS)
def test_the_right_option_is_the_engines_slot(lang: Lang) -> None:
    """An eviction: the option that is right names the slot that the run takes."""
    of = played(Setup("P0"), lang)
    step = next(one for one in of.steps if one["op"] == "evict")
    made = choice_of(step, lang)
    assert made.options[made.right] == f"#{step['slot']}" == f"#{of.frames[step['i']]['queue'][0]}"


@pytest.mark.parametrize("name", ["P0", "P1", "three", "P3", "P6"])
def test_the_right_option_is_the_last_block_that_hits(name: str) -> None:
    """A look-up: what the chosen words promise is what the request then reuses."""
    of = played(Setup(name), "en")
    for step in (one for one in of.steps if one.get("ask", {}).get("kind") == "lane"):
        made = choice_of(step, "en")
        reused = of.frames[-1]["reqs"][step["ask"]["rid"]]["reused"] // of.size
        words = (
            "nothing hits" if not reused else "only block 0" if reused == 1 else f"blocks 0 to {reused - 1}"
        )
        assert made.options[made.right] == words


def test_nothing_of_the_answer_is_open_where_the_stage_asks() -> None:
    """Verdicts, links and what comes after travel apart; tags and queue are shut where they would tell."""
    for name in ("same", "stamp", "evict", "partial"):
        scene = only(Stop(address_of(name)))["scene"]["en"]
        assert scene["kind"] == "run"
        assert not any(lane["tags_open"] for lane in scene["lanes"])
        assert scene["queue"] is None or not scene["queue_open"]


def test_without_questions_it_shows_what_the_step_does() -> None:
    stop = only(Stop(run_address(Setup("P1"), 41), "R1 finds a block"))
    scene = stop["scene"]["en"]
    assert (stop["options"], stop["right"], stop["minutes"]) == ([], None, 0)
    assert stop["see"]["en"] == "R1 finds a block"
    assert "R1" in stop["know"]["en"]
    assert scene["kind"] == "run"
    assert [lane["rid"] for lane in scene["lanes"]] == ["R0", "R1"]


@pytest.mark.parametrize(
    "address",
    [
        Address("ch04"),
        Address("sheet"),
        address_of("saved"),
        run_address(Setup("P1")),
        run_address(Setup("L640"), 3),
        run_address(Setup("P0", fork=Fork(3, "slots", 4)), 5),
        Address("execute", "v=1&s=P0&lq=R12~3.5~9", "step=4"),
        Address("monitor", "ls=9"),
        run_address(Setup("P0", {"num_slots": 64}), 5),
        run_address(Setup("P0", {"num_slots": 2}), 5),
    ],
)
def test_what_no_picture_holds_is_shown_as_its_page(address: Address) -> None:
    """A page, no step, a long prompt, a what-if, a request of a load, many slots, a run that fails."""
    stop = only(Stop(address, ""))
    assert stop["scene"]["zh"] == {"kind": "page", "address": address.link("both")}
    assert (stop["know"], stop["options"]) == ({"en": "", "zh": ""}, [])
    assert stop["title"]["en"]
    assert stop["see"] == stop["title"]


def test_every_step_of_a_run_can_be_a_stop() -> None:
    asked = [step["i"] for step in played(Setup("P1"), "en").steps if "ask" in step]
    for mode in ("walk", "guided"):
        for step in (*range(98), 999):
            stop = only(Stop(run_address(Setup("P1", mode=mode), step), ""))
            assert stop["scene"]["en"]["kind"] == "run"
            assert bool(stop["options"]) == (mode == "guided" and step in asked)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_people_typed_stays_text(text: str) -> None:
    """Titles, notes and prompts: nothing in them is filled in, cut up or marked up."""
    own = OwnPrompts("Be kind. ", ("<b>a</b>?", "{hit}?"), "<i>")
    for address in (address_of("same"), Address("ch01"), run_address(Setup(OWN, own=own), 5)):
        stop = only(Stop(address, text, text))
        assert stop["title"] == {"en": text, "zh": text}
        assert stop["point"] == {"en": text, "zh": text}
        page = notes_html(own_lecture(Sequence((Stop(address, text, text),)), "both", notes=True))
        assert "<script>" not in page
        assert "<img" not in page
        assert ("${title}" in page) == ("${title}" in text)


@settings(max_examples=25, deadline=None)
@given(any_texts, st.lists(any_texts, min_size=1, max_size=3), any_texts, st.integers(0, 60), st.booleans())
def test_any_prompts_make_a_stop(start: str, messages: list[str], title: str, step: int, asks: bool) -> None:
    setup = Setup(OWN, own=OwnPrompts(start, tuple(messages), ""), mode="guided" if asks else "walk")
    lecture = own_lecture(Sequence((tidy(Stop(run_address(setup, step), title)),)), "zh")
    assert json.loads(json.dumps(lecture)) == lecture
    stop = lecture["stops"][0]
    assert stop["right"] is None or 0 <= stop["right"] < len(stop["options"]) <= MOST


def test_a_lecture_has_a_key_of_its_own() -> None:
    one, other = (own_lecture(Sequence((Stop(address_of(name)),)), "en")["key"] for name in ("same", "stamp"))
    assert one != other
    assert one == own_lecture(Sequence((Stop(address_of("same")),)), "zh")["key"], "in any language the same"


# -- on paper -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_printed_notes_say_all_that_the_notes_window_says(lang: Lang) -> None:
    lecture = script_lecture(40, lang, notes=True)
    page = notes_html(lecture).replace("&#x27;", "'").replace("&quot;", '"')
    for stop in lecture["stops"]:
        for key in ("title", "ask", "hear", "truth", "point"):
            assert stop[key][lang] in page, (stop["id"], key)  # type: ignore[literal-required]
        assert all(one[lang] in page for one in stop["options"])
    assert page.count('class="right"') == sum(stop["right"] is not None for stop in lecture["stops"])
    assert f'lang="{"zh-CN" if lang == "zh" else "en"}"' in page
    assert "http" not in page
