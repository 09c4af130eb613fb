"""Identity of blocks: equal exactly when everything from the first token on is equal."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.engine.hash_chain import block_extras, frame_extra, hash_chain, split, token_array
from core.types import MAX_TOKEN_ID, MultiModalItem, Request
from tests.strategies import examples, maybe, mm_items, names, requests

any_tokens = st.lists(st.integers(0, MAX_TOKEN_ID), min_size=1, max_size=20)


@given(any_tokens, st.integers(1, 6), st.data())
@examples(100)
def test_changing_a_token_changes_its_block_and_all_later_ones(
    tokens: list[int], size: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(tokens) - 1))
    other = data.draw(st.integers(0, MAX_TOKEN_ID).filter(lambda token: token != tokens[place]))
    before = hash_chain(tokens, size)
    after = hash_chain([*tokens[:place], other, *tokens[place + 1 :]], size)
    assert len(before) == len(after) == len(tokens) // size
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        assert (old == new) == (index < place // size)


@given(any_tokens, any_tokens, st.integers(1, 4))
@examples(60)
def test_what_comes_later_changes_nothing_before(tokens: list[int], more: list[int], size: int) -> None:
    before = hash_chain(tokens, size)
    assert hash_chain(tokens + more, size)[: len(before)] == before


@given(st.lists(st.integers(0, 2), max_size=8), st.lists(st.integers(0, 2), max_size=8), st.integers(1, 3))
@examples(100)
def test_blocks_are_equal_exactly_when_their_prefixes_are(one: list[int], two: list[int], size: int) -> None:
    for index, (a, b) in enumerate(zip(hash_chain(one, size), hash_chain(two, size), strict=False)):
        end = (index + 1) * size
        assert (a == b) == (one[:end] == two[:end])


@given(any_tokens, st.integers(1, 5))
@examples(60)
def test_containers_do_not_matter(tokens: list[int], size: int) -> None:
    wanted = hash_chain(tokens, size)
    assert hash_chain(tuple(tokens), size) == wanted
    assert hash_chain(np.array(tokens, dtype=np.uint32), size) == wanted
    assert hash_chain(np.array(tokens, dtype=np.int64), size) == wanted
    assert [token for block in split(tokens, size) for token in block] == tokens == list(token_array(tokens))


# -- extras -------------------------------------------------------------------------------------------


def identity(request: Request, version: str, index: int, size: int) -> tuple[object, ...]:
    """What belongs to block ``index`` besides tokens and parent, in plain values (rule 4)."""
    start, end = index * size, (index + 1) * size
    items = tuple(
        (item.item_id, item.offset - start)
        for item in request.mm
        if item.offset < end and item.offset + item.length > start
    )
    salt = request.salt or "" if index == 0 else ""
    return (request.lora, items, salt, version if index == 0 else "")


worlds = st.tuples(requests(st.just((1,) * 12)), maybe(names, ""))
CRAFTED = Request("R", (1,) * 12, salt="\x01\x00\x00\x00")


@given(worlds, worlds, st.integers(0, 3))
@example((Request("R", (1,) * 12, lora=("ab", "c")), ""), (Request("R", (1,) * 12, lora=("a", "bc")), ""), 0)
@example((Request("R", (1,) * 12, salt="v"), ""), (Request("R", (1,) * 12), "v"), 0)
@example((Request("R", (1,) * 12, lora=("x", "")), ""), (Request("R", (1,) * 12, salt="x"), ""), 0)
@example((CRAFTED, "x"), (CRAFTED, "y"), 0)
@example((Request("R", (1,) * 12, salt="\ud83c"), ""), (Request("R", (1,) * 12, salt="\ufffd"), ""), 0)
@examples(150)
def test_extras_are_equal_exactly_when_their_values_are(
    one: tuple[Request, str], two: tuple[Request, str], index: int
) -> None:
    """Never between salt, adapter, image and version, and never by moving a border between two texts."""
    same = identity(*one, index, 4) == identity(*two, index, 4)
    assert (block_extras(*one, index, 4) == block_extras(*two, index, 4)) == same
    one_hash, two_hash = (
        hash_chain(request.token_ids, 4, request=request, version=version)[0]
        for request, version in (one, two)
    )
    assert (one_hash == two_hash) == (identity(*one, 0, 4) == identity(*two, 0, 4))


@given(worlds, worlds)
@examples(60)
def test_another_world_shares_no_block_at_all(one: tuple[Request, str], two: tuple[Request, str]) -> None:
    assume(identity(*one, 0, 4) != identity(*two, 0, 4))
    mine, others = (hash_chain(r.token_ids, 4, request=r, version=v) for r, v in (one, two))
    assert not set(mine) & set(others)


@given(names, st.lists(names, max_size=3), names, st.lists(names, max_size=3))
@example("", [], "\ud800", [])
@example("\ud83c", ["\udf5c"], "\ud83c\udf5c", ["🍜"])
@examples(100)
def test_framing_can_be_taken_apart(domain: str, values: list[str], domain2: str, values2: list[str]) -> None:
    """Two runs of framed extras are equal only if they are the same parts in the same order."""
    whole = frame_extra(domain, *values) + frame_extra(domain2, *values2)
    assert read_frames(whole) == [[domain, *values], [domain2, *values2]]


def read_frames(data: bytes) -> list[list[str]]:
    def number() -> int:
        nonlocal data
        value, data = int.from_bytes(data[:4], "little"), data[4:]
        return value

    def text() -> str:
        nonlocal data
        length = number()
        part, data = data[:length], data[length:]
        return part.decode("utf-8", "surrogatepass")

    frames = []
    while data:
        frames.append([text() for _ in range(number())])
    return frames


@given(mm_items(), st.integers(0, 12))
@examples(60)
def test_moving_an_image_changes_the_blocks_it_touches(items: tuple[MultiModalItem, ...], shift: int) -> None:
    assume(items and shift)
    moved = tuple(MultiModalItem(item.item_id, item.offset + shift, item.length) for item in items)
    first = min(item.offset for item in items) // 4
    here, there = (hash_chain((1,) * 40, 4, request=Request("R", (1,), mm=mm)) for mm in (items, moved))
    assert here[:first] == there[:first]
    assert not set(here[first:]) & set(there[first:])
