"""Made-up logs as large as real ones: no text, only which blocks of a prompt are the same.

In the form of Mooncake's traces: one JSON object a line, ``hash_ids`` names the prompt's blocks of 512
tokens, the last one perhaps not full. Made from a seed, and tuned to what is published of two real traces:
tests hold mean length and share of repeated tokens to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from core.scenario.workloads import Conversations, conversation_requests

LARGE_KINDS = ("conversations", "sessions")
BLOCK_TOKENS = 512
_ARRIVALS_PER_S = 3.3


def large_log(kind: str, seed: int = 7) -> str:
    """The file's text. The same kind and seed give the same bytes."""
    lines = _MAKERS[kind](seed)
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _conversations(seed: int) -> Iterator[dict[str, object]]:
    """A chat service: a third of the requests go on with what was said before."""
    dice = np.random.default_rng([seed, 1])
    name_of: dict[tuple[int, bytes], int] = {}
    now_s = 0.0
    for request in conversation_requests(Conversations(seed=seed, num_requests=2_000)):
        tokens = np.asarray(request.token_ids)
        names: list[int] = []
        for start in range(0, len(tokens), BLOCK_TOKENS):
            key = (names[-1] if names else -1, tokens[start : start + BLOCK_TOKENS].tobytes())
            names.append(name_of.setdefault(key, len(name_of)))
        now_s += float(dice.exponential(1 / _ARRIVALS_PER_S))
        yield _line(now_s, len(tokens), 1 + int(dice.gamma(2.0, 171)), names)


def _sessions(seed: int) -> Iterator[dict[str, object]]:
    """Coding agents: a long context, many short additions, pauses, a compaction when it grows too long."""
    dice = np.random.default_rng([seed, 2])
    fresh = iter(range(10**9))
    lines: list[tuple[float, str, int, int, list[int]]] = []
    for number in range(12):
        now_s = float(dice.uniform(0, 3600))
        head = int(dice.integers(18_000, 36_000))
        length, names = head, [next(fresh) for _ in range(-(-head // BLOCK_TOKENS))]
        for _ in range(int(dice.integers(36, 112))):
            answer = 1 + int(dice.gamma(1.5, 300))
            lines.append((now_s, f"session-{number}", length, answer, list(names)))
            kept, length = length, length + answer + int(dice.gamma(1.0, 3_300))
            if length > 240_000:
                kept, length = head, head + 12_000  # a summary takes the place of what was said
            del names[kept // BLOCK_TOKENS :]
            names += [next(fresh) for _ in range(-(-length // BLOCK_TOKENS) - len(names))]
            now_s += float(dice.exponential(25)) + (400 if dice.random() < 0.03 else 0)
    for now_s, session, length, answer, names in sorted(lines, key=lambda line: line[:2]):
        yield {**_line(now_s, length, answer, names), "session": session}


def _line(now_s: float, length: int, answer: int, names: list[int]) -> dict[str, object]:
    return {
        "timestamp": round(now_s * 1000),
        "input_length": length,
        "output_length": answer,
        "hash_ids": names,
    }


_MAKERS: Mapping[str, Callable[[int], Iterator[dict[str, object]]]] = MappingProxyType(
    {"conversations": _conversations, "sessions": _sessions}
)
