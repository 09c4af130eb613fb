"""Whether what a log calls a session is one conversation: only then a turn is expected to read the one
before.

Agents' own transcripts are conversations. Elsewhere a session's name may be a user's, with questions that
have nothing to do with each other, or a trace of different calls. Where the log has text, most turns must
hold most of the messages before them; where it has none, most turns must read what was stored to its end,
or nearly all prompts grow a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.traces.model import TraceRequest
from core.traffic.usage.turns import Turn

TRANSCRIPTS = ("claude_code_transcript", "codex_rollout", "claude_code_blocks")
"""Formats whose sessions are conversations."""
APART = ("marker", "system", "tools", "developer")
MOST = 0.6
"""Share of the turns that have to go on with the one before."""
GROWTH = 0.5
"""A prompt that grows by no more than this may be the one before with something behind it."""
GROWING, ENOUGH = 0.85, 4
"""Share of such turns, and their least number, that no row of separate questions has by chance."""


def is_conversation(turns: Sequence[Turn], named: bool) -> bool:
    """Whether these turns, of a session with a name or of a log without sessions, go on with each other."""
    scopes: dict[tuple[str, str], list[Turn]] = {}
    for turn in turns:
        request = turn.request
        scopes.setdefault((request.branch or request.tag or "", request.model or ""), []).append(turn)
    pairs = [list(pairwise(one)) for one in scopes.values()]
    if all(turn.request.has_identity for turn in turns):
        told = [goes_on for one in pairs for goes_on in _by_content(one)]
        return sum(told) >= MOST * len(told)
    every = [pair for one in pairs for pair in one]
    if sum(_reads_on(before, now) for before, now in every) >= MOST * len(every):
        return True
    grown = sum(_reads_on(before, now) or _grows(before, now) for before, now in every)
    return named and len(every) >= ENOUGH and grown >= GROWING * len(every)


def _by_content(pairs: Sequence[tuple[Turn, Turn]]) -> list[bool]:
    """Of each pair, whether the second prompt holds most of the first, but for what all have in common."""
    parts = [content_of(before.request, now.request) for before, now in pairs]
    blocks = any(not before.request.segments for before, _ in pairs)
    base = min((held for held, _ in parts), default=0) if blocks else 0
    return [2 * (held - base) >= whole - base for held, whole in parts]


def _reads_on(before: Turn, now: Turn) -> bool:
    """Whether a turn read what was stored to its end, or further than the turn before.

    Separate questions behind one system prompt read the same number each time.
    """
    if not now.read or now.expected is None or now.reset is not None:
        return False
    return now.read > before.read or now.read == now.expected


def _grows(before: Turn, now: Turn) -> bool:
    return 0 <= now.total - before.total <= GROWTH * before.total


def content_of(before: TraceRequest, now: TraceRequest) -> tuple[int, int]:
    """Tokens of a prompt's messages that stand in the next one (of blocks: of the common start), and all.

    The system prompt, the tools and what frames a message are the same in separate questions too. The last
    message may have grown.
    """
    if not before.segments:
        return common_tokens(before, now), before.num_tokens
    there = {(one.role, one.text) for one in now.segments}
    said = [one for one in before.segments if one.role not in APART] or list(before.segments)
    held = sum(len(one.token_ids) for one in said if (one.role, one.text) in there)
    last = said[-1]
    grown = any(role == last.role and (text or "").startswith(last.text or " ") for role, text in there)
    if grown and (last.role, last.text) not in there:
        held += len(last.token_ids)
    return held, sum(len(one.token_ids) for one in said)


def held_in(before: TraceRequest, now: TraceRequest) -> int:
    """Tokens of a prompt that stand in another one: whole messages, wherever, or blocks from the start."""
    if not before.segments:
        return common_tokens(before, now)
    there = {(one.role, one.text) for one in now.segments}
    return sum(len(one.token_ids) for one in before.segments if (one.role, one.text) in there)


def common_tokens(before: TraceRequest, now: TraceRequest) -> int:
    """Tokens from the start that are equal in both prompts."""
    mine, theirs = now.tokens(), before.tokens()
    length = min(len(mine), len(theirs))
    differing = np.flatnonzero(mine[:length] != theirs[:length])
    return int(differing[0]) if len(differing) else length
