"""Every answer key of the scripts, held against the run of its stop: each option is judged by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from core.timeline.frame import Frame
from ui.interview.runs import admitted
from ui.interview.runs import hits as hits_of_prompts
from ui.stage.setup import Setup, load_setup
from ui.teacher.figures import ORDERS, PREFIX, frames_of
from ui.teacher.places import PLACES, log_of, opens_on
from ui.teacher.stops import BETS, RIGHT, SCRIPTS, options

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
    running = before["reqs"]["R0"]["status"] == "running"
    first = before["slots"]["1"]["hash"]
    found = after["reqs"]["R1"]["btable"][0] == [1, "hit"] and after["reqs"]["R1"]["hashes"][0] == first
    return [first is None, found and not running, found and running]


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
    return [int(one.replace(",", "")) == computed for one in options("counter", "en")]


def chain() -> Sequence[bool]:
    """Equal tokens in block 1; its tag changes with block 0, whoever runs."""
    first, then = tokens("three", 0), tokens("three", 2)
    assert first[4:8] == then[4:8]
    assert first[:4] != then[:4]
    _, after = frames("chain", "plan", "R2")
    tags = [after["reqs"][rid]["hashes"][1] for rid in ("R0", "R2")]
    running = after["reqs"]["R0"]["status"] == "running"
    return [tags[0] == tags[1], tags[0] != tags[1], tags[0] == tags[1] and running]


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
    return [f"#{new[0]}:" in option for option in options("evict", "en")]


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
    "after": stamp,
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
