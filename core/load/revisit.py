"""Any request of a long run, on the stage: its neighbourhood again, this time with block events.

The run is repeated from the last mark before it, without block events, which gives exactly the same
state; there a frame is taken, and from there on everything is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from core.cost import StepWork
from core.engine.events import Event, RequestAdmitted
from core.errors import RequestError
from core.load.prompts import Arrival
from core.load.run import Knob, LoadRun, apply_knob, copy_server
from core.load.server import Server
from core.timeline.event_log import EventLog
from core.timeline.frame import Frame
from core.timeline.snapshot import take_frame
from core.types import RequestId

MOST_EVENTS = 6000


@dataclass(frozen=True, slots=True)
class Moment:
    """A piece of the run: ``log`` begins where the state is ``frame``.

    ``event`` is the index in the log at which the request is admitted (its first admission in this
    piece), ``pieces`` the text of every token of all requests that occur. The log may end before the
    request is over, because it would have become too long.
    """

    request_id: RequestId
    at_s: float
    frame: Frame
    log: EventLog
    event: int
    pieces: dict[RequestId, list[str]]


def scenario_around(
    run: LoadRun, request_id: RequestId, before: int = 3, after: int = 3, most_events: int = MOST_EVENTS
) -> Moment:
    """The neighbourhood of a request: from the submission of the one ``before`` places ahead of it until the
    request is over and the one ``after`` places behind it is admitted, or until about ``most_events`` events
    are told (but never before the request's first admission). Changes nothing in the run.

    Raises:
        RequestError: no such request, or it has not been admitted yet.
    """
    number = _number(run, request_id)
    order = run.records.cached.order()
    place = int(np.flatnonzero(order == number)[0])
    server = _server_before(run, int(run.records.cached.turn[order[max(place - before, 0)]]))
    piece = _Piece(server, number, set(order[: min(place + after, len(order) - 1)].tolist()))
    while not piece.is_complete and not (piece.event is not None and len(piece.events) >= most_events):
        if _next_is_restart(run, server):
            if piece.is_over:
                break
            _apply_due(run, server)
            piece.begin()
        _apply_due(run, server)
        server.turn()
    assert piece.event is not None
    log = EventLog(piece.config, tuple(piece.events))
    return Moment(request_id, piece.at_s, piece.frame, log, piece.event, piece.pieces)


class _Piece:
    """Listens to the repeated run and keeps what belongs to the moment."""

    def __init__(self, server: Server, number: int, before_last: set[int]) -> None:
        self._server = server
        self._number = number
        self._before_last = before_last  # who came before the last neighbour
        self.is_over = False
        self._saw_last = number not in before_last
        self.pieces = {name: live.arrival.pieces() for name, live in server.live.items()}
        server.listener = self
        self.begin()

    def begin(self) -> None:
        """The log starts here (anew, if the engine was replaced)."""
        engine = self._server.engine
        self.at_s = self._server.now_s
        self.config = engine.config
        self.frame = take_frame(engine)
        self.events: list[Event] = []
        self.event: int | None = None
        self._server.listen_to_blocks(self.events.append)

    @property
    def is_complete(self) -> bool:
        """The request is over and the last of its neighbours is in."""
        return self.is_over and self._saw_last and self.event is not None

    def submitted(self, arrival: Arrival, turn: int) -> None:
        """Remember the texts."""
        self.pieces[arrival.request_id] = arrival.pieces()

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        """Remember where the request was admitted, and whether the last neighbour is in."""
        if number == self._number and self.event is None:
            self.event = len(self.events) - 1
        self._saw_last = self._saw_last or number not in self._before_last

    def answered(self, number: int, at_s: float) -> None:
        """Nothing to do."""

    def finished(self, number: int, at_s: float) -> None:
        """The request is over."""
        self.is_over = self.is_over or number == self._number

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        """Nothing to do."""


def _number(run: LoadRun, request_id: RequestId) -> int:
    digits = request_id[1:]
    number = int(digits) if request_id[:1] == "R" and digits.isascii() and digits.isdigit() else -1
    if not 0 <= number < run.records.reach or run.records.cached.hit[number] < 0:
        message = (
            f"Request {request_id} has not been admitted in this run. Let the run go on, or choose another."
        )
        raise RequestError("load.request", message, request_id=request_id)
    return number


def _server_before(run: LoadRun, turn: int) -> Server:
    """A server that stands just before its turn number ``turn``, knobs of that moment included."""
    marks = [mark for mark in run.marks if mark.num_turns <= turn]
    server = _twin(run, marks[-1] if marks else None)
    while server.num_turns < turn:
        _apply_due(run, server)
        server.turn()
    _apply_due(run, server)
    return server


def _due(run: LoadRun, server: Server) -> list[Knob]:
    """Knobs that were turned before the server's next turn and have not been turned here."""
    return [knob for knob in run.knobs[server.num_knobs :] if knob.turn <= server.num_turns]


def _next_is_restart(run: LoadRun, server: Server) -> bool:
    return any(knob.name == "block_size" for knob in _due(run, server))


def _apply_due(run: LoadRun, server: Server) -> None:
    for knob in _due(run, server):
        apply_knob(server, knob)


# -- a part that begins before a moment ---------------------------------------------------------------


def twin_at(run: LoadRun, before_s: float, look_back: int) -> Server:
    """A server that stands where so many requests fewer had come than at ``before_s``."""
    arrival_s = run.records.cached.arrival_s[: run.records.reach]
    goal = int((arrival_s <= before_s).sum()) - look_back
    marks = [mark for mark in run.marks if mark.num_taken <= goal]
    server = _twin(run, marks[-1] if marks else None)
    while server.num_taken < goal:
        _apply_due(run, server)
        server.turn()
    return server


def turn_as_then(run: LoadRun, server: Server, restarted: Callable[[], None]) -> Iterator[None]:
    """The turns of a twin, one by one, knobs included, until it stands where the run stands. ``restarted`` is
    called when the engine was replaced."""
    while server.num_turns < run.cached.num_turns:
        anew = _next_is_restart(run, server)
        _apply_due(run, server)
        if anew:
            restarted()
        server.turn()
        yield


def _twin(run: LoadRun, mark: Server | None) -> Server:
    server = run.new_server() if mark is None else copy_server(mark)
    for burst in run.bursts[server.stream.num_announced :]:
        server.stream.burst(burst)
    return server
