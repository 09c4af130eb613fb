"""A seeded log of chats for benchmarks: lengths and sharing close to a published chat trace. Block ids only,
as such traces have them: the tokens of 100,000 such prompts would be more than a billion.

Each chat begins with one of a few system prompts and grows turn by turn; many end after the first. Chats
overlap in time as people's do.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from core.replay.block_chain import BlockChain, chain_of_ids

BLOCK_SIZE = 512


def chat_log(num_requests: int, seed: int = 0) -> list[BlockChain]:
    """``num_requests`` prompts in order of arrival, in blocks of 512 tokens, last ones not full."""
    dice = np.random.default_rng(seed)
    systems = [
        list(range(-100 * (number + 1), -100 * (number + 1) + size)) for number, size in enumerate((1, 2, 4))
    ]
    waiting: list[tuple[float, int, list[int]]] = []  # (arrival, chat, its blocks so far)
    chains: list[BlockChain] = []
    next_id, next_arrival, num_chats = 0, 0.0, 0
    while len(chains) < num_requests:
        if not waiting or waiting[0][0] > next_arrival:
            system = systems[int(dice.integers(len(systems)))]
            heappush(waiting, (next_arrival, num_chats, list(system)))
            num_chats += 1
            next_arrival += float(dice.exponential(0.5))
        now, chat, blocks = heappop(waiting)
        added = 1 + int(min(dice.lognormal(2.0, 1.1), 200))
        prompt = [*blocks, *range(next_id, next_id + added)]
        next_id += added
        num_tokens = (len(prompt) - 1) * BLOCK_SIZE + int(dice.integers(1, BLOCK_SIZE))
        chains.append(chain_of_ids(prompt, num_tokens, BLOCK_SIZE, arrival_s=now))
        if dice.random() < 0.45:
            # The answer fills up the last block, so the next turn keeps all but that one.
            heappush(waiting, (now + float(dice.exponential(90.0)), chat, prompt[:-1]))
    return chains
