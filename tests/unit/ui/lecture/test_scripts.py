"""The scripts as they travel: whole, in both languages, the engine's own frames, nothing told too soon."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.timeline.frame import Frame
from ui.lecture.payload import LectureStop, RunScene
from ui.lecture.pictures import moment, picture
from ui.lecture.scripts import script_lecture
from ui.teacher.figures import figures, frames_of
from ui.teacher.laptops import qr_svg
from ui.teacher.places import PLACES
from ui.teacher.stops import BETS, OPTIONAL, SCRIPTS, note, options, words
from ui.words.i18n import LANGS, MODES, Lang, LangMode, languages, t

EVERY = {name: minutes for script in SCRIPTS.values() for name, minutes in script}
RUNS = [name for name in EVERY if picture(name, "en")["kind"] == "run"]
SAID = ("title", "see", "ask", "know", "hear", "truth", "point")
LONGEST = {
    "en": {"see": 76, "ask": 76, "know": 84, "option": 36},
    "zh": {"see": 40, "ask": 40, "know": 40, "option": 18},
}
"""Two lines of a sentence and of an option, as the projector draws them."""


def stops(length: int, mode: LangMode = "en") -> list[LectureStop]:
    return script_lecture(length, mode, notes=True)["stops"]


def stop_of(name: str) -> LectureStop:
    length = next(length for length, script in SCRIPTS.items() if name in dict(script))
    return next(stop for stop in stops(length) if stop["id"] == name)


def run_scene_of(name: str, lang: Lang = "en") -> RunScene:
    scene = picture(name, lang)
    assert scene["kind"] == "run"
    return scene


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", SCRIPTS)
def test_a_script_travels_whole(length: int, mode: LangMode) -> None:
    lecture = script_lecture(length, mode, notes=True)
    assert (lecture["key"], lecture["minutes"], lecture["notes"]) == (f"script-{length}", length, True)
    assert lecture["langs"] == list(languages(mode))
    assert [(stop["id"], stop["minutes"]) for stop in lecture["stops"]] == list(SCRIPTS[length])
    assert json.loads(json.dumps(lecture, allow_nan=False)) == lecture
    for stop in lecture["stops"]:
        assert all(stop[key][lang] for key in SAID for lang in LANGS)  # type: ignore[literal-required]
        assert len(stop["options"]) in (0, 3, 4)
        assert stop["right"] is None or stop["options"]
        assert set(stop["scene"]) == set(LANGS)
        assert stop["link"].startswith(PLACES[stop["id"]].page)


@pytest.mark.parametrize("length", SCRIPTS)
def test_what_is_for_the_lecturer_does_not_travel_to_the_projector(length: int) -> None:
    deck, notes = (script_lecture(length, "en", notes=one)["stops"] for one in (False, True))
    for shown, told in zip(deck, notes, strict=True):
        hidden = {key: {"en": "", "zh": ""} for key in ("hear", "truth", "point")}
        assert shown == {**told, **hidden}
        assert told["join"] is None or told["join"]["local"]


@pytest.mark.parametrize("length", SCRIPTS)
def test_a_bet_comes_back(length: int) -> None:
    """Its hands are seen again at the stop that tells the answer; before that no option is right."""
    by_name = {stop["id"]: stop for stop in stops(length)}
    kept = [name for name, stop in by_name.items() if stop["keep"]]
    assert kept == [stop["bet_of"] for stop in by_name.values() if stop["bet_of"]] != []
    for name in kept:
        assert by_name[name]["right"] is None
        assert by_name[name]["options"]
    order = list(by_name)
    assert all(order.index(BETS[name]) < order.index(name) for name in BETS if name in by_name)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", EVERY)
def test_the_last_row_can_read_it(name: str, lang: Lang) -> None:
    stop = stop_of(name)
    for key in ("see", "ask", "know"):
        assert len(stop[key][lang]) <= LONGEST[lang][key], stop[key][lang]  # type: ignore[literal-required]
    assert all(len(one[lang]) <= LONGEST[lang]["option"] for one in stop["options"])


# -- the engine's own frames --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RUNS)
def test_both_languages_show_the_same_moment(name: str) -> None:
    """Words and tags differ, for the prompts do; what happens does not."""

    def shape(lang: Lang) -> Any:
        scene = run_scene_of(name, lang)
        lanes = [
            (lane["rid"], lane["verdicts"], lane["gone"], len(lane["tokens"])) for lane in scene["lanes"]
        ]
        states = [[slot["state"] for slot in scene[key] or ()] for key in ("slots", "slots_after")]  # type: ignore[literal-required]
        return lanes, states, scene["links"], scene["queue"], scene["queue_after"]

    assert shape("en") == shape("zh")


@pytest.mark.parametrize("name", RUNS)
def test_slots_and_queue_are_the_frames(name: str) -> None:
    wanted, scene = moment(name), run_scene_of(name)
    for key, queue, at in (("slots", "queue", wanted.at), ("slots_after", "queue_after", wanted.until)):
        frame = frames_of(name)[at]
        for slot in scene[key] or ():  # type: ignore[literal-required]
            told = frame["slots"][str(slot["id"])]
            assert slot["ref"] == told["ref"]
            assert slot["rids"] == told["owners"]
            assert slot["tag"] == (told["hash"] and told["hash"][:4])
            assert slot["state"] in may_be(frame, slot["id"])
        if (line := scene[queue]) is not None:  # type: ignore[literal-required]
            assert line == [slot for slot in frame["queue"] if slot in line]
            assert all(frame["slots"][str(slot)]["ref"] == 0 for slot in line)


def may_be(frame: Frame, slot: int) -> set[str]:
    told = frame["slots"][str(slot)]
    if told["ref"]:
        return {"reused", "computed", "reserved"} if told["fill"] else {"reserved"}
    return {"cached"} if told["hash"] else {"dirty", "empty"}


@pytest.mark.parametrize("name", RUNS)
def test_a_lane_is_its_request(name: str) -> None:
    frame, scene = frames_of(name)[moment(name).until], run_scene_of(name)
    for number, lane in enumerate(scene["lanes"]):
        request = frame["reqs"].get(lane["rid"])
        if request is None:
            assert name == "bet", "nobody has come yet"
            continue
        assert len(lane["tokens"]) in (request["num_prompt"], request["num_tokens"])
        blocks = -(-len(lane["tokens"]) // lane["size"])
        assert len(lane["verdicts"]) == blocks
        if lane["tags"] is not None:
            full = len(lane["tokens"]) // lane["size"]
            assert lane["tags"] == [one[:4] for one in request["hashes"]][:full] + [None] * (blocks - full)
        if any(lane["verdicts"]):
            assert lane["verdicts"].count("hit") * lane["size"] == request["reused"]
        linked = [slot for lane_of, _, slot in scene["links"] if lane_of == number]
        assert set(linked) <= {slot for slot, how in request["btable"] if how == "hit"}


def test_the_moments_are_those_of_the_words() -> None:
    """What the sentences say can be counted in the pictures."""
    assert [lane["rid"] for lane in run_scene_of("bet")["lanes"]] == ["R0", "R1", "R2"]
    assert run_scene_of("same")["lanes"][1]["verdicts"] == ["hit", "hit", "hit", "miss"]
    assert run_scene_of("same")["links"] == [[1, 0, 1], [1, 1, 2], [1, 2, 3]]
    assert run_scene_of("stamp")["lanes"][1]["verdicts"] == ["miss"] * 4
    assert run_scene_of("stamp_end")["lanes"][1]["verdicts"] == ["hit"] * 3 + ["miss"]
    assert run_scene_of("stamp")["brace"] == [1, 3, "the same 12 tokens"]
    assert not any(any(lane["verdicts"]) for lane in run_scene_of("before")["lanes"]), "a bet is told nothing"
    assert [lane["mark"] for lane in run_scene_of("stamp")["lanes"]] == [[2], [2]]
    assert [lane["mark"] for lane in run_scene_of("stamp_end")["lanes"]] == [[15], [15]]
    evict = run_scene_of("evict")
    assert (evict["queue"], evict["queue_after"]) == ([4, 7, 6], [7, 6])
    done = run_scene_of("done")
    assert (done["queue"], done["queue_after"]) == ([], [5, 4, 3, 2, 1])
    touched = [(slot["ref"], slot["rids"]) for slot in run_scene_of("touch")["slots_after"] or ()]
    assert touched[:2] == [(2, ["R0", "R1"])] * 2
    decode = run_scene_of("decode")["lanes"]
    assert [len(lane["mark"]) for lane in decode] == [3, 3]
    assert all(lane["verdicts"][-1] == "miss" for lane in decode)


def test_the_curve_and_the_bar_are_the_runs() -> None:
    curve, total = picture("cliff", "en"), picture("saved", "en")
    assert curve["kind"] == "curve"
    assert curve["points"] == [[2, 0], [3, 0], [4, 0], *([slots, 83] for slots in range(5, 9))]
    assert curve["asked"] == [4, 5]
    assert total["kind"] == "total"
    assert [(row["tokens"], row["reused"], row["computed"]) for row in total["rows"]] == [
        (15, 0, 15),
        (15, 12, 3),
        (16, 12, 4),
    ]


# -- nothing before its time --------------------------------------------------------------------------------


def shown_before_know(stop: LectureStop, lang: Lang) -> list[str]:
    """Everything that the projector draws while the question is open, options left out."""
    shown = [stop["title"][lang], stop["see"][lang], stop["ask"][lang]]
    scene: dict[str, Any] = dict(stop["scene"][lang])
    closed = {"verdicts", "slots_after", "queue_after", "links", "value", "points", "computed_note", "note"}
    closed |= {"rows"} if scene["kind"] == "total" else set()
    closed |= {name for name in ("slots", "queue") if not scene.get(f"{name}_open", True)}
    lanes = scene.pop("lanes", [])
    for lane in lanes:
        drop = {"verdicts"} | (set() if lane["tags_open"] else {"tags"})
        shown += leaves({name: value for name, value in lane.items() if name not in drop})
    return shown + leaves({name: value for name, value in scene.items() if name not in closed})


def leaves(value: Any) -> list[str]:
    """All texts, and the ref counts; ids and places of tokens name things and tell nothing."""
    if isinstance(value, dict):
        counts = [str(value["ref"])] if "ref" in value else []
        return counts + [text for one in value.values() for text in leaves(one)]
    if isinstance(value, list):
        return [text for one in value for text in leaves(one)]
    return [value] if isinstance(value, str) else []


def numbers_in(*texts: str) -> Iterator[str]:
    for text in texts:
        yield from re.findall(r"(?<!\w)\d[\d,]*(?!\w)", text)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", EVERY)
def test_no_number_of_the_answer_stands_in_the_question(name: str, lang: Lang) -> None:
    """Numbers that the question gives are given; those that only the answer has are drawn nowhere before."""
    stop = stop_of(name)
    given = {*numbers_in(stop["see"][lang], stop["ask"][lang])}
    told = {*numbers_in(stop["know"][lang])} - given
    assert not told & {*numbers_in(*shown_before_know(stop, lang))}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", RUNS)
def test_closed_tags_and_verdicts_are_drawn_nowhere(name: str, lang: Lang) -> None:
    stop = stop_of(name)
    scene = run_scene_of(name, lang)
    before = shown_before_know(stop, lang)
    assert not {"hit", "miss"} & set(before)
    closed = {tag for lane in scene["lanes"] if not lane["tags_open"] for tag in lane["tags"] or ()} - {None}
    if not scene["slots_open"]:
        closed |= {slot["tag"] for slot in scene["slots"] or ()} - {None}
    assert not closed & set(before)


@pytest.mark.parametrize("name", ["stamp", "stamp_end", "chain", "after", "same", "done", "evict"])
def test_what_answers_the_question_is_closed(name: str) -> None:
    """A picture that opened it would pass every other test: this one says what must be shut."""
    scene = run_scene_of(name)
    if name in ("stamp", "stamp_end", "chain", "after"):
        assert all(lane["tags"] and not lane["tags_open"] for lane in scene["lanes"])
    if name == "same":
        assert not scene["slots_open"]
    if name in ("done", "evict"):
        assert not scene["queue_open"]


def test_an_option_never_says_which_it_is() -> None:
    """The right one stands at different places, and is not the longest by rule."""
    right = [stop_of(name)["right"] for name in EVERY if options(name, "en")]
    assert len(set(right) - {None}) >= 2


# -- what a lesson needs beside its questions ---------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_sheets_stops_say_where_the_room_finds_it(mode: LangMode) -> None:
    """The address of the room's own way here and its code; of no use, and said so, on localhost."""
    for base, local in (("http://192.168.1.23:8501/", False), ("http://localhost:8501/", True)):
        by_name = {stop["id"]: stop for stop in script_lecture(40, mode, notes=True, base=base)["stops"]}
        joins = {name: stop["join"] for name, stop in by_name.items() if stop["join"]}
        assert list(joins) == ["before", "after"]
        for name, join in joins.items():
            assert join["url"] == f"{base}sheet"
            assert join["local"] == local
            assert join["svg"] == ("" if local else qr_svg(f"{base}sheet?lang={mode}"))
            for lang in LANGS:
                assert (note("local", lang) in by_name[name]["point"][lang]) == local


@pytest.mark.parametrize("lang", LANGS)
def test_the_notes_say_where_codes_go_and_how_the_lesson_closes(lang: Lang) -> None:
    for name in ("before", "after"):
        assert t("teacher.part.results", lang) in words(name, "point", lang)
    assert t("results.project", lang) in words("after", "point", lang)
    assert t("teacher.part.class", lang) in note("local", lang)


def test_the_sheet_has_its_five_minutes_beside_the_vote() -> None:
    assert all(dict(SCRIPTS[40])[name] > 5 for name in ("before", "after"))


def test_a_bet_without_hands_says_so() -> None:
    for name in EVERY:
        stop = stop_of(name)
        assert all(stop["know_empty"].values()) == stop["keep"]
        assert stop["know_empty"] != stop["know"]


def test_what_can_be_left_out_is_no_bet_and_no_answer_to_one() -> None:
    assert set(EVERY) > OPTIONAL
    assert not OPTIONAL & {*BETS, *BETS.values()}
    assert {stop["id"] for stop in stops(40) if stop["optional"]} == OPTIONAL & set(dict(SCRIPTS[40]))
    for length in SCRIPTS:
        assert any(stop["optional"] for stop in stops(length))


def test_the_orders_are_drawn_before_the_cliff() -> None:
    curve = picture("cliff", "en")
    assert curve["kind"] == "curve"
    assert (curve["orders"], curve["slots"]) == ([*"ABCDABCD"], 4)


@pytest.mark.parametrize("lang", LANGS)
def test_equal_times_per_token_are_seen(lang: Lang) -> None:
    note_below = run_scene_of("decode", lang)["note"]
    assert note_below
    assert note_below.count(f"{figures('decode')['ms']} ms") == 2
