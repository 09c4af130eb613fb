"""Every answer key of the scripts, held against the run of its stop: each option is judged by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from core.timeline.frame import Frame
from ui.interview.runs import COST, admitted
from ui.interview.runs import hits as hits_of_prompts
from ui.lecture.scenes import played
from ui.stage.setup import Setup, load_setup
from ui.teacher.figures import ORDERS, PREFIX, figures, frames_of
from ui.teacher.places import OF_THE_SHEET, PLACES, log_of, opens_on, setup_of
from ui.teacher.stops import BETS, RIGHT, RIGHT_ALONE, SCRIPTS, options
from ui.words.i18n import LANGS, Lang

Judge = Callable[[], Sequence[bool]]


def frames(name: str, op: str, rid: str) -> tuple[Frame, Frame]:
    """Where the stop stands, and before the first step behind it with this op of this request."""
    at = opens_on(name) or 0
    steps = log_of(name)["events"]
    until = next(i for i in range(at, len(steps)) if (steps[i]["op"], steps[i].get("rid")) == (op, rid))
    return frames_of(name)[at], frames_of(name)[until]


def hits(preset: str) -> int:
    return admitted(preset)[1][0]


def tokens(preset: str, number: int) -> list[int]:
    asked = [one for one in load_setup(Setup(preset), "en").commands if one.request is not None]
    return list(asked[number].prompt.ids)


def same() -> Sequence[bool]:
    """R0 is over where R1 comes, its first block is in its slot, and R1 finds it there."""
    before, after = frames("same", "append", "R1")
    assert before["reqs"]["R0"]["status"] != "running"
    first = before["slots"]["1"]["hash"]
    slot, how = after["reqs"]["R1"]["btable"][0]
    found = how == "hit" and after["reqs"]["R1"]["hashes"][0] == first
    return [first is None, found and slot == 1, found and slot != 1]


def stamp() -> Sequence[bool]:
    rest = len(tokens("P3", 1)) - 4
    return [hits("P3") == rest, 0 < hits("P3") < rest, hits("P3") == 0]


def stamp_end() -> Sequence[bool]:
    pairs = list(zip(tokens("P3b", 0), tokens("P3b", 1), strict=True))
    return [hits("P3b") == n for n in (0, 12, sum(a == b for a, b in pairs))]


def counter() -> Sequence[bool]:
    """Without a cache each request computes the whole prefix: three are run, and each counts alike."""
    prompt = tuple(range(PREFIX))
    found = hits_of_prompts([prompt] * 3, enable_caching=False, num_blocks=PREFIX)
    assert found == [0, 0, 0]
    computed = sum(len(prompt) - hit for hit in found) // len(found) * ORDERS
    own = [(*prompt, 10_000 + number) for number in range(3)]  # real requests go on with words of their own
    missed = [PREFIX - hit for hit in hits_of_prompts(own, block_size=4, num_blocks=PREFIX)]
    assert missed == [PREFIX, 0, 0]
    said = [re.findall(r"[\d,]*\d", one) for one in options("counter", "en")]
    needed = [computed, sum(missed)]
    return [[int(n.replace(",", "")) for n in one] == needed for one in said]


def chain() -> Sequence[bool]:
    """Equal tokens in block 1; its tag changes with block 0. Two that begin alike share tags."""
    first, then = tokens("three", 0), tokens("three", 2)
    assert first[4:8] == then[4:8]
    assert first[:4] != then[:4]
    _, after = frames("chain", "plan", "R2")
    tags = [after["reqs"][rid]["hashes"][1] for rid in ("R0", "R2")]
    shared = after["reqs"]["R0"]["hashes"][0] == after["reqs"]["R1"]["hashes"][0]
    return [tags[0] == tags[1], tags[0] != tags[1], not shared]


def partial() -> Sequence[bool]:
    return [hits("P0") == n for n in (10, 8, 12, 0)]


def touch() -> Sequence[bool]:
    before, after = frames("touch", "alloc", "R1")
    slot = str(after["reqs"]["R1"]["btable"][0][0])
    copies = len(after["table"][before["slots"][slot]["hash"] or ""])
    counted = after["slots"][slot]["ref"] == before["slots"][slot]["ref"] + 1
    moved = "R0" not in after["slots"][slot]["owners"]
    return [copies > 1, counted and copies == 1 and not moved, moved]


def done() -> Sequence[bool]:
    before, after = frames("done", "arrive", "R1")
    held = {before["slots"][str(slot)]["hash"] for slot, _ in before["reqs"]["R0"]["btable"]} - {None}
    lost = held - set(after["table"])
    return [lost == held, len(lost) == 1, not lost]


def evict() -> Sequence[bool]:
    before, after = frames("evict", "register", "R2")
    new = [slot for slot, _ in after["reqs"]["R2"]["btable"]][len(before["reqs"]["R2"]["btable"]) :]
    assert len(new) == 1
    shown = [int(found.group(1)) for one in options("evict", "en") if (found := re.match(r"#(\d+):", one))]
    assert sorted(shown) == sorted(before["queue"]), "all that wait, so that no colour tells them apart"
    return [slot == new[0] for slot in shown]


def after() -> Sequence[bool]:
    """The question of the sheet, of prompts that no other stop shows."""
    plan = next(s for s in log_of("after")["events"] if (s["op"], s.get("rid")) == ("plan", "R1"))["args"]
    rest = plan["n"] - 1
    return [plan["hit"] == rest, 0 < plan["hit"] < rest, plan["hit"] == 0]


def full() -> Sequence[bool]:
    hit, total = admitted("P6")[1]
    return [total - hit == n for n in (0, 1, 4, total)]


def cliff() -> Sequence[bool]:
    found = [hit > 0 for hit, _ in admitted("P9", num_slots=4)]
    return [sum(found) == n for n in (20, 12, 0)]


def decode() -> Sequence[bool]:
    """Each token of an answer is computed alone, in a step of its own, with hits and without."""
    steps = log_of("decode")["events"]
    written = [one for one in steps if one["op"] == "compute" and one["args"]["answer"]]
    work = {rid: [one["args"]["n"] for one in written if one["rid"] == rid] for rid in ("R0", "R2")}
    assert hits_of("R2") > hits_of("R0") == 0
    equal = set(work["R0"]) == set(work["R2"]) == {1}
    return [not equal, equal, not equal]


def hits_of(rid: str) -> int:
    return admitted("P1")[int(rid[1:])][0]


JUDGES: dict[str, Judge] = {
    "same": same,
    "stamp": stamp,
    "stamp_end": stamp_end,
    "counter": counter,
    "chain": chain,
    "partial": partial,
    "touch": touch,
    "done": done,
    "evict": evict,
    "full": full,
    "cliff": cliff,
    "decode": decode,
    "after": after,
}


def test_every_key_has_its_judge() -> None:
    assert set(JUDGES) == set(RIGHT)
    asked = {name for script in SCRIPTS.values() for name, _ in script if options(name, "en")}
    assert asked - set(RIGHT) == set(BETS.values()), "only a bet has no right option"


@pytest.mark.parametrize("name", RIGHT)
def test_the_run_proves_the_right_option_and_no_other(name: str) -> None:
    judged = list(JUDGES[name]())
    assert len(judged) == len(options(name, "en")) == len(options(name, "zh"))
    assert judged == [number == RIGHT[name] for number in range(len(judged))]


def test_a_bets_answer_lies_in_one_quarter() -> None:
    """Where the room's bet is shown again, its four columns stand for the four quarters."""
    rows = admitted("P1")
    share = sum(hit for hit, _ in rows) / sum(total for _, total in rows)
    assert 0.5 < share < 0.75
    assert int(share * 4) == RIGHT_ALONE["bet"]
    assert len(options("bet", "en")) == 4
    assert options("before", "en") == options("after", "en")
    assert PLACES["before"] == PLACES["after"]


def test_the_slot_that_each_order_needs_for_its_own_words() -> None:
    """Four recipes and the words of the order that is served: with one slot less, what comes next goes."""
    before, after = frames("cliff", "alloc", "R3")
    for number in range(4):
        ids = tokens("P9", number)
        assert (len(ids) // 4, len(ids) % 4 > 0) == (1, True), "one block of recipe, and words of its own"
    steps = log_of("cliff")["events"]
    gone = next(step for step in steps if step["op"] == "evict")
    assert (gone["rid"], gone["hash"][:4]) == ("R3", before["reqs"]["R0"]["hashes"][0][:4])
    assert tokens("P9", 4)[:4] == tokens("P9", 0)[:4], "the recipe that is ordered next"
    assert len(after["reqs"]["R3"]["btable"]) <= 2


@pytest.mark.parametrize("lang", LANGS)
def test_the_sheets_question_cannot_be_answered_from_memory(lang: Lang) -> None:
    """Its prompts are other words than those of any other stop, and differ in the name alone."""
    shown = {
        prompt
        for name, place in PLACES.items()
        if place.preset
        for prompt, _ in played(setup_of(name, lang), lang).pieces.values()
    }
    for name in OF_THE_SHEET:
        first, then = (prompt for prompt, _ in played(setup_of(name, lang), lang).pieces.values())
        assert not {first, then} & shown
        assert [a == b for a, b in zip(first, then, strict=True)].count(False) == 1
        assert first[:4] != then[:4]
        assert len(first) == 12


def test_the_modelled_time_per_token_asks_for_no_hits() -> None:
    """Two numbers that are one: what the model computes for the token behind a prompt of this length."""
    told = figures("decode")
    assert told == {"prompt": "4,096", "ms": f"{1e3 * COST.decode_s([4_096]):.1f}"}
