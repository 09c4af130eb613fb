"""What chapter 4 counts: tags of two prompts side by side, the race, collisions, a forced reuse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core.backends.decoders.numpy_prefill import NumpyBackend
from core.backends.experiments.breaks import BreakResult, break_and_reuse
from core.backends.spec import SIZES
from core.backends.weights import RandomSource, load_weights
from core.engine.engine import Engine
from core.engine.events import Event, HashCollision
from core.engine.hash_chain import hash_chain
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, HashName, Request

Verdict = Literal["hit", "last", "same_text", "new", "tail"]
_POOL = 4096  # blocks; more than any prompt typed here fills


def looked_up(first: Sequence[int], second: Sequence[int], config: EngineConfig) -> tuple[int, list[Event]]:
    """Compute the first prompt, then look the second one up: tokens hit, and what the look-up told."""
    told: list[Event] = []
    engine = Engine(config)
    engine.submit(Request("first", first))
    engine.run()
    engine.listen(told.append)
    return engine.lookup(Request("second", second)).hit, told


def tag_hit(first: Sequence[int], second: Sequence[int], block_size: int) -> int:
    """Tokens of the second prompt that hit after the first."""
    return looked_up(first, second, EngineConfig(block_size=block_size, num_blocks=_POOL))[0]


# -- two prompts, block by block -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockPair:
    """Block ``index`` of two prompts: its tokens' texts, its tags (None where it is not full), the verdict
    on the second prompt's block."""

    index: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    first_tag: str | None
    second_tag: str | None
    verdict: Verdict


def compare_blocks(first: Sequence[str], second: Sequence[str], block_size: int) -> list[BlockPair]:
    """Two prompts given as token texts, the first one cached: what becomes of the second one's blocks."""
    tokenizer = TeachingTokenizer()
    ids = [[tokenizer.encode(piece)[0] for piece in pieces] for pieces in (first, second)]
    tags = [[digest.hex()[:4] for digest in hash_chain(one, block_size)] for one in ids]
    num_hit = tag_hit(ids[0], ids[1], block_size) // block_size
    return list(_pairs(first, second, tags, num_hit, block_size))


def _pairs(
    first: Sequence[str], second: Sequence[str], tags: list[list[str]], num_hit: int, block_size: int
) -> Iterator[BlockPair]:
    for index in range(-(-max(len(first), len(second)) // block_size)):
        mine, other = (tuple(p[index * block_size : (index + 1) * block_size]) for p in (second, first))
        tag, other_tag = (one[index] if index < len(one) else None for one in (tags[1], tags[0]))
        verdict: Verdict = "new"
        if tag is None:
            verdict = "tail"
        elif index < num_hit:
            verdict = "hit"
        elif tag == other_tag:
            verdict = "last"
        elif mine == other:
            verdict = "same_text"
        yield BlockPair(index, other, mine, other_tag, tag, verdict)


def replace_token(pieces: Sequence[str], place: int, text: str) -> list[str]:
    """The prompt with token ``place`` replaced by a text, cut into tokens again; a word's space stays."""
    if pieces[place].startswith(" ") and text and not text.startswith(" "):
        text = " " + text
    return TeachingTokenizer().pieces("".join([*pieces[:place], text, *pieces[place + 1 :]]))


# -- the race ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Race:
    """Operations until it is known what of a prompt is stored."""

    compared: int
    hashed: int
    looked_up: int


def race(num_stored: int, length: int, shared: int, block_size: int) -> Race:
    """A prompt against ``num_stored`` stored prefixes that share its first ``shared`` tokens. Really counted:
    token by token until the first difference, and tag by tag until the first miss."""
    prompt = list(range(length))
    stored = [
        prompt[:shared] + [length * (j + 1) + i for i in range(length - shared)] for j in range(num_stored)
    ]
    compared = 0
    for other in stored:
        for mine, its in zip(prompt, other, strict=True):
            compared += 1
            if mine != its:
                break
    known = {tag for other in stored for tag in hash_chain(other, block_size)}
    num_looked_up = 0
    for tag in hash_chain(prompt, block_size):
        num_looked_up += 1
        if tag not in known:
            break
    return Race(compared, length, num_looked_up)


# -- collisions ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trial:
    """Two prompts under one hash: their first tags, tokens hit, whether those are the right ones, whether a
    collision was noticed."""

    tags: tuple[str, str]
    hit_tokens: int
    right: bool
    noticed: bool


def collide(first: str, second: str, block_size: int, hash_name: HashName, verify: bool) -> Trial:
    """The second prompt asks after the first one was computed."""
    tokenizer = TeachingTokenizer()
    one, other = tokenizer.encode(first), tokenizer.encode(second)
    config = EngineConfig(block_size=block_size, num_blocks=16, hash_name=hash_name, verify_tokens=verify)
    hit, told = looked_up(one, other, config)
    first_tag, second_tag = (_first_tag(ids, block_size, hash_name) for ids in (one, other))
    noticed = any(isinstance(event, HashCollision) for event in told)
    return Trial((first_tag, second_tag), hit, one[:hit] == other[:hit], noticed)


def _first_tag(token_ids: Sequence[int], block_size: int, hash_name: HashName) -> str:
    tags = hash_chain(token_ids, block_size, hash_name=hash_name)
    return tags[0].hex()[:4] if tags else "–"


def collision_chance(num_blocks: float, bits: int) -> float:
    """That any two of so many different blocks share a tag by accident, if tags are as good as dice."""
    return -math.expm1(-num_blocks * (num_blocks - 1) / 2 / 2**bits)


# -- reuse after a break -----------------------------------------------------------------------------------


@st.cache_data(show_spinner=False, max_entries=32)
def forced_reuse(seed: int) -> BreakResult:
    """A small decoder with random weights computes [other head][body], then is made to reuse the body's
    blocks behind another head of the same length."""
    spec = SIZES["S"]
    backend = NumpyBackend(spec, load_weights(spec, RandomSource(spec, seed), lambda numbers: numbers))
    head, other, body, tail = (range(seed + start, seed + start + size) for start, size in _PARTS)
    return break_and_reuse(backend, head, other, body, tail)


_PARTS = ((1000, 16), (2000, 16), (3000, 64), (200, 5))  # first token and length of head, other, body, tail
