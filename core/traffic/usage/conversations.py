"""Whether what a log calls a session is one conversation: only then a turn is expected to read the one
before.

Agents' own transcripts are conversations. Elsewhere a session's name may be a user's, with questions that
have nothing to do with each other, or a trace of different calls. Where the log has text, most turns must
hold most of the prompt before them; where it has none, most prompts must be read on or grow a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.traces.model import TraceRequest
from core.traffic.usage.turns import Turn

TRANSCRIPTS = ("claude_code_transcript", "codex_rollout", "claude_code_blocks")
"""Formats whose sessions are conversations."""
MOST = 0.6
"""Share of the turns that have to go on with the one before."""
GROWTH = 0.5
"""A prompt that grows by no more than this may be the one before with something behind it."""


def is_conversation(turns: Sequence[Turn], named: bool) -> bool:
    """Whether these turns, of a session with a name or of a log without sessions, go on with each other."""
    scopes: dict[tuple[str, str], list[Turn]] = {}
    for turn in turns:
        request = turn.request
        scopes.setdefault((request.branch or request.tag or "", request.model or ""), []).append(turn)
    told = [_goes_on(before, now, named) for one in scopes.values() for before, now in pairwise(one)]
    return sum(told) >= MOST * len(told)


def _goes_on(before: Turn, now: Turn, named: bool) -> bool:
    if before.request.has_identity and now.request.has_identity:
        return 2 * held_in(before.request, now.request) >= max(before.request.num_tokens, 1)
    if now.read and now.expected and now.reset is None:
        return True
    return named and 0 <= now.total - before.total <= GROWTH * before.total


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
