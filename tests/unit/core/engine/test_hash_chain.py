"""Cutting tokens into blocks and giving each block its identity: worked examples and refusals."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
import xxhash

from core.engine.hash_chain import (
    HashChain,
    block_extras,
    hash_chain,
    root_hash,
    split,
    token_array,
    token_bytes,
    weak_value,
)
from core.errors import RequestError
from core.types import MAX_TOKEN_ID, MultiModalItem, Request


def digest(*parts: bytes) -> bytes:
    return xxhash.xxh3_128_digest(b"".join(parts))


def words(*tokens: int) -> bytes:
    return struct.pack(f"<{len(tokens)}I", *tokens)


# -- the tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tokens",
    [
        (0, 1, MAX_TOKEN_ID),
        [0, 1, MAX_TOKEN_ID],
        range(3),
        np.array([0, 1, MAX_TOKEN_ID], dtype=np.uint32),
        np.array([0, 1, MAX_TOKEN_ID], dtype=np.int64),
        np.array([0, 1, 255], dtype=np.uint8),
        np.array([0, 9, 1, 9, 2, 9], dtype=np.uint32)[::2],
        [np.uint32(7), np.int64(8)],
        np.array([], dtype=np.int64),
        (),
    ],
)
def test_whole_numbers_in_any_container_become_the_same_tokens(tokens: Any) -> None:
    assert list(token_array(tokens)) == [int(token) for token in tokens]


def test_the_callers_array_is_copied() -> None:
    tokens = np.array([1, 2, 3], dtype=np.uint32)
    taken = token_array(tokens)
    tokens[0] = 9
    assert list(taken) == [1, 2, 3]


@pytest.mark.parametrize(
    ("tokens", "place"),
    [
        ((1, -1), 1),
        ((1, 2, MAX_TOKEN_ID + 1), 2),
        ((1.0, 2), 0),
        ((1, 2.5), 1),
        ((1, True), 1),
        ((np.uint32(7), -1), 1),
        ((False,), 0),
        ((1, None), 1),
        ((1, "2"), 1),
        ("12", 0),
        (((1, 2),), 0),
        ((1, 2**70), 1),
        (np.array([1, 2.0]), 0),
        (np.array([1, -2]), 1),
        (np.array([0, 2**32], dtype=np.int64), 1),
        (np.array([3, 2**63], dtype=np.uint64), 1),
        (np.array([True, False]), 0),
        (np.array([[1, 2], [3, 4]], dtype=np.uint32), 0),
        ([1, np.bool_(True)], 1),
    ],
)
def test_anything_else_is_refused_with_its_place(tokens: Any, place: int) -> None:
    with pytest.raises(RequestError) as caught:
        token_array(tokens, "R7")
    error = caught.value
    assert error.code == "request.token"
    assert error.values["place"] == place + 1, "people count tokens from 1"
    assert error.values["request_id"] == "R7"
    for part in (f"Token {place + 1} of request R7", "whole number from 0 to 4294967295"):
        assert part in error.message


def test_tokens_are_little_endian_words() -> None:
    assert token_bytes(token_array((1, 258, MAX_TOKEN_ID))) == b"\1\0\0\0\2\1\0\0\xff\xff\xff\xff"


def test_split_cuts_into_blocks_and_a_tail() -> None:
    assert split((1, 2, 3, 4, 5), 2) == [(1, 2), (3, 4), (5,)]
    assert split((1, 2, 3, 4), 4) == [(1, 2, 3, 4)]
    assert split((), 4) == []


# -- the chain ----------------------------------------------------------------------------------------


def test_a_block_is_its_parent_its_tokens_and_its_extras() -> None:
    root = digest(b"broth/root/", words(2))
    assert root_hash(2) == root
    first = digest(root, words(1, 2))
    assert hash_chain((1, 2, 3, 4, 5), 2) == [first, digest(first, words(3, 4))]
    request = Request("a", (1, 2, 3, 4), salt="x")
    extra = b"\2\0\0\0" + b"\x0a\0\0\0cache_salt" + b"\1\0\0\0x"
    salted = digest(root, words(1, 2), extra)
    assert hash_chain((1, 2, 3, 4), 2, request=request) == [salted, digest(salted, words(3, 4))]


def test_only_full_blocks_have_an_identity() -> None:
    assert hash_chain((1, 2, 3), 4) == []
    assert len(hash_chain((1, 2, 3, 4), 4)) == 1
    assert len(hash_chain(range(11), 4)) == 2
    assert hash_chain((), 4) == []
    assert hash_chain(np.arange(8, dtype=np.uint32), 4) == hash_chain(range(8), 4)


def test_equal_tokens_behind_another_prefix_are_another_content() -> None:
    same_block_at_both_ends = hash_chain((1, 2, 1, 2), 2)
    assert len(set(same_block_at_both_ends)) == 2


def test_other_block_sizes_never_share_hashes() -> None:
    chains = [set(hash_chain((5,) * 12, size)) for size in (1, 2, 3, 4)]
    assert len(set().union(*chains)) == sum(len(chain) for chain in chains)


@pytest.mark.parametrize("hash_name", ["xxh3_128", "weak"])
def test_a_chain_grown_token_by_token_equals_one_made_at_once(hash_name: Any) -> None:
    tokens = tuple(range(3, 20))
    request = Request("a", tokens, lora=("a", "p"), mm=(MultiModalItem("i", 5, 9),))
    chain = HashChain(request, "v1", 3, hash_name)
    new = [chain.extend(token_array(tokens[:length])) for length in range(len(tokens) + 1)]
    assert new == [1 if length and length % 3 == 0 else 0 for length in range(len(tokens) + 1)]
    whole = hash_chain(tokens, 3, request=request, version="v1", hash_name=hash_name)
    assert chain.hashes == whole


# -- extras -------------------------------------------------------------------------------------------


def test_salt_and_version_stand_in_the_first_block_only() -> None:
    request = Request("a", (1,), salt="s")
    assert block_extras(request, "v", 0, 4) != b""
    assert block_extras(request, "v", 1, 4) == b""


def test_an_adapter_stands_in_every_block_with_name_and_path() -> None:
    one, other = Request("a", (1,), lora=("n", "p")), Request("a", (1,), lora=("n", "q"))
    for index in (0, 1, 5):
        assert block_extras(one, "", index, 4) != block_extras(other, "", index, 4) != b""


def test_an_image_stands_in_every_block_it_overlaps_and_in_no_other() -> None:
    request = Request("a", (1,), mm=(MultiModalItem("i", 6, 6),))  # tokens 6..11, block size 4: blocks 1, 2
    assert [block_extras(request, "", index, 4) != b"" for index in range(4)] == [False, True, True, False]
    assert block_extras(request, "", 1, 4) != block_extras(request, "", 2, 4)  # offset 2, then -2


def test_a_chain_has_each_blocks_extras_however_it_grows() -> None:
    images = tuple(MultiModalItem(*item) for item in (("x", 9, 4), ("i", 1, 2), ("i", 2, 9), ("far", 99, 9)))
    request = Request("a", tuple(range(20)), salt="s", lora=("n", "p"), mm=images)
    parent, wanted = root_hash(2), []
    for index in range(10):
        extras = block_extras(request, "v", index, 2)
        wanted.append(parent := digest(parent, words(2 * index, 2 * index + 1), extras))
    for pieces in ((20,), (1, 3, 4, 11, 20)):
        chain = HashChain(request, "v", 2, "xxh3_128")
        for length in pieces:
            chain.extend(token_array(range(length)))
        assert chain.hashes == wanted


def test_an_empty_salt_or_version_is_none() -> None:
    plain = Request("a", (1, 2))
    assert block_extras(Request("a", (1, 2), salt=""), "", 0, 2) == block_extras(plain, "", 0, 2) == b""


def test_a_salt_is_no_adapter_and_no_version() -> None:
    salted = block_extras(Request("a", (1,), salt="x"), "", 0, 4)
    versioned = block_extras(Request("a", (1,)), "x", 0, 4)
    adapted = block_extras(Request("a", (1,), lora=("x", "")), "", 0, 4)
    assert len({salted, versioned, adapted, b""}) == 4


def test_half_a_surrogate_pair_is_a_salt_like_any_other() -> None:
    assert block_extras(Request("a", (1,), salt="\ud83d"), "", 0, 4) != b""


# -- the weak hash ------------------------------------------------------------------------------------


def test_the_weak_hash_is_made_to_collide() -> None:
    # (0 * 31 + 10) mod 8 = 2 for both; then (2 * 31 + 5) mod 8 = 3.
    one, other = (
        hash_chain((1, 2, 3, 4, 5), 4, hash_name="weak"),
        hash_chain((4, 3, 2, 1), 4, hash_name="weak"),
    )
    assert one == other
    assert [weak_value(value) for value in one] == [2]
    both = hash_chain((1, 2, 3, 4, 5, 0, 0, 0), 4, hash_name="weak")
    assert [weak_value(value) for value in both] == [2, 3]
    assert all(len(value) == 16 for value in both)
