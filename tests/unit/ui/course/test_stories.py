"""The lessons' stories as token ids: the numbers people see, whatever the texts are.

P0 … P11 are the presets of the lab. Block size 4 unless said; a slot is a usable block.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig, Request


def story(slots: int, block_size: int = 4, **settings: Any) -> tuple[Engine, list[Event]]:
    events: list[Event] = []
    config = EngineConfig(block_size=block_size, num_blocks=slots + 1, **settings)
    return Engine(config, events.append), events


def text(name: str, length: int) -> tuple[int, ...]:
    """``length`` tokens of an endless text; other names share nothing."""
    first = 1000 * (1 + ord(name))
    return tuple(range(first, first + length))


def serve(engine: Engine, prompts: list[tuple[int, ...]], outputs: int = 1, **extra: Any) -> list[int]:
    """One request after the other, each to its end. Returns the hits."""
    hits = []
    for number, prompt in enumerate(prompts):
        name = f"R{len(hits)}-{engine.num_steps}-{number}"
        hits.append(engine.lookup(Request("ask", prompt, **extra)).hit)
        engine.submit(Request(name, prompt, (7,) * outputs, **extra))
        engine.run()
    return hits


# -- P0: the worked example of vLLM's design document, under the rules of 0.33 -------------------------


def test_p0_block_tables_and_free_queue_after_each_request() -> None:
    """10 slots. R0: 15 prompt tokens, decodes until its fourth block is full and a fifth begun (17 computed).
    R1: 14 tokens, the first 10 shared with R0. R2: 29 tokens, the first 12 shared with R0.
    """
    engine, events = story(10)
    r0 = text("a", 15)
    engine.start(Request("R0", r0))
    # 15 tokens: three full blocks and one with 3 tokens, taken from the front 1, 2, 3, …
    assert engine.view.block_table("R0") == (1, 2, 3, 4)
    assert engine.view.free_queue() == (5, 6, 7, 8, 9, 10)
    assert engine.view.block_hash(4) is None
    engine.decode("R0", (1,))  # token 16 fills block 4: it gets its hash, no block is taken
    assert engine.view.block_table("R0") == (1, 2, 3, 4)
    assert engine.view.block_hash(4) is not None
    engine.decode("R0", (2,))  # token 17 is the first past the boundary
    assert engine.view.block_table("R0") == (1, 2, 3, 4, 5)

    assert engine.start(Request("R1", r0[:10] + text("b", 4))).hit == 8
    # Two blocks of four are shared; the third differs in its last two tokens. 6 and 7 are next in the queue.
    assert engine.view.block_table("R1") == (1, 2, 6, 7)
    assert [engine.view.ref_count(block_id) for block_id in range(1, 9)] == [2, 2, 1, 1, 1, 1, 1, 0]
    assert engine.view.free_queue() == (8, 9, 10)

    engine.free("R0")
    # From the last block to the first: 5 has no hash, to the front; 4 and 3 to the back; R1 holds 2 and 1.
    assert engine.view.free_queue() == (5, 8, 9, 10, 4, 3)
    engine.free("R1")
    # 7 (two tokens) to the front, then 6, 2, 1 to the back.
    assert engine.view.free_queue() == (7, 5, 8, 9, 10, 4, 3, 6, 2, 1)

    assert engine.start(Request("R2", r0[:12] + text("c", 17))).hit == 12
    # Blocks 1, 2, 3 are touched and leave the queue; five more come from the front. None had content.
    assert engine.view.block_table("R2") == (1, 2, 3, 7, 5, 8, 9, 10)
    assert engine.view.free_queue() == (4, 6)
    assert [event for event in events if isinstance(event, BlockEvicted)] == []
    engine.decode("R2", (1, 2, 3, 4))  # tokens 30 … 33: the 33rd takes slot 4, R0's fourth block is forgotten
    assert engine.view.block_table("R2") == (1, 2, 3, 7, 5, 8, 9, 10, 4)
    assert [event.block_id for event in events if isinstance(event, BlockEvicted)] == [4]
    assert engine.lookup(Request("R0 again", (*r0, 1, 9))).hit == 12

    engine.free("R2")
    # 33 tokens: the ninth block holds one token, so 4 goes to the front; the others tail first.
    assert engine.view.free_queue() == (4, 6, 10, 9, 8, 5, 7, 3, 2, 1)
    assert len(engine.view.cached_hashes()) == 9
    engine.check()


# -- sharing -------------------------------------------------------------------------------------------


def test_p1_three_questions_behind_one_system_prompt() -> None:
    system = text("s", 12)
    engine, _ = story(16)
    prompts = [system + text("a", 3), system + text("b", 3), system + text("c", 4)]
    assert [len(prompt) for prompt in prompts] == [15, 15, 16]
    assert serve(engine, prompts, outputs=3) == [0, 12, 12]


def test_p2_one_changed_token_early_or_late() -> None:
    prompt = text("a", 15)
    changed = [(9, *prompt[1:]), (*prompt[:10], 9, *prompt[11:])]
    for other, hit in zip(changed, (0, 8), strict=True):
        engine, _ = story(16)
        assert serve(engine, [prompt, other]) == [0, hit]


def test_p3_a_timestamp_in_front_or_behind() -> None:
    line, first, second = text("a", 14), (1, 2), (3, 4)
    for prompts, hit in (([first + line, second + line], 0), ([line + first, line + second], 12)):
        engine, _ = story(16)
        assert serve(engine, prompts) == [0, hit]


def test_p4_a_chat_of_four_turns() -> None:
    """Each turn sends everything so far; the answer's blocks are found too, but for its last token."""
    talk = text("t", 40)
    engine, _ = story(24)
    hits = []
    for turn, length in enumerate((16, 24, 32, 40)):
        hits.append(engine.lookup(Request("ask", talk[:length])).hit)
        answer = talk[length : length + 4] if length < 40 else (1,)
        engine.submit(Request(f"turn {turn}", talk[:length], answer))
        engine.run()
    assert hits == [0, 16, 24, 32]


def test_p5_the_order_of_documents() -> None:
    """30 tokens: a 12-token head, two documents of 8, a question of 2."""
    head, one, two = text("h", 12), text("d", 8), text("e", 8)
    for second, hit in ((head + one + two + text("q", 2), 28), (head + two + one + text("q", 2), 12)):
        engine, _ = story(20)
        assert serve(engine, [head + one + two + text("p", 2), second]) == [0, hit]


@pytest.mark.parametrize(("length", "hit"), [(12, 8), (13, 12)])
def test_p6_the_same_prompt_again(length: int, hit: int) -> None:
    engine, _ = story(10)
    assert serve(engine, [text("a", length)] * 2) == [0, hit]


def test_p6_an_aligned_repeat_leaves_two_copies_of_its_last_block() -> None:
    engine, _ = story(10)
    serve(engine, [text("a", 12)] * 2)
    copies = [engine.view.cached_blocks(digest) for digest in engine.view.cached_hashes()]
    assert copies == [(1,), (2,), (3, 4)]


@pytest.mark.parametrize(("block_size", "hit"), [(2, 10), (4, 8), (8, 8), (16, 0)])
def test_p7_ten_shared_tokens_at_four_block_sizes(block_size: int, hit: int) -> None:
    shared = text("s", 10)
    engine, _ = story(64 // block_size, block_size)
    assert serve(engine, [shared + text("a", 6), shared + text("b", 6)], outputs=4) == [0, hit]


def test_p8_two_at_once_and_one_goes() -> None:
    engine, events = story(10)
    shared = text("s", 8)
    engine.start(Request("a", shared + text("a", 2)))
    engine.start(Request("b", shared + text("b", 2)))
    assert [engine.view.ref_count(block_id) for block_id in (1, 2, 3, 4)] == [2, 2, 1, 1]
    engine.free("a")
    assert [engine.view.ref_count(block_id) for block_id in (1, 2, 3, 4)] == [1, 1, 0, 1]
    assert not [event for event in events if isinstance(event, BlockEvicted)]


# -- P9: the cliff -------------------------------------------------------------------------------------


def four_pots(slots: int, broth: int, **settings: Any) -> tuple[int, int, int, int]:
    """Recipes A B C D in turn, six rounds: (requests that hit, requests, tokens hit, tokens asked)."""
    engine, _ = story(slots, **settings)
    toppings = count(1)
    prompts = [(*text(pot, broth), next(toppings), next(toppings)) for _ in range(6) for pot in "ABCD"]
    hits = serve(engine, prompts)
    totals = take_snapshot(engine)["totals"]
    assert sum(hits) == totals["hits"]
    return sum(hit > 0 for hit in hits), len(hits), totals["hits"], totals["queries"]


@pytest.mark.parametrize("slots", [3, 4])
def test_p9_a_slot_too_few_and_nobody_hits(slots: int) -> None:
    assert four_pots(slots, broth=4) == (0, 24, 0, 144)


def test_p9_one_slot_more_and_all_but_the_first_round_hit() -> None:
    """Four broths stay, one slot for toppings: 20 of 24 requests (83 %), 80 of 144 tokens."""
    assert four_pots(5, broth=4) == (20, 24, 80, 144)


@pytest.mark.parametrize(("slots", "tokens"), [(7, 0), (8, 80), (9, 160)])
def test_p9_with_broths_of_two_blocks(slots: int, tokens: int) -> None:
    assert four_pots(slots, broth=8)[2:] == (tokens, 240)


@pytest.mark.parametrize(("slots", "requests", "tokens"), [(5, 0, 0), (6, 0, 0), (7, 20, 80)])
def test_p9b_not_full_blocks_to_the_back_move_the_cliff(slots: int, requests: int, tokens: int) -> None:
    assert four_pots(slots, broth=4, queue_rule="all_to_back") == (requests, 24, tokens, 144)


def test_p9c_admission_protects_the_pots_that_are_ordered_often() -> None:
    """Five slots: three pots and the two a guest works with. A, B, C come again and again, guests once.
    Plain LRU forgets A before it returns; stored from the second sighting on, guests never push it out."""
    guests = iter("DEFGHIJKLMNO")
    orders = [pot for _ in range(4) for pot in ("A", "B", "C", next(guests), next(guests), next(guests))]
    prompts = [(*text(pot, 4), 1, 2) for pot in orders]
    plain, _ = story(5)
    picky, _ = story(5, admit_after=2)
    assert sum(serve(plain, prompts)) == 0
    assert serve(picky, prompts) == [0] * 12 + [4, 4, 4, 0, 0, 0] * 2


def test_p9d_seven_tags_six_match() -> None:
    shared = text("s", 24)
    engine, _ = story(16)
    assert len(shared + text("a", 5)) == 29
    assert serve(engine, [shared + text("a", 5), shared + text("b", 5)]) == [0, 24]


# -- time, tenants, the lecture's arithmetic -----------------------------------------------------------


def test_p10_expiry_by_time_not_by_pressure() -> None:
    prompt = text("a", 9)
    engine, events = story(10, ttl=10)
    serve(engine, [prompt])
    engine.wait(5)
    assert serve(engine, [prompt]) == [8]
    engine.wait(20)
    assert serve(engine, [prompt]) == [0]
    assert {event.cause for event in events if isinstance(event, BlockEvicted)} == {"ttl"}


def test_p11_tenants_share_nothing_across_and_everything_inside() -> None:
    prompt = text("a", 13)
    engine, _ = story(24)
    assert serve(engine, [prompt], salt="one") == [0]
    assert serve(engine, [prompt], salt="two") == [0]
    assert serve(engine, [prompt]) == [0]
    assert serve(engine, [prompt], salt="one") == [12]
    assert serve(engine, [prompt], salt="two") == [12]


def test_the_lecture_640_tokens_512_of_them_shared() -> None:
    """40 blocks of 16, 32 of them the system prompt: ten at once compute 640 + 9 x 128 and hold
    32 + 10 x 8 = 112 blocks, where ten lonely ones would hold 400."""
    engine, events = story(128, block_size=16)
    system = text("s", 512)
    for number in range(10):
        engine.submit(Request(f"R{number}", system + text(chr(ord("a") + number), 128), (1, 2)))
    engine.step()
    admitted = [event for event in events if isinstance(event, RequestAdmitted)]
    assert [event.hit_tokens for event in admitted] == [0] + [512] * 9
    assert sum(event.num_scheduled for event in admitted) == 640 + 9 * 128
    held = [block_id for block_id in range(1, 129) if engine.view.ref_count(block_id)]
    assert len(held) == 112
    assert sum(len(engine.view.block_table(f"R{number}")) for number in range(10)) == 400
    assert max(map(engine.view.ref_count, held)) == 10
