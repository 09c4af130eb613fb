"""Where all prompt tokens went: reused, or computed, and then why. Every token is in exactly one share.

Per request, at its first admission, with n prompt tokens, block size B and a hit of h tokens. In order of
precedence; a token belongs to the first that fits:

- reused: the h tokens.
- tail: n mod B tokens behind the last full block. They have no identity and are never reused.
- not_read: full blocks of requests that did not look up (skipped reading, or caching off).
- last_token: the last full block, if it holds the last token, all before it is reused and its content *is*
  cached. Only the rule that one token must be computed keeps it from being reused.
- not_admitted: full blocks whose content a policy kept out.
- evicted: full blocks whose content was cached once and is not now.
- other_world: full blocks whose tokens are cached under another salt, version or adapter.
- near_miss: in the first block that was not reused: tokens equal, in place, to those of the nearest cached
  block under the same parent.
- new: all other tokens of full blocks.

What became of a block's content comes before its place in the prompt. So the block with the last token is a
near miss, or new, like any other where its content is not cached: computing it is no fault of the rule, and
tokens that are equal before one's eyes are told as equal.

A full block whose content *is* cached, but behind one that is not, cannot be reached: it counts with the
share of the first block that was not reused (never as a near miss). Admissions after a preemption are not
part of this; they are told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from core.engine.events import RequestAdmitted
from core.timeline.diagnose import Diagnosis, Fate, MissReason

Share = Literal[
    "reused",
    "new",
    "evicted",
    "near_miss",
    "last_token",
    "tail",
    "not_admitted",
    "other_world",
    "not_read",
]
SHARES: tuple[Share, ...] = get_args(Share)


_SHARE_OF: Mapping[Fate, Share] = MappingProxyType(
    {
        "cached": "new",
        "not_admitted": "not_admitted",
        "evicted": "evicted",
        "other_world": "other_world",
        "new": "new",
    }
)


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Prompt tokens by share; together they are all prompt tokens of admitted requests."""

    tokens: dict[Share, int]

    @property
    def total(self) -> int:
        """All prompt tokens."""
        return sum(self.tokens.values())

    def part(self, share: Share) -> float:
        """A share of all prompt tokens, from 0 to 1; of nothing, 0."""
        return self.tokens[share] / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Split:
    """The shares of one request, and the tokens each eviction (by event index) cost it."""

    tokens: dict[Share, int]
    lost: dict[int, int]


def split(admitted: RequestAdmitted, reason: MissReason, diagnosis: Diagnosis, block_size: int) -> Split:
    """Divide one request's prompt, at its first admission."""
    tokens: dict[Share, int] = dict.fromkeys(SHARES, 0)
    lost: dict[int, int] = {}
    num_full = admitted.num_tokens // block_size
    first = admitted.hit_tokens // block_size
    tokens["reused"] = admitted.hit_tokens
    tokens["tail"] = admitted.num_tokens % block_size
    if reason.kind in ("skip_read", "caching_off"):
        tokens["not_read"] = (num_full - first) * block_size
        return Split(tokens, lost)
    cause: Fate = "new"
    culprit: int | None = None
    for block in range(first, num_full):
        fate, eviction = diagnosis.fate(admitted.request_id, block)
        if block == first and fate == "cached":
            # Found, and yet not reused: it holds the last token (or its hash is shared by other tokens).
            tokens["last_token" if reason.kind == "last_token" else "new"] += block_size
            continue
        if block == first:
            cause, culprit = fate, eviction
        if fate == "cached":
            fate, eviction = cause, culprit
        tokens[_SHARE_OF[fate]] += block_size
        if eviction is not None:
            lost[eviction] = lost.get(eviction, 0) + block_size
    if cause == "new" and reason.kind != "collision":
        tokens["new"] -= reason.num_near
        tokens["near_miss"] = reason.num_near
    return Split(tokens, lost)
