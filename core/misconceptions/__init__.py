"""Twenty beliefs about prefix caches that are widespread and wrong, each with a demonstration on our engine.

story.py     what a belief and its demonstration are; runs written in the token notation
prompts.py   about one prompt and the next: what is equal, what changed, what is left
chats.py     about one turn of a conversation and the next
pool.py      about the pool: room, order of eviction, what stays, time to live, admission
sharing.py   about who shares: collisions, tenants, weights, requests at once, replicas
meaning.py   about words and numbers: rates, kinds of caches, decode, equal bits

A demonstration is a pure function of its knobs. It returns what the belief predicts and what the engine does.
"""

from collections.abc import Mapping
from types import MappingProxyType

from core.misconceptions import chats, meaning, pool, prompts, sharing
from core.misconceptions.story import Belief, Knob, Shown, Unit

BELIEFS: Mapping[str, Belief] = MappingProxyType(
    {
        belief.name: belief
        for belief in (
            prompts.CLOCK,
            prompts.FULL,
            prompts.ZERO,
            meaning.RATES,
            prompts.ANYWHERE,
            prompts.ALL,
            chats.TURNS,
            pool.SIZE,
            pool.LRU,
            pool.CLEARED,
            sharing.HASH,
            sharing.TENANTS,
            sharing.WEIGHTS,
            sharing.TOGETHER,
            meaning.DECODE,
            meaning.NAMES,
            pool.TTL,
            sharing.REPLICAS,
            pool.EVERYTHING,
            meaning.BITS,
        )
    }
)
"""By name, in the order of the chapter: the most widespread and the most expensive first."""

__all__ = ["BELIEFS", "Belief", "Knob", "Shown", "Unit"]
