"""A log while it is told: the frame so far, the steps so far, and how one more step is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.engine import events as ev
from core.timeline.diagnose import MissReason
from core.timeline.event_log import EventLog
from core.timeline.frame import Frame, Patch

Step = dict[str, Any]

REQUEST_OPS = frozenset(
    ["arrive", "chain", "done", "preempt", "resume", "reject", "wait", "reset", "version", "policy", "tick"]
)
BLOCK_OPS = frozenset(
    ["match", "miss", "evict", "ttl", "alloc", "free", "append", "plan", "notstored", "collision"]
)


def level_of(op: str) -> str:
    """The coarsest step size that stops at this op."""
    return "request" if op in REQUEST_OPS else "block" if op in BLOCK_OPS else "micro"


def tag_of(digest: str) -> str:
    """The short tag on screen: the first four hex digits of a hash."""
    return digest[:4]


def or_dash(value: object) -> object:
    """For the screen: what is not set is a dash."""
    return "–" if value is None or value == "" else value


@dataclass
class Tally:
    """What the summary strip says when a request is done."""

    reused: int = 0
    computed: int = 0
    near: int = 0
    evicted: int = 0


@dataclass
class Telling:
    """Where a log stands while it is told.

    ``index``: the event that is told now; ``frame``: the state before it; ``pending``: patches that no step
    has carried yet; ``evicted_step``: the step, from 1, of each event that forgot a block, by its index.
    """

    log: EventLog
    piece_of: Mapping[int, str]
    frame: Frame
    reasons: Mapping[int, MissReason]
    steps: list[Step] = field(default_factory=list)
    index: int = 0
    pending: list[Patch] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    evicted_step: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.size = self.log.config.block_size
        self.ttl = self.log.config.ttl
        self.reason_ahead = _reasons_ahead(self.log, self.reasons)
        for rid, req in self.frame["reqs"].items():
            self.tallies[rid] = Tally(reused=req["hit"], computed=req["computed"] - req["hit"])

    def step(
        self,
        op: str,
        event: ev.Event,
        args: Mapping[str, object] | None = None,
        *,
        cap: str | None = None,
        carries: bool = True,
        **other: Any,
    ) -> None:
        """Add a step about what ``event`` names: request, block, slot, hash; ``other`` names them otherwise.

        ``carries``: it takes along everything that has changed since the last one.
        """
        names = {"rid": "request_id", "block": "index", "slot": "block_id", "digest": "hash"}
        where = {name: getattr(event, field, None) for name, field in names.items()} | other
        hash_text = None if where["digest"] is None else where["digest"].hex()
        tag = None if hash_text is None else tag_of(hash_text)
        words = {"req": where["rid"], "block": where["block"], "slot": where["slot"], "tag": tag}
        step: Step = {
            "i": len(self.steps),
            "ev": self.index,
            "op": op,
            "t": self.frame["clock"],
            "rid": where["rid"],
            "b": where["block"],
            "slot": where["slot"],
            "hash": hash_text,
            "tag": tag,
            "level": level_of(op),
            "cap": cap or op,
            "args": dict(args or {}) | _known(words),
            "patch": [],
        }
        if carries:
            step["patch"], self.pending = self.pending, []
        self.steps.append(_known(step))

    def is_first(self, op: str) -> bool:
        """Whether no step of this kind was told before: words are explained once."""
        return all(step["op"] != op for step in self.steps)

    def pieces(self, token_ids: tuple[int, ...]) -> list[str]:
        """The texts of some tokens; an id whose text nobody gave shows itself."""
        return [self.piece_of.get(token_id, str(token_id)) for token_id in token_ids]

    def num_answer(self, event: ev.BlockComputed) -> int:
        """How many of the tokens that are computed belong to the answer, not to the prompt."""
        end = event.index * self.size + event.fill
        num_prompt = self.frame["reqs"][event.request_id]["num_prompt"]
        return max(end - max(end - event.num_new, num_prompt), 0)

    def ends_here(self, event: ev.TokensAppended | ev.BlockHashed) -> bool:
        """Whether the answer ends with what was just appended: the request lets go of its blocks next."""
        for later in self.log.events[self.index + 1 :]:
            if not isinstance(later, ev.BlockHashed):
                return isinstance(later, ev.BlockReleased) and later.request_id == event.request_id
        return False

    def is_last_block(self, event: ev.BlockHashed) -> bool:
        """Whether a block is hashed that the end of the answer has filled: it will never be stored."""
        return self.frame["reqs"][event.request_id]["status"] == "running" and self.ends_here(event)

    def content(self, block_id: int) -> bytes | None:
        """The hash that a slot holds just now."""
        digest = self.frame["slots"][str(block_id)]["hash"]
        return None if digest is None else bytes.fromhex(digest)


Tell = Callable[[Telling, Any], None]
"""Adds the steps of one event."""

_LookUpEnd = ev.RequestAdmitted | ev.RequestBlocked | ev.RequestRefused


def _known(step: Step) -> Step:
    return {name: value for name, value in step.items() if value is not None}


def _reasons_ahead(log: EventLog, reasons: Mapping[int, MissReason]) -> dict[int, MissReason]:
    """For each BlockMissed, the reason that the end of its look-up brings."""
    ahead: dict[int, MissReason] = {}
    open_miss: dict[str, int] = {}
    for index, event in enumerate(log.events):
        if isinstance(event, ev.BlockMissed):
            open_miss[event.request_id] = index
        elif isinstance(event, _LookUpEnd) and event.request_id in open_miss:
            ahead[open_miss.pop(event.request_id)] = reasons[index]
    return ahead
