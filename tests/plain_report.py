"""The finish page's numbers once more, read off the event log in the plainest way that still is right.

No hash, no diagnosis, no report: content is the whole text up to a block's end, kept as a tuple of tokens.
Slow on long logs, and meant to be.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from core.engine import events as ev
from core.timeline.event_log import EventLog


class Content(NamedTuple):
    """All tokens up to a block's end, and what keeps equal ones apart: the world they are of (salt, version,
    adapter) and the images that reach into each block, with their places in it."""

    world: tuple[object, ...]
    images: tuple[object, ...]
    text: tuple[int, ...]


def prefill_seconds(num_new: int, num_cached: int) -> float:
    """The paper's formula for Llama-2-7B in 16 bit on one A100, every number written out."""
    layers, width, ffn, vocab = 32, 4096, 11008, 32000
    met = layers * (4 * width**2 + 3 * width * ffn)  # weights that each token meets
    read = 2 * (met + vocab * width)  # bytes read per pass, the output layer with them
    pairs = num_new * num_cached + num_new * (num_new + 1) / 2
    linear = 2 * met * num_new / (0.70 * 312e12)
    attention = 4 * layers * width * pairs / (0.45 * 312e12)
    memory = (read + 524_288 * num_cached) / (0.90 * 2039e9)
    return 0.003 + linear + attention + memory


@dataclass
class Plain:
    """What was counted."""

    shares: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    prompt: int = 0
    hits: int = 0
    looked_up: int = 0
    recomputed: int = 0
    evicted: int = 0
    most_held: int = 0
    most_unshared: int = 0
    full_s: float = 0.0
    hit_s: float = 0.0
    prefill_s: float = 0.0
    acts: dict[tuple[int, str, str | None], list[object]] = field(
        default_factory=dict
    )  # first event, cost, who

    @property
    def computed(self) -> int:
        return self.prompt - self.hits + self.recomputed

    def worst(self) -> list[tuple[int, int, list[str]]]:
        """(first event, tokens computed again, by whom) of the five dearest acts."""
        return [(first, cost, who) for first, cost, who, _, _ in self.dearest()]

    def dearest(self) -> list[tuple[int, int, list[str], str, str | None]]:
        """The same with the cause and the request it was for."""
        paid = [(*told, cause, taker) for (_, cause, taker), told in self.acts.items() if told[1]]
        return sorted(paid, key=lambda act: (-act[1], act[0]))[:5]  # type: ignore[return-value]


class _Walk:
    def __init__(self, log: EventLog) -> None:
        self.size, self.caching = log.config.block_size, log.config.enable_caching
        self.tokens: dict[str, list[int]] = {}
        self.arrived: dict[str, ev.RequestArrived] = {}
        self.version: dict[str, str] = {}
        self.in_slot: dict[int, Content] = {}
        self.forgotten: dict[Content, int] = {}
        self.kept_out: set[Content] = set()
        self.refs: dict[int, int] = {}
        self.command, self.taker = 0, None
        self.act_of: dict[int, tuple[int, str, str | None]] = {}
        self.out = Plain()

    def content(self, rid: str, block: int) -> Content:
        who, size = self.arrived[rid], self.size
        images = tuple(
            tuple(
                (item, at - start) for item, at, length in who.mm if at < start + size and at + length > start
            )
            for start in range(0, (block + 1) * size, size)
        )
        text = tuple(self.tokens[rid][: (block + 1) * size])
        return Content((who.salt or None, self.version[rid], who.lora), images, text)

    def take(self, index: int, event: ev.Event) -> None:
        match event:
            case ev.ClockAdvanced():
                self.command, self.taker = index, None
            case ev.RequestArrived():
                self.tokens[event.request_id] = list(event.token_ids)
                self.arrived[event.request_id] = event
                self.version[event.request_id] = event.version
            case ev.RequestRehashed():
                self.version[event.request_id] = event.version
            case ev.TokensAppended():
                self.tokens[event.request_id] += event.token_ids
            case ev.RequestScheduled():
                self.taker = event.request_id
            case ev.RequestAdmitted():
                self.taker = event.request_id
                self.admit(event)
            case ev.BlockStored():
                content = self.content(event.request_id, event.index)
                self.in_slot[event.block_id] = content
                self.kept_out.discard(content)
            case ev.BlockNotStored():
                self.kept_out.add(self.content(event.request_id, event.index))
            case ev.BlockEvicted():
                self.forget(index, [event.block_id], event.cause)
            case ev.CacheReset(ok=True):
                self.forget(index, list(self.in_slot), "reset")
            case ev.BlockTouched() | ev.BlockReleased():
                self.hold(event.block_id, event.ref_count)
            case ev.BlockAllocated():
                self.hold(event.block_id, 1)

    def forget(self, index: int, slots: list[int], cause: str) -> None:
        for slot in slots:
            self.forgotten[self.in_slot.pop(slot)] = index
            self.out.evicted += 1
        act = (self.command, cause, None if cause == "reset" else self.taker)
        self.out.acts.setdefault(act, [index, 0, []])
        self.act_of[index] = act

    def hold(self, slot: int, count: int) -> None:
        self.refs[slot] = count
        self.out.most_held = max(self.out.most_held, sum(one > 0 for one in self.refs.values()))
        self.out.most_unshared = max(self.out.most_unshared, sum(self.refs.values()))

    def admit(self, event: ev.RequestAdmitted) -> None:
        out, num, hit = self.out, event.num_tokens, event.hit_tokens
        out.prefill_s += prefill_seconds(num - hit, hit)
        if event.resumed:
            out.recomputed += num - hit
            return
        out.requests += 1
        out.prompt += num
        out.hits += hit
        out.looked_up += num if event.looked_up else 0
        out.full_s += prefill_seconds(num, 0)
        out.hit_s += prefill_seconds(num - hit, hit)
        out.shares["reused"] += hit
        out.shares["tail"] += num % self.size
        first, full = hit // self.size, num // self.size
        if not event.looked_up:
            out.shares["not_read"] += (full - first) * self.size
            return
        self.explain(event.request_id, first, full, num)

    def explain(self, rid: str, first: int, full: int, num: int) -> None:
        reason, cost_of = "new", None
        for block in range(first, full):
            content = self.content(rid, block)
            why, event = self.fate(content)
            if block == first:
                if why == "cached":
                    assert (block + 1) * self.size == num, (
                        "only the last token keeps a cached block from hitting"
                    )
                    self.out.shares["last_token"] += self.size
                    continue
                reason, cost_of = why, event
                if why == "new":  # whether it holds the last token or not
                    near = self.equal_tokens(content)
                    self.out.shares["near_miss"] += near
                    self.out.shares["new"] -= near
            elif why == "cached":
                why, event = reason, cost_of
            self.out.shares[why] += self.size
            if event is not None:
                act = self.out.acts[self.act_of[event]]
                act[1] += self.size  # type: ignore[operator]
                if rid not in act[2]:  # type: ignore[operator]
                    act[2].append(rid)  # type: ignore[attr-defined]

    def fate(self, content: Content) -> tuple[str, int | None]:
        cached = set(self.in_slot.values())
        if content in cached:
            return "cached", None
        if content in self.kept_out:
            return "not_admitted", None
        if content in self.forgotten:
            return "evicted", self.forgotten[content]
        return ("other_world" if any(other.text == content.text for other in cached) else "new"), None

    def equal_tokens(self, content: Content) -> int:
        """Tokens equal in place to the nearest cached block behind the same text, in the same world."""
        before, mine = content.text[: -self.size], content.text[-self.size :]
        others = [
            other.text[-self.size :]
            for other in self.in_slot.values()
            if (other.world, other.images[:-1]) == (content.world, content.images[:-1])
            and other.text[: -self.size] == before
        ]
        return max((sum(a == b for a, b in zip(mine, other, strict=True)) for other in others), default=0)


def plain_report(log: EventLog) -> Plain:
    walk = _Walk(log)
    for index, event in enumerate(log.events):
        walk.take(index, event)
    return walk.out
