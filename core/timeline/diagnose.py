"""Why a request missed: one reason for its first unmatched block, read off the event log.

Read side; never on the hot path. The order of reasons is fixed:

1. ``last_token``    the block is full but holds the last token, which must be computed (rule 20)
2. ``not_full``      only a partial tail is left; it has no identity (rule 1)
3. ``not_admitted``  a policy kept this content out of the hash table
4. ``evicted``       it was cached once; ``event`` says which event dropped it
5. ``salt`` / ``version`` / ``extras``   the same tokens are cached under another salt, version or adapter
6. ``chain_broken``  a sibling under the same parent is cached and shares at least one token in place
7. ``never_seen``    nothing like it is cached

With a weak hash and the token check on, ``collision`` means: the hash is there, the tokens are others.
Requests that skip reading have the reason ``skip_read``; with caching off everybody has ``caching_off``.
``num_near`` counts the missed block's tokens that are equal, in place, to the nearest cached block under the
same parent, whatever the reason; where the block itself is cached (``last_token``) nothing is missing: 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Literal

from core.engine.events import (
    BlockEvicted,
    BlockHashed,
    BlockNotStored,
    BlockStored,
    CacheReset,
    Event,
    RequestAdmitted,
    RequestArrived,
    RequestBlocked,
    RequestRefused,
    RequestRehashed,
    TokensAppended,
)
from core.errors import EventLogError
from core.timeline.event_log import EventLog
from core.timeline.siblings import Siblings
from core.types import BlockHash, BlockId, RequestId

ReasonKind = Literal[
    "last_token",
    "not_full",
    "not_admitted",
    "evicted",
    "salt",
    "version",
    "extras",
    "chain_broken",
    "never_seen",
    "collision",
    "skip_read",
    "caching_off",
]
MISS_KINDS: tuple[ReasonKind, ...] = (
    "not_admitted",
    "evicted",
    "salt",
    "version",
    "extras",
    "chain_broken",
    "never_seen",
    "collision",
)
"""Reasons of a real miss: a full block was looked up and not found."""
Fate = Literal["cached", "not_admitted", "evicted", "other_world", "new"]
World = tuple[str | None, str, tuple[str, str] | None]
"""Salt, version and adapter: what keeps equal tokens apart."""


@dataclass(frozen=True, slots=True)
class MissReason:
    """Why block ``block`` (0-based) of a request, its first unmatched one, was not reused.

    ``event``: index in the log of the eviction (``evicted``). ``stored`` / ``mine``: tokens of the best
    cached sibling and of the missed block; ``first_diff``: place inside the block of the first token that
    differs; ``num_near``: equal tokens in place. ``num_tail``: tokens in the partial block (``not_full``).
    """

    request_id: RequestId
    kind: ReasonKind
    block: int
    event: int | None = None
    stored: tuple[int, ...] = ()
    mine: tuple[int, ...] = ()
    first_diff: int | None = None
    num_near: int = 0
    num_tail: int = 0
    best_request: RequestId | None = None


@dataclass
class _Content:
    """What is known of one hash: its tokens, parent, the world it belongs to, and its fate."""

    tokens: tuple[int, ...]
    parent: BlockHash | None
    world: World
    path: int  # stands for all tokens up to the block's end, whatever the world
    request_id: RequestId
    number: int  # of contents known before it
    carriers: dict[BlockId, tuple[tuple[int, ...], RequestId]] = field(default_factory=dict)
    """Blocks that carry it now, oldest first, with the tokens and the request they got it from: with a weak
    hash those may be others than ``tokens``."""
    evicted_at: int | None = None
    refused: bool = False


@dataclass
class _Known:
    """A request as far as the log has told."""

    tokens: list[int]
    arrived: RequestArrived
    version: str
    hashes: list[BlockHash] = field(default_factory=list)


def explain(log: EventLog) -> dict[int, MissReason]:
    """The reason for every look-up of a request in the log, by index of the event that ended it.

    That event is RequestAdmitted, RequestBlocked or RequestRefused. O(events + tokens that
    missed blocks have in common with cached siblings).

    Raises:
        EventLogError: the log was written without block events.
    """
    diagnosis = Diagnosis(log.config.block_size, log.config.enable_caching)
    reasons: dict[int, MissReason] = {}
    for index, event in enumerate(log.events):
        reason = diagnosis.take(index, event)
        if reason is not None:
            reasons[index] = reason
    return reasons


class Diagnosis:
    """Reads a log front to back and remembers every content's fate."""

    def __init__(self, block_size: int, enable_caching: bool) -> None:
        self._size = block_size
        self._caching = enable_caching
        self._requests: dict[RequestId, _Known] = {}
        self._contents: dict[BlockHash, _Content] = {}
        self._known: list[_Content] = []  # by number
        self._cached: dict[int, _Content] = {}  # by number too
        self._siblings: defaultdict[tuple[BlockHash | None, World], Siblings] = defaultdict(Siblings)
        # How many cached contents stand for a path: in all, under a salt, under a salt and a version.
        self._num_cached: Counter[tuple[int | str | None, ...]] = Counter()
        self._path_ids: dict[tuple[int, tuple[int, ...]], int] = {}

    def take(self, index: int, event: Event) -> MissReason | None:
        """Read event number ``index``; if it ends a look-up, why that went no further."""
        match event:
            case RequestArrived():
                self._requests[event.request_id] = _Known(list(event.token_ids), event, event.version)
            case TokensAppended():
                self._requests[event.request_id].tokens += event.token_ids
            case RequestRehashed():
                known = self._requests[event.request_id]
                known.version, known.hashes = event.version, []
            case BlockHashed():
                self._learn(event)
            case BlockStored():
                content = self._contents[event.hash]
                tokens = self._tokens(self._requests[event.request_id], event.index)
                if not content.carriers:
                    self._enter(content)
                content.carriers[event.block_id] = (tokens, event.request_id)
                content.refused = False
            case BlockNotStored():
                self._contents[event.hash].refused = True
            case BlockEvicted():
                content = self._contents[event.hash]
                del content.carriers[event.block_id]
                content.evicted_at = index
                if not content.carriers:
                    self._leave(content)
            case CacheReset(ok=True):
                for content in list(self._cached.values()):
                    content.carriers, content.evicted_at = {}, index
                    self._leave(content)
            case RequestAdmitted() | RequestBlocked() | RequestRefused():
                return self._reason(event.request_id, event.hit_tokens // self._size)
        return None

    def _enter(self, content: _Content) -> None:
        """A content that nobody carried is cached."""
        self._cached[content.number] = content
        self._siblings[content.parent, content.world].add(content.number, content.tokens)
        self._num_cached.update(_groups(content))

    def _leave(self, content: _Content) -> None:
        """Nobody carries a content any more."""
        del self._cached[content.number]
        self._siblings[content.parent, content.world].remove(content.number)
        self._num_cached.subtract(_groups(content))

    def fate(self, request_id: RequestId, block: int) -> tuple[Fate, int | None]:
        """What became, until now, of the content of a request's full block; and the event that evicted it.

        ``cached``: somebody carries it, reachable or not. As for reasons, with one order of precedence.
        """
        known = self._requests[request_id]
        digest = known.hashes[block]
        content, mine = self._contents[digest], self._tokens(known, block)
        if any(tokens == mine for tokens, _ in content.carriers.values()):
            return "cached", None
        if content.refused:
            return "not_admitted", None
        if content.evicted_at is not None:
            return "evicted", content.evicted_at
        return ("other_world" if self._other_world(content) else "new"), None

    def _learn(self, event: BlockHashed) -> None:
        known = self._requests[event.request_id]
        del known.hashes[event.index :]
        known.hashes.append(event.hash)
        if event.hash in self._contents:
            return
        tokens = self._tokens(known, event.index)
        parent_path = self._contents[event.parent_hash].path if event.parent_hash is not None else 0
        path = self._path_ids.setdefault((parent_path, tokens), len(self._path_ids) + 1)
        arrived = known.arrived
        world = (arrived.salt or None, known.version, arrived.lora)
        number = len(self._known)
        content = _Content(tokens, event.parent_hash, world, path, event.request_id, number)
        self._contents[event.hash] = content
        self._known.append(content)

    def _tokens(self, known: _Known, block: int) -> tuple[int, ...]:
        return tuple(known.tokens[block * self._size : (block + 1) * self._size])

    def _reason(self, request_id: RequestId, block: int) -> MissReason:
        known = self._requests[request_id]
        if not self._caching:
            return MissReason(request_id, "caching_off", block)
        if known.arrived.skip_read:
            return MissReason(request_id, "skip_read", block)
        if len(known.hashes) < len(known.tokens) // self._size:
            message = (
                "This event log was written without block events, so it does not tell why a request missed. "
                "Run its scenario again with block events."
            )
            raise EventLogError("log.no_block_events", message)
        left = len(known.tokens) - block * self._size
        if left < self._size:
            return MissReason(request_id, "not_full", block, num_tail=left)
        if left == self._size:
            return MissReason(request_id, "last_token", block, num_near=self._num_near(known, block))
        return self._miss(request_id, known, block)

    def _miss(self, request_id: RequestId, known: _Known, block: int) -> MissReason:
        digest = known.hashes[block]
        content, mine = self._contents[digest], self._tokens(known, block)
        if content.carriers:
            stored, best_request = next(iter(content.carriers.values()))
            return _told("collision", request_id, block, mine, stored, best_request)
        nearest = self._siblings[content.parent, content.world].nearest(content.tokens)
        sibling = None if nearest is None else self._known[nearest]
        kind: ReasonKind = "never_seen"
        if content.refused:
            kind = "not_admitted"
        elif content.evicted_at is not None:
            kind = "evicted"
        elif (other := self._other_world(content)) is not None:
            kind = other
        elif sibling is not None:
            kind = "chain_broken"
        event = content.evicted_at if kind == "evicted" else None
        if sibling is None:
            return MissReason(request_id, kind, block, event=event, mine=mine)
        return _told(kind, request_id, block, mine, sibling.tokens, sibling.request_id, event)

    def _num_near(self, known: _Known, block: int) -> int:
        """Tokens equal, in place, to the nearest cached sibling of a block that is not cached itself."""
        content, mine = self._contents[known.hashes[block]], self._tokens(known, block)
        if content.carriers:
            return 0
        nearest = self._siblings[content.parent, content.world].nearest(mine)
        stored = () if nearest is None else self._known[nearest].tokens
        return sum(a == b for a, b in zip(stored, mine, strict=False))

    def _other_world(self, content: _Content) -> ReasonKind | None:
        """Whether the same tokens, all of them from the first, are cached under another identity."""
        in_all, same_salt, same_version = (self._num_cached[group] for group in _groups(content))
        if in_all > same_salt:
            return "salt"
        if same_salt > same_version:
            return "version"
        return "extras" if same_version > bool(content.carriers) else None


def _groups(content: _Content) -> tuple[tuple[int | str | None, ...], ...]:
    """What a content counts for: all with its tokens, those of its salt, those of its version too."""
    path, (salt, version, _) = content.path, content.world
    return (path,), (path, salt), (path, salt, version)


def _told(
    kind: ReasonKind,
    request_id: RequestId,
    block: int,
    mine: tuple[int, ...],
    stored: tuple[int, ...],
    best_request: RequestId,
    event: int | None = None,
) -> MissReason:
    """A reason with the cached block that comes nearest."""
    same = [a == b for a, b in zip(stored, mine, strict=True)]
    first_diff, num_near = None if all(same) else same.index(False), sum(same)
    return MissReason(
        request_id, kind, block, event, stored, mine, first_diff, num_near, best_request=best_request
    )
