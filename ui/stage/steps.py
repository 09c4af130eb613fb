"""From the engine's event log to the steps of the stage: ops, captions' arguments, patches.

The engine's events are the vocabulary; a step is what a person sees at one key press. Some events become
two steps (an arrival is read out, then cut), some none: what they change travels with the next step.
Pure: same log, same steps. The stage itself only draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import Any

from core.engine import events as ev
from core.timeline.diagnose import MissReason, explain
from core.timeline.event_log import EventLog
from core.timeline.fold import patches
from core.timeline.frame import Frame, Patch, change, initial_frame

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


def _or_dash(value: object) -> object:
    return "–" if value is None or value == "" else value


def stage_steps(
    log: EventLog,
    piece_of: Mapping[int, str],
    start: Frame | None = None,
    reasons: Mapping[int, MissReason] | None = None,
) -> list[Step]:
    """All steps of a run. ``piece_of``: the text of each token id, for token diffs and decode captions.

    A piece of a longer run begins at the frame ``start``; its log alone cannot tell why somebody missed, so
    whoever cut it out brings the ``reasons``.
    """
    builder = _Builder(log, piece_of, deepcopy(start or initial_frame(log.config)), reasons or explain(log))
    for index, event in enumerate(log.events):
        builder.take(index, event)
    return builder.finish()


@dataclass
class _Tally:
    """What the summary strip says when a request is done."""

    reused: int = 0
    computed: int = 0
    near: int = 0
    evicted: int = 0


@dataclass
class _Builder:
    """Walks through a log, folding as it goes; collects steps and the patches no step has carried yet."""

    log: EventLog
    piece_of: Mapping[int, str]
    frame: Frame
    reasons: Mapping[int, MissReason]
    steps: list[Step] = field(default_factory=list)
    index: int = 0
    pending: list[Patch] = field(default_factory=list)
    tallies: dict[str, _Tally] = field(default_factory=dict)
    evicted_step: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.size = self.log.config.block_size
        self.ttl = self.log.config.ttl
        for rid, req in self.frame["reqs"].items():
            self.tallies[rid] = _Tally(reused=req["hit"], computed=req["computed"] - req["hit"])
        self.reason_ahead = _reasons_ahead(self.log, self.reasons)
        self.silent = _repeated_look_ups(self.log)

    def take(self, index: int, event: ev.Event) -> None:
        """One event: fold it, and turn it into steps."""
        self.index = index
        changes = patches(self.frame, event)
        self.pending += patches(self.frame, event)  # made twice: the frame goes on changing what it is given
        if index not in self.silent:
            self._show(event)
        change(self.frame, changes)

    def finish(self) -> list[Step]:
        """All steps; changes after the last one join it, so that the last frame is the engine's state."""
        if self.pending and self.steps:
            self.steps[-1]["patch"] += self.pending
        return self.steps

    def _step(
        self,
        op: str,
        args: Step | None = None,
        *,
        cap: str | None = None,
        rid: str | None = None,
        block: int | None = None,
        slot: int | None = None,
        digest: bytes | None = None,
        carries: bool = True,
    ) -> None:
        """Add a step. ``carries``: it takes along everything that has changed since the last one."""
        hash_text = None if digest is None else digest.hex()
        words: Step = dict(args or {})
        if rid is not None:
            words["req"] = rid
        if block is not None:
            words["block"] = block
        if slot is not None:
            words["slot"] = slot
        if hash_text is not None:
            words["tag"] = tag_of(hash_text)
        step: Step = {
            "i": len(self.steps),
            "ev": self.index,
            "op": op,
            "t": self.frame["clock"],
            "rid": rid,
            "b": block,
            "slot": slot,
            "hash": hash_text,
            "tag": words.get("tag"),
            "level": level_of(op),
            "cap": cap or op,
            "args": words,
            "patch": [],
        }
        if carries:
            step["patch"], self.pending = self.pending, []
        self.steps.append({name: value for name, value in step.items() if value is not None})

    # -- one handler per event that people see ------------------------------------------------------

    @singledispatchmethod
    def _show(self, event: ev.Event) -> None:
        """Events without a step of their own: their changes travel with the next one."""

    @_show.register
    def _(self, event: ev.ClockAdvanced) -> None:
        if event.waited:
            self._step("tick", {"n": event.clock - self.frame["clock"], "clock": event.clock})

    @_show.register
    def _(self, event: ev.RequestArrived) -> None:
        rid, num_tokens = event.request_id, len(event.token_ids)
        self.tallies[rid] = _Tally()
        self._step("arrive", {"n": num_tokens}, rid=rid)
        full, rest = divmod(num_tokens, self.size)
        args = {"n": num_tokens, "size": self.size, "full": full, "rest": rest}
        self._step("cut", args, rid=rid, block=full if rest else full - 1)

    @_show.register
    def _(self, event: ev.BlockHashed) -> None:
        args: Step = {"n": self.size}
        if event.parent_hash is not None:
            args["parent"] = tag_of(event.parent_hash.hex())
        cap = "hash.first" if event.parent_hash is None else "hash.next"
        self._step("hash", args, cap=cap, rid=event.request_id, block=event.index, digest=event.hash)

    @_show.register
    def _(self, event: ev.BlockHit) -> None:
        where: Step = {"rid": event.request_id, "block": event.index, "digest": event.hash}
        self._step("probe", carries=False, **where)
        self._step("match", {"n": self.size}, slot=event.block_id, **where)

    @_show.register
    def _(self, event: ev.BlockMissed) -> None:
        where: Step = {"rid": event.request_id, "block": event.index, "digest": event.hash}
        self._step("probe", carries=False, **where)
        reason = self.reason_ahead[self.index]
        before = reason.kind == "evicted" and reason.event is None  # in a part of the run that is not shown
        cap = "miss.evicted_before" if before else f"miss.{reason.kind}"
        self._step("miss", self._miss_args(reason), cap=cap, **where)

    def _miss_args(self, reason: MissReason) -> Step:
        version = _or_dash(self.frame["reqs"][reason.request_id]["version"])
        args: Step = {"reason": reason.kind, "near": reason.num_near, "version": version}
        if reason.event is not None:
            args["step"] = self.evicted_step[reason.event]
        if reason.first_diff is not None:
            args["token"] = reason.block * self.size + reason.first_diff + 1
            args["diff"] = {
                "block": reason.block,
                "stored": self._pieces(reason.stored),
                "mine": self._pieces(reason.mine),
                "first": reason.first_diff,
                "from": reason.best_request,
            }
        return args

    def _pieces(self, token_ids: tuple[int, ...]) -> list[str]:
        return [self.piece_of.get(token_id, str(token_id)) for token_id in token_ids]

    @_show.register
    def _(self, event: ev.HashCollision) -> None:
        where: Step = {"rid": event.request_id, "block": event.index, "digest": event.hash}
        self._step("collision", slot=event.block_id, **where)

    @_show.register
    def _(self, event: ev.RequestAdmitted) -> None:
        rid = event.request_id
        tally = self.tallies[rid]
        if event.resumed:
            args: Step = {"hit": event.hit_tokens, "n": event.num_scheduled}
            self._step("resume", args, rid=rid)
            return
        reason = self.reasons[self.index]
        tally.reused, tally.near = event.hit_tokens, reason.num_near
        cap = f"plan.{reason.kind}" if reason.kind in ("last_token", "not_full") else "plan.none"
        need = event.num_new_blocks
        reused = event.hit_tokens // self.size
        args = {"reused": reused, "hit": event.hit_tokens, "need": need, "n": event.num_scheduled}
        self._step("plan", args, cap=cap, rid=rid)

    @_show.register
    def _(self, event: ev.RequestBlocked) -> None:
        self._step("wait", {"need": event.num_needed, "free": event.num_free}, rid=event.request_id)

    @_show.register
    def _(self, event: ev.RequestRefused) -> None:
        self._step("reject", {"need": event.num_needed, "free": event.num_free}, rid=event.request_id)

    @_show.register
    def _(self, event: ev.BlockTouched) -> None:
        cap = "touch.free" if event.was_free else "touch.held"
        where: Step = {"rid": event.request_id, "block": event.index, "slot": event.block_id}
        self._step("touch", {"ref": event.ref_count}, cap=cap, digest=self._content(event.block_id), **where)

    def _content(self, block_id: int) -> bytes | None:
        digest = self.frame["slots"][str(block_id)]["hash"]
        return None if digest is None else bytes.fromhex(digest)

    @_show.register
    def _(self, event: ev.BlockEvicted) -> None:
        self.evicted_step[self.index] = len(self.steps) + 1
        where: Step = {"slot": event.block_id, "digest": event.hash}
        if event.cause == "ttl":
            self._step("ttl", {"ttl": self.ttl}, **where)
            return
        rid = self._evictor() if event.cause == "reused" else None
        if rid is not None:
            self.tallies[rid].evicted += 1
        self._step("evict", {"cause": event.cause}, cap=f"evict.{event.cause}", rid=rid, **where)

    def _evictor(self) -> str | None:
        """Who takes the block: the allocation right behind this eviction says so."""
        for event in self.log.events[self.index + 1 : self.index + 2]:
            if isinstance(event, ev.BlockAllocated):
                return event.request_id
        return None

    @_show.register
    def _(self, event: ev.BlockAllocated) -> None:
        self._step("alloc", rid=event.request_id, block=event.index, slot=event.block_id)

    @_show.register
    def _(self, event: ev.BlockStored) -> None:
        where: Step = {
            "rid": event.request_id,
            "block": event.index,
            "slot": event.block_id,
            "digest": event.hash,
        }
        self._step("register", **where)
        if event.duplicate_of is not None:
            self._step("dup", {"other": event.duplicate_of}, **where)

    @_show.register
    def _(self, event: ev.BlockNotStored) -> None:
        args = {"n": event.num_sightings, "threshold": event.threshold}
        where: Step = {"rid": event.request_id, "block": event.index, "digest": event.hash}
        self._step("notstored", args, cap=f"notstored.{event.cause}", **where)

    @_show.register
    def _(self, event: ev.BlockComputed) -> None:
        self.tallies[event.request_id].computed += event.num_new
        args = {"n": event.num_new, "fill": event.fill, "size": self.size}
        cap = "compute.part"
        if event.fill == self.size:  # full but without a tag (cache off, or kept out): nobody else can use it
            cap = "compute.full" if self._content(event.block_id) else "compute.alone"
        where: Step = {"rid": event.request_id, "block": event.index, "slot": event.block_id}
        self._step("compute", args, cap=cap, **where)

    @_show.register
    def _(self, event: ev.TokensAppended) -> None:
        rid = event.request_id
        block = (event.num_tokens - 1) // self.size
        word = "".join(self._pieces(event.token_ids)).strip()
        self._step("append", {"word": word, "n": len(event.token_ids)}, rid=rid, block=block)
        before = event.num_tokens - len(event.token_ids)
        for full in range(before // self.size, event.num_tokens // self.size):
            self._step("full", rid=rid, block=full, carries=False)

    @_show.register
    def _(self, event: ev.BlockReleased) -> None:
        args = {"ref": event.ref_count, "place": event.place}
        where: Step = {"rid": event.request_id, "block": event.index, "slot": event.block_id}
        digest = self._content(event.block_id)
        dirty = event.place == "back" and digest is None  # the older queue rule
        self._step("free", args, cap="free.dirty" if dirty else f"free.{event.place}", digest=digest, **where)

    @_show.register
    def _(self, event: ev.RequestFinished) -> None:
        rid, tally = event.request_id, self.tallies[event.request_id]
        prompt = self.frame["reqs"][rid]["num_prompt"]
        args = {
            "reused": tally.reused,
            "prompt": prompt,
            "computed": tally.computed,
            "near": tally.near,
            "evicted": tally.evicted,
        }
        self._step("done", args, cap="done.aborted" if event.aborted else "done.finished", rid=rid)

    @_show.register
    def _(self, event: ev.RequestPreempted) -> None:
        self._step("preempt", rid=event.request_id)

    @_show.register
    def _(self, event: ev.CacheReset) -> None:
        self.evicted_step[self.index] = len(self.steps) + 1
        self._step("reset", {"n": event.num_cleared}, cap="reset.ok" if event.ok else "reset.refused")

    @_show.register
    def _(self, event: ev.VersionChanged) -> None:
        self._step("version", {"version": _or_dash(event.version)})

    @_show.register
    def _(self, event: ev.PolicyChanged) -> None:
        if event.name == "ttl":
            self.ttl = None if event.value is None else int(event.value)
        self._step("policy", {"name": event.name, "value": _or_dash(event.value)}, cap=_policy_caption(event))


def _policy_caption(event: ev.PolicyChanged) -> str:
    """Each setting has its own sentence, and another one where it is off."""
    kind = event.value if event.name == "ttl_kind" else "none" if event.value is None else None
    return f"policy.{event.name}" + (f".{kind}" if kind else "")


_LookUpEnd = ev.RequestAdmitted | ev.RequestBlocked | ev.RequestRefused


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


def _repeated_look_ups(log: EventLog) -> set[int]:
    """Events of look-ups that end like the one before: a request that goes on waiting is told once.

    A waiting request is looked up again in every step; only the first refusal is a step on the stage.
    """
    silent: set[int] = set()
    waiting: dict[str, ev.RequestBlocked] = {}
    look_up: list[int] = []
    for index, event in enumerate(log.events):
        if isinstance(event, ev.BlockHit | ev.BlockMissed | ev.HashCollision):
            look_up.append(index)
            continue
        if isinstance(event, ev.RequestBlocked):
            before = waiting.get(event.request_id)
            if before is not None and before.hit_tokens == event.hit_tokens:
                silent.update([*look_up, index])
            waiting[event.request_id] = event
        elif isinstance(event, ev.RequestAdmitted | ev.RequestFinished):
            waiting.pop(event.request_id, None)
        look_up = []
    return silent
