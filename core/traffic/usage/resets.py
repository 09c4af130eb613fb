"""Turns that read less than they should have, and why: only what the log or the provider's rules show.

What should have been readable is what the conversation's turn before had read and stored, as far as this
prompt reaches. Less is a reset from a threshold on (`threshold`): the rounding of the provider's steps, and
the tail that an earlier breakpoint leaves out, are none. The causes:

* model: the conversation went on under a model that had not seen it.
* ttl: the pause was longer than the life of what is missing, known from the writes or the provider's rule.
* tools: the log shows the tools, and they changed.
* shrank: the prompt is shorter than what was stored, or its text leaves the stored one early.
* probably_idle: the pause is one after which this provider usually, but not surely, drops what is unused.
* unexplained: none of these. Never a guess; what the log shows about it stands in the values.

Two causes at once: the first in this order counts, the others stand in `also`.

A new text has to be written whatever was stored. So where the prompt changed, only what it kept of the old
one is written again: as much as the log's own text shows, else what the conversation is known to begin with
(`base`), and at most everything that is missing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.traces.model import TraceRequest
from core.traffic.usage.conversations import common_tokens, held_in
from core.traffic.usage.entries import Held, rounded
from core.traffic.usage.rules import Rules
from core.traffic.usage.turns import Cause, Reset, Turn

LEAST = 1024
"""Losing less of what was stored is no reset: hardly a provider stores shorter prefixes."""
SHORTEST = 512
"""Nor is a prompt that lacks less than the shortest prefix that any provider stores."""
TAIL_SHARE = 0.2
"""A turn that reads exactly up to an earlier breakpoint leaves a tail, up to this share of the whole."""

TOGETHER_S = 2.0
"""A prefix can be read once the answer to the one who writes it has begun: a little after it was sent."""
END_OF_MESSAGE = 8
"""Tokens that close a message: where a text grows inside it, they move."""

_NAME = re.compile(r'"name": ?"([^"]*)"')


def threshold(held: Held, read: int, rules: Rules, tail: bool = True) -> int:
    """Missing tokens up to which a turn that read so many is as it should be. `tail`: it may leave one."""
    least = max(rules.step, min(LEAST, held.readable // 2))
    at_breakpoint = any(abs(one.end - read) < max(rules.step, 2) for one in held.stretches[:-1])
    return max(least, int(TAIL_SHARE * held.readable)) if tail and at_breakpoint else least


def judged(turn: Turn, held: Held, rules: Rules, other_model: bool = False, base: int = 0) -> Turn:
    """The turn with what should have been readable, and the reset if it read less.

    `other_model`: the conversation goes on under a model that had not seen it. `base`: tokens with which all
    of its prompts are known to begin.
    """
    expected = min(held.readable, turn.total)
    missing, turn = expected - turn.read, replace(turn, expected=expected)
    if missing <= max(rules.step, SHORTEST):
        return turn
    over = held.alive_after(turn.pause_s) < held.readable
    least = threshold(held, turn.read, rules, tail=not over)
    if held.readable - turn.read <= least:
        return turn
    causes: list[Cause] = ["model"] if other_model else _causes(turn, held, least, rules)
    first, *others = causes or ["unexplained"]
    values = {"expected": expected, "read": turn.read, "missing": missing, "threshold": least, "also": others}
    values |= _evidence(first, turn, held, rules)
    most = max(min(missing, turn.written or turn.new), 0)
    again = most
    if "shrank" in (first, *others):
        again = min(most, max(_kept(turn, held, base) - turn.read, 0))
    return replace(turn, reset=Reset(first, again, most, values))


def _kept(turn: Turn, held: Held, base: int) -> int:
    """Tokens of the stored prompt that are known to stand in this one too."""
    before, now = held.turn.request, turn.request
    if not before.segments or not now.segments:
        return base
    return int(held_in(before, now) / max(before.num_tokens, 1) * held.turn.total)


def _evidence(cause: Cause, turn: Turn, held: Held, rules: Rules) -> dict[str, object]:
    """What a sentence about this cause has to name."""
    before, now = held.turn.request, turn.request
    if cause == "model":
        return {"before": before.model, "after": now.model}
    if cause == "shrank":
        return {"before": held.turn.total, "total": turn.total}
    if cause == "tools":
        old, new = _tools(before), _tools(now)
        gone, come = _names_beside(old, new), _names_beside(new, old)
        return {"before": len(old), "after": len(new), "removed": gone, "added": come}
    ttl_s, said = held.life_at(turn.read), held.lives_are_said
    life: dict[str, object] = {"pause_s": turn.pause_s, "ttl_s": ttl_s, "said": said}
    if cause == "probably_idle":
        return life | {"usual_s": rules.usual_s}
    return life if cause == "ttl" else life | _seen(turn, held, rules)


def _seen(turn: Turn, held: Held, rules: Rules) -> dict[str, object]:
    """What is known about a reset without a cause: no more than this may be said of it.

    `likely`: "together" if the turn came so soon that what was written could not be read yet; else
    "behind_changed" if it read exactly up to the end of an earlier turn's prompt (`stops_at`), so that what
    follows there is no longer the same. `shows`: what the log shows of the prompts. `marked`: the caller
    marks what is to be stored, and may have marked too far from what was.
    """
    before, now = held.turn.request, turn.request
    stops_at = held.turn_at(turn.read, rounded(rules)) if turn.read else 0
    together = turn.pause_s is not None and turn.pause_s <= TOGETHER_S
    shows = "prompts" if before.segments and now.segments else None
    if shows is None and before.has_identity and now.has_identity:
        shows = "blocks"
    return {
        "likely": "together" if together else "behind_changed" if stops_at else None,
        "stops_at": stops_at or None,
        "gap_s": turn.pause_s if together else None,
        "shows": shows,
        "model_named": before.model is not None and now.model is not None,
        "marked": not rules.automatic,
    }


def _causes(turn: Turn, held: Held, least: int, rules: Rules) -> list[Cause]:
    found: list[Cause] = []
    alive = held.alive_after(turn.pause_s)
    if alive < held.readable and turn.read >= alive - least:
        found.append("ttl")
    if tools_differ(held.turn.request, turn.request):
        found.append("tools")
    elif turn.total < held.readable or leaves_early(held, turn, least):
        found.append("shrank")
    usual = rules.usual_s
    if (
        usual is not None
        and turn.pause_s is not None
        and turn.pause_s > usual[0]
        and not held.lives_are_said
        and "ttl" not in found
    ):
        found.append("probably_idle")
    return found


def tools_differ(before: TraceRequest, now: TraceRequest) -> bool:
    """Whether the log shows both requests' tools, and they are not the same."""
    if not before.segments or not now.segments:
        return False
    return _tools(before) != _tools(now)


def _tools(request: TraceRequest) -> list[str]:
    """The tools that a request shows: each one's text, which begins differently for each."""
    return [one.text for one in request.segments if one.role == "tools" and one.text is not None]


def _names_beside(tools: list[str], others: list[str]) -> list[str]:
    """The names of those that the others lack."""
    return [_name(one) for one in tools if one not in others]


def _name(tool: str) -> str:
    found = _NAME.search(tool)
    return found[1] if found else tool


def leaves_early(held: Held, turn: Turn, least: int) -> bool:
    """Whether the prompts' own content shows that they differ before the end of what was stored.

    The log's tokens are another tokenizer's than the provider's, so places are compared as shares.
    """
    before, now = held.turn.request, turn.request
    if not before.has_identity or not now.has_identity:
        return False
    common = common_tokens(before, now)
    if before.num_tokens - common <= END_OF_MESSAGE:
        return False
    share = common / max(before.num_tokens, 1)
    return held.turn.total * share < held.readable - least
