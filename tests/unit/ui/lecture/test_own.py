"""A sequence of one's own as a lecture: moments of runs, the stage's questions, pages, hostile titles."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.links import LINK_PARTS
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
from ui.teacher.scripts import as_sequence
from ui.teacher.seq import Sequence, Stop, from_file, pack, tidy, to_file, unpack
from ui.teacher.stops import SCRIPTS, words
from ui.words.i18n import LANGS, MODES, Lang, LangMode, t

HOSTILE = (
    "<script>alert(1)</script>",
    "</p><img src=x onerror=alert(1)>",
    "**b** {hit} $x$",
    "${title}",
)


def of_the_stage(name: str) -> Address:
    """Where a stop of the scripts stands, but no stop of theirs: a panel is hidden."""
    return address_of(name, hide=("code",))


def only(stop: Stop) -> LectureStop:
    return own_lecture(Sequence((stop,)), "both", notes=True)["stops"][0]


@pytest.mark.parametrize("name", [name for name, place in PLACES.items() if place.ask not in ("", "bet")])
def test_where_the_stage_asks_the_room_is_asked(name: str) -> None:
    stop = only(Stop(of_the_stage(name), "A title"))
    step = played(Setup(PLACES[name].preset), "en").steps[address_of(name).step or 0]
    assert stop["scene"]["en"]["kind"] == "run"
    assert stop["title"] == {"en": "A title", "zh": "A title"}
    made = choice_of(step, "en")
    assert (stop["right"], stop["ask"]["en"]) == (made.right, made.ask)
    assert [one["en"] for one in stop["options"]] == list(made.options)
    assert stop["see"]["en"] == made.see != stop["ask"]["en"] != stop["know"]["en"]


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
                    assert all([made.see, made.ask, made.know, *made.options])
                    assert made.options[made.right] not in made.see
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


@pytest.mark.parametrize(("name", "verdicts"), [("same", ["hit"] * 3 + ["miss"]), ("stamp", ["miss"] * 4)])
def test_what_became_of_a_look_up_is_seen(name: str, verdicts: list[str]) -> None:
    """The question's own steps end with the last look; which blocks are computed is known a little later."""
    scene = only(Stop(of_the_stage(name)))["scene"]["en"]
    assert scene["kind"] == "run"
    assert scene["lanes"][-1]["verdicts"] == verdicts


def test_nothing_of_the_answer_is_open_where_the_stage_asks() -> None:
    """Verdicts, links and what comes after travel apart; tags and queue are shut where they would tell."""
    for name in ("same", "stamp", "evict", "partial"):
        scene = only(Stop(of_the_stage(name)))["scene"]["en"]
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
        Address("glossary"),
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
            is_bet = run_address(Setup("P1", mode=mode), step) == address_of("bet")
            assert bool(stop["options"]) == (mode == "guided" and (step in asked or is_bet))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_people_typed_stays_text(text: str) -> None:
    """Titles, notes and prompts: nothing in them is filled in, cut up or marked up."""
    own = OwnPrompts("Be kind. ", ("<b>a</b>?", "{hit}?"), "<i>")
    for address in (of_the_stage("same"), Address("ch02"), run_address(Setup(OWN, own=own), 5)):
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


# -- the scripts, made one's own -----------------------------------------------------------------------------

KEPT = ("minutes", "title", "see", "ask", "options", "right", "know", "know_empty", "hear", "truth", "point")
KEPT += ("optional", "join", "keep", "link", "scene")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("leading", LANGS)
@pytest.mark.parametrize("length", SCRIPTS)
def test_a_script_taken_as_ones_own_is_the_same_lesson(length: int, leading: Lang, mode: LangMode) -> None:
    """Through link and file too: questions, bets, answers, notes, minutes, pictures."""
    taken = as_sequence(length, leading)
    assert unpack(pack(taken), LINK_PARTS) == taken == from_file("a", to_file(taken).encode(), LINK_PARTS)
    own = own_lecture(taken, mode, notes=True)
    script = script_lecture(length, mode, notes=True)
    assert (own["minutes"], len(own["stops"])) == (length, len(script["stops"]))
    ids = {one["id"]: other["id"] for one, other in zip(own["stops"], script["stops"], strict=True)}
    for one, other in zip(own["stops"], script["stops"], strict=True):
        for key in KEPT:
            assert one[key] == other[key], (other["id"], key)  # type: ignore[literal-required]
        assert ids.get(one["bet_of"] or "") == other["bet_of"]
        assert set(one) == set(other) == {*KEPT, "id", "bet_of"}


@pytest.mark.parametrize("lang", LANGS)
def test_a_link_of_before_becomes_the_lesson_too(lang: Lang) -> None:
    """It had no minutes, and question and answer as a note: both are the stop's own now."""

    def note_of(name: str) -> str:
        return "\n".join(words(name, key, lang) for key in ("ask", "true"))

    names = [name for name, _ in SCRIPTS[10]]
    old = Sequence(tuple(Stop(address_of(one), words(one, "title", lang), note_of(one)) for one in names))
    script = {stop["id"]: stop for stop in script_lecture(10, "both", notes=True)["stops"]}
    for name, stop in zip(names, own_lecture(old, "both", notes=True)["stops"], strict=True):
        assert stop["options"] == script[name]["options"]
        assert stop["point"] == script[name]["point"]
        assert stop["minutes"] == 0


def test_title_minutes_and_note_are_the_lecturers() -> None:
    stop = only(Stop(address_of("stamp"), "Mine", "ask Ada", 7))
    script = next(one for one in script_lecture(10, "en", notes=True)["stops"] if one["id"] == "stamp")
    assert (stop["title"], stop["minutes"]) == ({"en": "Mine", "zh": "Mine"}, 7)
    assert stop["point"]["en"] == script["point"]["en"] + "\nask Ada"
    assert stop["options"] == script["options"]


def own_stops(*addresses: Address) -> list[LectureStop]:
    return own_lecture(Sequence(tuple(map(Stop, addresses))), "en", notes=True)["stops"]


def test_half_a_pair_speaks_of_no_other_half() -> None:
    """A bet alone is answered at once; an answer alone shows no bet; one sheet is only the sheet."""
    bet, saved, sheet = address_of("bet"), address_of("saved"), address_of("before")
    (alone,) = own_stops(bet)
    assert (alone["keep"], alone["right"]) == (False, 2)
    assert alone["know"]["en"] == words("saved", "know", "en")
    first, second = own_stops(saved, bet)
    assert first["bet_of"] is None
    assert "bet" not in first["see"]["en"] + first["ask"]["en"]
    assert not second["keep"], "its answer came before it"
    only_sheet, _, _ = own_stops(sheet, bet, saved)
    assert only_sheet["options"] == []
    assert only_sheet["scene"]["en"] == {"kind": "words"}
    assert only_sheet["join"]
    three = own_stops(sheet, sheet, sheet)
    assert [bool(stop["options"]) for stop in three] == [True, False, True]
    assert three[2]["bet_of"] == three[0]["id"]


def test_no_finish_in_a_frame_speaks_of_a_missing_bet() -> None:
    (stop,) = own_stops(Address("finish", "v=1&s=P3"))
    assert stop["scene"]["en"] == {"kind": "page", "address": "finish?v=1&s=P3&lang=en&embed=true"}
    assert stop["link"] == "finish?v=1&s=P3&lang=en"


def test_a_look_up_offers_the_most_that_one_can_hope_for() -> None:
    """The commonest belief about a look-up: all that is equal hits, wherever it stands."""
    for name in preset_ids():
        for step in played(Setup(name), "en").steps:
            ask = step.get("ask", {"kind": ""})
            if ask["kind"] == "lane":
                last = max(map(int, ask["said"]))
                said = "only block 0" if last == 0 else f"blocks 0 to {last}"
                assert said in choice_of(step, "en").options, (name, step["i"])


def test_a_chapters_title_has_no_number() -> None:
    (stop,) = own_stops(Address("ch02"))
    assert stop["title"]["en"] == t("course.ch02.title", "en")


# -- on paper -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_printed_notes_say_all_that_the_notes_window_says(lang: Lang) -> None:
    lecture = script_lecture(40, lang, notes=True)
    page = notes_html(lecture).replace("&#x27;", "'").replace("&quot;", '"')
    for stop in lecture["stops"]:
        for key in ("title", "ask", "hear", "truth", "point"):
            assert stop[key][lang].replace("\n", "<br>") in page, (stop["id"], key)  # type: ignore[literal-required]
        assert all(one[lang] in page for one in stop["options"])
    assert page.count('class="right"') == sum(stop["right"] is not None for stop in lecture["stops"])
    assert f'lang="{"zh-CN" if lang == "zh" else "en"}"' in page
    assert "://" not in page
    assert page.count(t("teacher.optional", lang)) == sum(stop["optional"] for stop in lecture["stops"])
