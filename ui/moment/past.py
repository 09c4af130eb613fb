"""What had happened before a piece of a load run, as far as it explains the misses in it. Pure.

A reason such as "evicted" needs the past. Running it again with every block event would take as long as the
run itself; but who came before, and what each prompt was made of, the seeded stream tells at once, and what
was cached when the piece begins stands in its first frame. From both, events are written down that bring the
diagnosis to the same knowledge. What lies further back than ``LOOK_BACK`` requests counts as never seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from core.engine import events as ev
from core.engine.hash_chain import hash_chain
from core.load import Arrival, LoadRun, Moment
from core.timeline.diagnose import MissReason, explain
from core.timeline.event_log import EventLog
from core.types import BlockHash

LOOK_BACK = 300
_NOWHERE = -1  # the slot of blocks that are gone

Texts = dict[int, str]


def reasons_of(run: LoadRun, moment: Moment) -> tuple[dict[int, MissReason], Texts]:
    """Why each request of the piece missed, by index in its log; and the text of every token that occurs."""
    past = _Past(moment)
    for arrival in _arrivals_before(run, moment):
        past.take(arrival)
    past.settle(run.config.admit_after)
    events, offset = moment.log.events, len(past.events)
    places = _explainable(past.events, events)
    found = explain(EventLog(moment.log.config, (*past.events, *(events[place] for place in places))))
    reasons = {
        places[index - offset]: _moved(reason, offset, places)
        for index, reason in found.items()
        if index >= offset
    }
    return reasons, past.texts


def _moved(reason: MissReason, offset: int, places: list[int]) -> MissReason:
    """``event`` as an index in the piece; None if it lies before."""
    event = reason.event
    return replace(reason, event=None if event is None or event < offset else places[event - offset])


def _arrivals_before(run: LoadRun, moment: Moment) -> Iterator[Arrival]:
    """The requests that came before the piece: the last ones, and those that still run."""
    in_piece = {_number(e.request_id) for e in moment.log.events if isinstance(e, ev.RequestArrived)}
    order: list[int] = run.records.cached.order().tolist()
    place = next((place for place, number in enumerate(order) if number in in_piece), len(order))
    wanted = set(order[max(place - LOOK_BACK, 0) : place])
    running = {_number(name) for name in moment.frame["reqs"]}
    wanted |= running & set(order[:place])
    found: dict[int, Arrival] = {}
    for arrival in islice(run.contents(), max(wanted, default=-1) + 1):
        if arrival.number in wanted:
            found[arrival.number] = arrival
    yield from (found[number] for number in order if number in found)


def _number(request_id: str) -> int:
    return int(request_id[1:])


@dataclass
class _Past:
    """Writes down arrivals and hashes; then who is cached where, and who no longer is."""

    moment: Moment
    events: list[ev.Event] = field(default_factory=list)
    texts: Texts = field(default_factory=dict)
    seen: dict[BlockHash, tuple[str, int, BlockHash | None]] = field(default_factory=dict)
    sightings: dict[BlockHash, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for event in self.moment.log.events:
            if isinstance(event, ev.RequestArrived):
                self.texts.update(zip(event.token_ids, self.moment.pieces[event.request_id], strict=False))
            elif isinstance(event, ev.TokensAppended):
                before = event.num_tokens - len(event.token_ids)
                words = self.moment.pieces[event.request_id][before : event.num_tokens]
                self.texts.update(zip(event.token_ids, words, strict=True))

    def take(self, arrival: Arrival) -> None:
        """One request of the past: all of it, or what a running one has so far."""
        tokens = [token for part in (*arrival.segments, arrival.output) for token in part.ids().tolist()]
        self.texts.update(zip(tokens, arrival.pieces(), strict=True))
        live = self.moment.frame["reqs"].get(arrival.request_id)
        tokens = tokens[: live["num_tokens"]] if live else tokens[:-1]  # the last token is never computed
        arrived = ev.RequestArrived(
            request_id=arrival.request_id,
            token_ids=tuple(tokens),
            num_outputs=0,
            salt=None,
            lora=None,
            version="",
            priority=0,
            skip_read=False,
            waiting_place=None,
        )
        self.events.append(arrived)
        parent: BlockHash | None = None
        for index, digest in enumerate(hash_chain(tokens, self.moment.log.config.block_size)):
            self.events.append(ev.BlockHashed(arrival.request_id, index, digest, parent))
            self.seen.setdefault(digest, (arrival.request_id, index, parent))
            self.sightings[digest] = self.sightings.get(digest, 0) + 1
            parent = digest

    def settle(self, admit_after: int) -> None:
        """What became of every content: cached now, gone, or never let in."""
        table: Mapping[str, list[int]] = self.moment.frame["table"]
        for digest, (rid, index, parent) in self.seen.items():
            slots = table.get(digest.hex(), [])
            for slot in slots or [_NOWHERE]:
                self.events.append(ev.BlockStored(rid, index, slot, digest, parent, None))
            if slots:
                continue
            self.events.append(ev.BlockEvicted(_NOWHERE, digest, "reused", False))
            if self.sightings[digest] < admit_after:
                self.events.append(ev.BlockNotStored(rid, index, digest, "sightings", 1, admit_after))


def _explainable(past: Sequence[ev.Event], events: Sequence[ev.Event]) -> list[int]:
    """Places of the events that can be understood: all but evictions of what is older than we look back."""
    carried = {(event.hash, event.block_id) for event in past if isinstance(event, ev.BlockStored)}
    places = []
    for place, event in enumerate(events):
        if isinstance(event, ev.BlockStored):
            carried.add((event.hash, event.block_id))
        if not isinstance(event, ev.BlockEvicted) or (event.hash, event.block_id) in carried:
            places.append(place)
    return places
