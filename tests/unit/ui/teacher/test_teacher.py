"""The teacher's page: scripts keep their minutes and their promises, links stay ours, sequences come back."""

from __future__ import annotations

import ast
import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BrothError
from core.scenario.scenario import run
from pages import ch01, navigation
from pages.links import LINK_PARTS
from tests.strategies import any_texts
from ui.stage.fork import Fork
from ui.stage.own import OWN, OwnPrompts
from ui.stage.payload import stage_log
from ui.stage.setup import PANELS, Setup, load_setup, to_query
from ui.teacher.address import CHAPTERS, MAX_ADDRESS, PAGES, Address, AddressError, read_address
from ui.teacher.figures import ORDERS, PREFIX, figures
from ui.teacher.laptops import base_of, qr_svg, read_host
from ui.teacher.places import BET, PLACES, address_of, opens_on
from ui.teacher.seq import (
    MAX_NOTE,
    MAX_STOPS,
    MAX_TITLE,
    Sequence,
    SequenceError,
    Stop,
    fits_link,
    from_file,
    from_query,
    pack,
    tidy,
    to_file,
    unpack,
)
from ui.teacher.seq import to_query as sequence_query
from ui.teacher.stops import BETS, KNOW_EMPTY, OPTIONS, SCRIPTS, WORDS, entries, options, words
from ui.words.i18n import LANGS, Lang, placeholders, t, table

ROOT = Path(__file__).resolve().parents[4]
HERE = "http://shop.example:8501/teacher?lang=en"

# What answers a stop's question: none of these has happened where it opens, the first of them comes next.
LOOK_UP = ("hash", "match", "miss", "plan")
ANSWERS: dict[str, tuple[tuple[str, ...], str | None, dict[str, Any]]] = {
    "chain": (("hash",), "R2", {"block": 1}),
    "partial": (LOOK_UP, "R1", {}),
    "same": (LOOK_UP, "R1", {}),
    "touch": (("touch",), "R1", {}),
    "done": (("free", "done"), "R0", {}),
    "evict": (("evict",), None, {}),
    "stamp": (LOOK_UP, "R1", {}),
    "stamp_end": (LOOK_UP, "R1", {}),
    "full": (LOOK_UP, "R1", {}),
    "cliff": (("evict",), None, {}),
}
OPENED = {"before": "sheet", "counter": "ch01", "saved": "finish", "after": "sheet"}

# Every number that a script says.
SAVED = {"hit": 24, "total": 46, "computed": 22, "percent": "52", "first": 15, "own": 7}
STAMP = {"total": 16, "rest": 12, "hit": 0}
RIGHT: dict[str, dict[str, object]] = {
    "bet": {"percent": "52"},
    "counter": {
        "prefix": "500",
        "orders": "100,000",
        "total": "50,000,000",
        "waste": "99,999",
        "tenth": "5,000,000",
    },
    "chain": {"size": 4},
    "partial": {"same": 10, "size": 4, "hit": 8, "near": 2, "begun": 12},
    "same": {"hit": 12, "total": 15, "computed": 3},
    "touch": {"ref": 2, "blocks": 2},
    "done": {"tags": 4},
    "evict": {"need": 8, "got": 7, "kept": 3, "slot": 1, "front": 4, "next": 7, "last": 6},
    "stamp": STAMP,
    "stamp_end": {"hit": 12, "total": 16, "most": 15},
    "full": {"total": 12, "size": 4, "n": 4},
    "cliff": {
        "few": "0",
        "enough": "83",
        "few_slots": 4,
        "enough_slots": 5,
        "orders": 24,
        "all_but": 20,
        "half": 12,
    },
    "saved": SAVED,
    "after": {"hit": 0, "total": 12},
    "decode": {"prompt": "4,096", "ms": "8.5"},
}

MORE = dict.fromkeys(BETS.values(), (KNOW_EMPTY,)) | {"saved": ("ask_alone",)}
"""What some stops say besides: a bet without hands, its answer without a bet."""


# -- scripts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", SCRIPTS)
def test_the_minutes_of_a_script_sum_to_its_length(length: int) -> None:
    assert sum(minutes for _, minutes in SCRIPTS[length]) == length
    names = [name for name, _ in SCRIPTS[length]]
    assert len(set(names)) == len(names)


def test_there_are_three_scripts_and_no_idle_stop() -> None:
    assert list(SCRIPTS) == [10, 25, 40]
    assert {name for script in SCRIPTS.values() for name, _ in script} == set(PLACES)


def test_both_languages_say_the_same_of_every_stop() -> None:
    english, chinese = entries("stop", "en"), entries("stop", "zh")
    assert list(english) == list(chinese) == list(PLACES)
    for name in english:
        assert list(english[name]) == list(chinese[name]), name
        assert set(english[name]) - {OPTIONS} == {*WORDS, *MORE.get(name, ())}, name
        pairs = zip(english[name].get(OPTIONS, ()), chinese[name].get(OPTIONS, ()), strict=True)
        assert all(placeholders(one) == placeholders(other) for one, other in pairs), name
        for key in (*WORDS, *MORE.get(name, ())):
            assert placeholders(english[name][key]) == placeholders(chinese[name][key]), (name, key)
    assert list(entries("note", "en")) == list(entries("note", "zh"))
    for kind in ("note", "lead"):
        for name, text in entries(kind, "en").items():
            assert placeholders(text) == placeholders(entries(kind, "zh")[name]), name
    assert list(entries("lead", "en")) == list(entries("lead", "zh"))
    assert list(entries("text", "en")) == list(entries("text", "zh"))
    for name, text in entries("text", "en").items():
        assert placeholders(text) == placeholders(entries("text", "zh")[name]), name


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", PLACES)
def test_every_word_of_a_stop_can_be_said(name: str, lang: Lang) -> None:
    said = [*(words(name, key, lang) for key in WORDS), *options(name, lang)]
    assert all(said)
    assert not set("{}") & set("".join(said))


@pytest.mark.parametrize("name", PLACES)
def test_every_number_in_the_scripts_is_right(name: str) -> None:
    entry = entries("stop", "en")[name]
    said = [*(entry[key] for key in WORDS), *entry.get(OPTIONS, ())]
    needed = {hole for text in said for hole in placeholders(text)}
    assert {hole: figures(name)[hole] for hole in needed} == RIGHT.get(name, {})


def test_no_figure_stands_in_the_scripts_by_hand() -> None:
    """Names of blocks, requests and keys, and the 100 % that somebody always says, are no figures."""
    allowed = re.compile(r"[Bb]lock [01]|第 [01] 块|R[012]|100 ?%")
    for lang in LANGS:
        for name, stop in entries("stop", lang).items():
            for text in (*(stop[key] for key in WORDS), *stop.get(OPTIONS, ())):
                assert not re.search(r"\d", allowed.sub("", re.sub(r"{\w+}", "", text))), (name, text)


def test_the_counter_is_chapter_ones() -> None:
    assert figures("counter")["total"] == f"{ch01.repeated_tokens(PREFIX, ORDERS):,}"


def test_every_stop_has_a_promise() -> None:
    assert set(ANSWERS) | {"decode", "bet"} | set(OPENED) == set(PLACES)


def opened(name: str) -> tuple[list[dict[str, Any]], int]:
    """The steps of the run, and where in them a stop opens."""
    place, step = PLACES[name], opens_on(name)
    assert step is not None
    scenario = load_setup(Setup(place.preset, place.knobs), "zh")
    return stage_log(scenario, run(scenario), place.preset)["events"], step


@pytest.mark.parametrize("name", ANSWERS)
def test_a_stop_stands_before_the_event_that_answers_it(name: str) -> None:
    """Five stops opened on that event: the room read the answer while it was asked."""
    events, step = opened(name)
    ops, rid, args = ANSWERS[name]
    told = [
        event["i"]
        for event in events
        if event["op"] in ops
        and event.get("rid") == (rid or event.get("rid"))
        and args.items() <= event["args"].items()
    ]
    assert told[0] == step
    assert address_of(name).step == step


@pytest.mark.parametrize("name", [name for name, place in PLACES.items() if place.ask not in ("", BET)])
def test_where_the_stage_asks_it_stands_before_its_question(name: str) -> None:
    events, step = opened(name)
    assert events[step]["ask"]["id"] == PLACES[name].ask
    assert "m=guided" in address_of(name).query


def test_the_bet_is_asked_before_anything_plays() -> None:
    """It opened on a page of many things, with a field far below; now on the run's own first screen."""
    assert PLACES["bet"].ask == BET
    assert (address_of("bet").page, address_of("bet").step) == ("execute", 0)
    assert "m=guided" in address_of("bet").query
    assert opened("bet")[1] == 0


@pytest.mark.parametrize("name", OPENED)
def test_a_page_is_opened_by_its_name(name: str) -> None:
    address = address_of(name)
    assert address.page == OPENED[name]
    assert address.step is None
    assert address.link("zh").endswith("lang=zh")


@pytest.mark.parametrize("lang", LANGS)
def test_what_the_page_quotes_is_what_stands_there(lang: Lang) -> None:
    said = {
        "keys": ["stage.ask.again"],
        "print": ["nav.finish", "export.title"],
        "class_reload": ["export.link"],
    }
    sheet = ["nav.sheet", "teacher.part.results"]
    told = {"before": sheet, "after": [*sheet, "results.project"], "saved": ["nav.finish"]}
    for name, keys in said.items():
        assert all(f"“{t(key, lang)}”" in entries("text", lang)[name] for key in keys), name
    for name, keys in told.items():
        assert all(f"“{t(key, lang)}”" in entries("stop", lang)[name]["point"] for key in keys), name


# -- addresses --------------------------------------------------------------------------------------------


def test_every_page_but_the_teachers_can_be_a_stop() -> None:
    assert {*PAGES, "teacher", *navigation.ALONE} == set(navigation.PAGES)
    assert CHAPTERS == navigation.CHAPTERS


def test_what_can_be_hidden_is_what_the_stage_can_hide() -> None:
    draw = ROOT / "assets" / "stage" / "draw"
    build, controls = ((draw / name).read_text("utf-8") for name in ("build.js", "controls.js"))
    zones = re.findall(r'\["[A-Z]", "(\w+)"\]', build.split("const ZONES")[1].splitlines()[0])
    panels = re.findall(r': "(\w+)"', controls.split("const PANEL_OF")[1].splitlines()[0])
    assert len(zones) == 8
    assert set(PANELS) == {*zones, *panels}


@pytest.mark.parametrize("name", PLACES)
def test_an_address_is_read_back_as_it_was_written(name: str) -> None:
    address = address_of(name, hide=("code", "log"), presenter=True)
    assert read_address(address.text, LINK_PARTS) == address
    base = "http://shop.example:8501/"
    assert read_address(base + address.link("both").removeprefix("./"), LINK_PARTS, HERE) == address


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("http://shop.example:8501/execute?v=1&s=P3&lang=zh#step=38", "execute?v=1&s=P3#step=38"),
        ("  http://shop.example:8501/ch04?lang=en  ", "ch04"),
        ("http://shop.example:8501/ch02?lang=en#step=36", "ch02"),
        ("ch02?lang=en", "ch02"),
        ("http://shop.example:8501/?v=1&s=P0&lang=en", "start"),
        ("http://shop.example:8501", "start"),
        ("http://shop.example:8501/ch01?v=1&s=P0&bet=30&quiz=P0.hit34&six=aabbbb&cards=x&tried=y", "ch01"),
        ("execute?s=P0&seq=AAAA&at=3#step=5&lvl=block&pin=slot:5&bm=1,2&evil=1",
         "execute?v=1&s=P0#step=5&lvl=block&pin=slot:5&bm=1,2"),
        ("execute?s=P9&slots=4&hide=log,code&present=1&m=guided#step=x",
         "execute?v=1&s=P9&slots=4&m=guided&hide=log%2Ccode&present=1"),
        ("/finish?s=P1", "finish?v=1&s=P1"),
        ("monitor?v=1&s=P0&ls=9&ld=5C2s.3R&lv=16", "monitor?ls=9&lv=16&ld=5C2s.3R"),
        ("traffic?s=P0&yk=rag&yv=sweeps&lang=zh", "traffic?yk=rag&yv=sweeps"),
        ("ch03?yk=rag", "ch03"),
        ("ch08?on=my-model~A100~1~2~1~0.1&my=16~4096~32~8~128~14336~128256~bf16~bf16~300~0~2000~80&bet=x",
         "ch08?on=my-model~A100~1~2~1~0.1&my=16~4096~32~8~128~14336~128256~bf16~bf16~300~0~2000~80"),
        ("execute?lq=R12~3.5~9&ls=9#step=4", "execute?v=1&s=P0&ls=9&lq=R12~3.5~9#step=4"),
    ],
)  # fmt: skip
def test_a_pasted_link_keeps_the_run_and_the_step_alone(text: str, kept: str) -> None:
    assert read_address(text, LINK_PARTS, HERE).text == kept


def test_own_prompts_knobs_and_changes_travel_with_a_stop() -> None:
    setup = Setup(
        OWN, {"block_size": 8, "ttl": None}, OwnPrompts("汤 ", ("热吗",), "热"), fork=Fork(3, "slots", 4)
    )
    query = "&".join(f"{name}={value}" for name, value in to_query(setup).items())
    address = read_address(f"execute?{query}#step=2", LINK_PARTS)
    again = read_address(address.text, LINK_PARTS)
    assert again == address
    assert "own=" in address.query
    assert "fork=" in address.query


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "address"),
        ("x" * (MAX_ADDRESS + 1), "address"),
        ("execute?s=P0 #step=1", "address"),
        ("execute\x00", "address"),
        ("http://[::1/execute", "address"),
        ("http:\\\\evil.example\\execute", "address"),
        ("https://evil.example/execute?s=P0", "host"),
        ("//evil.example/execute", "host"),
        ("http://shop.example:8501@evil.example/execute", "host"),
        ("http://me@shop.example:8501/execute", "host"),
        ("http://shop.example:8502/execute", "host"),
        ("http://shop.example:99999/execute", "host"),
        ("javascript:alert(1)", "host"),
        ("data:text/html,x", "host"),
        ("teacher", "page"),
        ("http://shop.example:8501/nowhere", "page"),
        ("../../etc/passwd", "page"),
        ("execute/../ch01", "page"),
        ("execute?s=P0&onload=x", "unknown"),
        ("execute?s=NOPE", "damaged"),
        ("execute?s=P0&slots=many", "damaged"),
        ("execute?own=%21%21", "damaged"),
        ("execute?hide=everything", "damaged"),
        ("execute?present=2", "damaged"),
        ("finish?on=x", "damaged"),
        ("execute?lq=12", "damaged"),
        ("monitor?ld=x", "damaged"),
        ("execute?lq=log", "log"),
    ],
)
def test_a_link_that_is_not_ours_is_refused(text: str, code: str) -> None:
    with pytest.raises(AddressError) as caught:
        read_address(text, LINK_PARTS, HERE)
    assert caught.value.code == f"teacher.{code}"
    for lang in LANGS:
        needed = placeholders(table(lang)[f"error.{caught.value.code}"])
        assert needed <= caught.value.values.keys()


def test_without_a_page_of_ones_own_no_host_is_taken() -> None:
    with pytest.raises(AddressError, match="not this server"):
        read_address("http://shop.example:8501/execute", LINK_PARTS)


def test_the_machines_names_for_itself_are_one() -> None:
    own = "http://localhost:8501/teacher"
    assert read_address("http://127.0.0.1:8501/ch02", LINK_PARTS, own).text == "ch02"


def test_a_server_below_a_path_is_told_from_its_neighbours() -> None:
    own = "https://shop.example/broth/teacher"
    assert read_address("https://shop.example/broth/ch02", LINK_PARTS, own).text == "ch02"
    with pytest.raises(AddressError):
        read_address("https://shop.example/other/ch02", LINK_PARTS, own)


# -- sequences --------------------------------------------------------------------------------------------

addresses = st.sampled_from([address_of(name) for name in PLACES])
stops = st.builds(Stop, addresses, any_texts, any_texts, st.integers(-5, 200)).map(tidy)
sequences = st.lists(stops, min_size=1, max_size=4).map(tuple).map(Sequence)


@settings(max_examples=40)
@given(sequences)
def test_a_sequence_survives_link_and_file(sequence: Sequence) -> None:
    if fits_link(sequence):
        assert from_query(sequence_query(sequence), LINK_PARTS) == (sequence, [])
    assert unpack(pack(sequence), LINK_PARTS) == sequence
    assert from_file("a.json", to_file(sequence).encode(), LINK_PARTS) == sequence


def damaged(rows: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(rows).encode())).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "zzz",
        "é",
        damaged([]),
        damaged({"a": 1}),
        damaged([["execute", "title"]]),
        damaged([["execute", "t", "n", "3"]]),
        damaged([["execute", "t", "n", True]]),
        damaged([["execute", "t", "n", 3, 4]]),
        damaged([["execute", 1, "note"]]),
        damaged([["https://evil.example/execute", "t", "n"]]),
        damaged([["javascript:alert(1)", "t", "n"]]),
        damaged([["teacher", "t", "n"]]),
        damaged([["ch01", "", ""]] * (MAX_STOPS + 1)),
        damaged([["ch01", "t", "n" * 1_000_000]]),
        damaged([["ch01", "t", "n"]])[:-8],
    ],
)
def test_a_damaged_sequence_is_named_and_breaks_nothing(text: str) -> None:
    assert from_query({"seq": text}, LINK_PARTS) == (Sequence(), ["seq"])


def test_a_link_and_a_file_of_before_have_no_minutes() -> None:
    assert unpack(damaged([["ch01", "t", "n"]]), LINK_PARTS) == Sequence((Stop(Address("ch01"), "t", "n"),))
    old = b'{"broth_sequence": 1, "stops": [{"open": "ch01", "title": "t", "note": "n"}]}'
    assert from_file("x", old, LINK_PARTS).stops[0].minutes == 0
    assert pack(Sequence((Stop(Address("ch01"), "t", "n"),))) == pack(
        Sequence((Stop(Address("ch01"), "t", "n", 0),))
    )


@pytest.mark.parametrize("place", ["0", "1", "2", "-1", "x"])
def test_the_place_in_an_older_link_is_no_loss(place: str) -> None:
    """``at`` said which stop was presented; now all of them are one lecture."""
    kept = Sequence((Stop(address_of("bet")),))
    assert from_query({"seq": pack(kept), "at": place}, LINK_PARTS) == (kept, [])


def test_stops_are_moved_changed_and_deleted() -> None:
    one, two, three = (Stop(address_of(name), name) for name in ("bet", "same", "saved"))
    sequence = Sequence((one, two, three))
    assert sequence.moved(2, -1).stops == (one, three, two)
    assert sequence.moved(0, -1) == sequence
    assert sequence.moved(2, 1) == sequence
    assert sequence.without(0).stops == (two, three)
    changed = sequence.changed(1, title=" a \n b ").changed(1, note="x\ny")
    assert changed.stops[1] == Stop(two.address, "a b", "x\ny")


def test_titles_and_notes_are_cut_and_cleaned() -> None:
    stop = tidy(Stop(address_of("bet"), "t\x00\u202e" * 200, "n" * 5_000 + "\ud800"))
    assert stop.title == "t" * MAX_TITLE
    assert stop.note == "n" * MAX_NOTE
    assert tidy(Stop(address_of("bet"), "\ud800")).title == "�"


def test_a_full_sequence_takes_no_more() -> None:
    sequence = Sequence((Stop(address_of("bet")),) * MAX_STOPS)
    with pytest.raises(SequenceError) as caught:
        sequence.with_stop(Stop(address_of("bet")))
    assert caught.value.code == "teacher.full"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", "file_json"),
        (b"\xff\xfe", "file_json"),
        (b"[" * 100_000, "file_json"),
        (b"[]", "file_kind"),
        (b'{"broth_prompts": 1}', "file_kind"),
        (b'{"broth_sequence": 1, "stops": []}', "file_kind"),
        (b'{"broth_sequence": 1, "stops": [1]}', "file_stop"),
        (b'{"broth_sequence": 1, "stops": [{"open": "ch01", "minutes": "x"}]}', "file_stop"),
        (b'{"broth_sequence": 1, "stops": [{"title": "x"}]}', "file_stop"),
        (b'{"broth_sequence": 1, "stops": [{"open": "https://evil.example/ch01"}]}', "file_stop"),
        (json.dumps({"broth_sequence": 1, "stops": [{"open": "ch01"}] * 99}).encode(), "file_long"),
    ],
)
def test_a_file_that_holds_no_sequence_is_told(data: bytes, code: str) -> None:
    with pytest.raises(BrothError) as caught:
        from_file("x.json", data, LINK_PARTS)
    assert caught.value.code == f"teacher.{code}"


# -- a class on its own laptops -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "typed", "base"),
    [
        ("http://localhost:8501/teacher?lang=zh", "", "http://localhost:8501/"),
        ("http://localhost:8501/teacher", " 192.168.1.23 ", "http://192.168.1.23:8501/"),
        ("http://localhost:8501/teacher", "http://lab.local:8600/x", "http://lab.local:8600/"),
        ("http://localhost:8501/teacher", "[fd00::2]", "http://[fd00::2]:8501/"),
        ("https://shop.example/broth/teacher", "", "https://shop.example/broth/"),
        ("http://localhost:8501/teacher", "not a host", "http://localhost:8501/"),
    ],
)
def test_the_address_to_give(url: str, typed: str, base: str) -> None:
    assert base_of(url, typed) == base


@pytest.mark.parametrize(
    "typed", ["", "a b", "<b>", "-a", "a..b", "javascript:alert(1)", "x" * 200, "a:999999"]
)
def test_what_is_no_host_is_no_host(typed: str) -> None:
    assert read_host(typed) is None


def test_the_code_has_its_finder_patterns_and_its_quiet_zone() -> None:
    """Three squares in their corners and four light modules around: without them no phone reads it."""
    import segno

    link = "http://192.168.1.23:8501/?lang=zh"
    code = segno.make_qr(link, error="m")
    size = len(code.matrix)
    finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        rows = ["".join(map(str, row[left : left + 7])) for row in code.matrix[top : top + 7]]
        assert rows == finder
    drawn = qr_svg(link)
    assert drawn is not None
    assert re.search(rf'width="{(size + 8) * 8}" height="{(size + 8) * 8}"', drawn)
    assert "#000" in drawn
    assert "#fff" in drawn
    assert "<script" not in drawn


def test_a_link_that_no_code_can_hold_gets_none() -> None:
    assert qr_svg("http://a/" + "x" * 3_000) is None


def test_the_code_is_loaded_only_when_it_is_drawn() -> None:
    for path in (ROOT / "ui").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        at_once = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not any("segno" in ast.unparse(node) for node in at_once), path.name


def test_the_front_page_has_no_name_in_an_address() -> None:
    assert Address("start").link("en") == "./?lang=en"
