"""The requests themselves: what each prompt is made of. Seeded; the same spec gives the same requests.

A prompt is a row of segments. A segment is a piece of one endless text: the same name and place is always the
same token, so prompts share tokens exactly where they share segments from the first token on.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from core.load.arrivals import Arrivals
from core.load.spec import KINDS, Burst, Kind, LoadSpec
from core.types import Request, RequestId

EARLY_HEAD_TOKENS = 16
"""Tokens of a template before a field that stands early."""


@dataclass(frozen=True, slots=True)
class Segment:
    """``length`` tokens of a text from place ``start`` on. ``base`` is the id of the text's token 0."""

    name: str
    base: int
    start: int
    length: int

    def ids(self) -> np.ndarray:
        """The token ids."""
        first = self.base + self.start
        return np.arange(first, first + self.length, dtype=np.uint32)

    def __deepcopy__(self, memo: object) -> Segment:
        return self  # never changes

    def pieces(self) -> list[str]:
        """A readable text for each token."""
        return [f" {self.name}.{place}" for place in range(self.start, self.start + self.length)]

    def part(self, start: int, length: int) -> Segment:
        """A piece of this segment."""
        return Segment(self.name, self.base, self.start + start, length)


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request of the stream. ``prefix``: index of the popular text it begins with (-1: none)."""

    number: int
    at_s: float
    kind: Kind
    prefix: int
    segments: tuple[Segment, ...]
    output: Segment

    def __deepcopy__(self, memo: object) -> Arrival:
        return self  # never changes

    @property
    def request_id(self) -> RequestId:
        """The id under which it is submitted."""
        return f"R{self.number}"

    @property
    def num_tokens(self) -> int:
        """Tokens of prompt and output."""
        return self.num_prompt + self.output.length

    @property
    def num_prompt(self) -> int:
        """Tokens of the prompt."""
        return sum(segment.length for segment in self.segments)

    def request(self) -> Request:
        """As the engine takes it."""
        prompt = np.concatenate([segment.ids() for segment in self.segments])
        return Request(self.request_id, prompt, self.output.ids())  # type: ignore[arg-type]

    def pieces(self) -> list[str]:
        """The text of every token, sampled ones behind the prompt."""
        return [piece for segment in (*self.segments, self.output) for piece in segment.pieces()]


@dataclass
class _Session:
    """A chat that goes on: everything said so far, and how many turns are left."""

    number: int
    prefix: int
    said: tuple[Segment, ...]
    turns_left: int


class RequestStream:
    """Requests in order of arrival. Each chat arrival continues the session that has waited longest since it
    was due, or opens a new one; so arrivals stay Poisson and nothing depends on how fast answers come."""

    def __init__(self, spec: LoadSpec, max_tokens: int) -> None:
        self._spec = spec
        self._max_tokens = max_tokens
        self._times = Arrivals(spec.seed, spec.rate, spec.bursts)
        self._dice = np.random.default_rng([spec.seed, 2])
        self._kinds = [kind for kind in KINDS if spec.mix.get(kind, 0) > 0]
        weights = np.array([spec.mix[kind] for kind in self._kinds])
        self._kind_steps = np.cumsum(weights / weights.sum())
        popularity = 1 / np.arange(1, spec.num_prefixes + 1) ** spec.zipf
        self._popularity = popularity / popularity.sum()
        self._rank_steps = np.cumsum(self._popularity)
        self._next_id = 0
        self.prefixes: list[Segment] = []  # the popular texts; an arrival's ``prefix`` is an index here
        self._first_prefix: dict[Kind, int] = {}
        self._make_texts("chat", spec.num_prefixes, spec.prefix_tokens)
        self._make_texts("template", spec.num_prefixes, spec.prefix_tokens)
        self._make_texts("rag", spec.num_prefixes, spec.document_tokens)
        self._make_texts("system", 1, spec.prefix_tokens)
        self._instruction = self._text("instruction", max(spec.prefix_tokens // 8, 1))
        self._sessions: list[tuple[float, int, _Session]] = []
        self._num_sessions = 0
        self.num_made = 0
        self.num_announced = 0  # bursts announced while the stream ran
        self._ahead: Arrival | None = None

    # -- reading -------------------------------------------------------------------------------------------

    def peek(self) -> Arrival | None:
        """The next request, without taking it; None after the last."""
        if self._ahead is None and self.num_made < self._spec.num_requests:
            self._ahead = self._make(self._times.next())
            self.num_made += 1
        return self._ahead

    def take(self) -> Arrival:
        """The next request."""
        arrival = self.peek()
        assert arrival is not None, "the stream has ended"
        self._ahead = None
        return arrival

    def burst(self, burst: Burst) -> None:
        """Announce a burst that begins after the request that ``peek`` shows."""
        self._times.add(burst)
        self.num_announced += 1

    # -- making ---------------------------------------------------------------------------------------------

    def _text(self, name: str, length: int) -> Segment:
        """A new text: tokens that occur nowhere else."""
        base = self._next_id
        self._next_id += length
        return Segment(name, base, 0, length)

    def _make_texts(self, kind: Kind, count: int, mean: int) -> None:
        """The popular texts of one kind; their lengths lie within a quarter of the mean."""
        lengths = np.maximum(np.rint(mean * self._dice.uniform(0.75, 1.25, count)), 1)
        self._first_prefix[kind] = len(self.prefixes)
        self.prefixes += [self._text(f"{kind}{k + 1}", int(lengths[k])) for k in range(count)]

    def _length(self, mean: int) -> int:
        """A random length: gamma with shape 2, at least one token, at most four times the mean."""
        return int(min(max(round(self._dice.gamma(2.0, mean / 2)), 1), 4 * mean))

    def _pick(self, kind: Kind) -> int:
        """The index of a popular text, by Zipf's law."""
        return self._first_prefix[kind] + _draw(self._rank_steps, self._dice)

    def _make(self, at_s: float) -> Arrival:
        kind = self._kinds[_draw(self._kind_steps, self._dice)]
        if kind == "chat":
            return self._chat(at_s)
        own = self._text(f"own{self.num_made}", self._length(self._spec.own_tokens))
        prefix, segments = self._segments(kind, own)
        return self._arrival(at_s, kind, prefix, segments)

    def _segments(self, kind: Kind, own: Segment) -> tuple[int, list[Segment]]:
        if kind == "free":
            return -1, [own]
        if kind == "rag":
            return self._documents(own)
        prefix = self._first_prefix["system"] if kind == "system" else self._pick("template")
        text = self.prefixes[prefix]
        if kind != "template_early":
            return prefix, [text, own]
        head = min(EARLY_HEAD_TOKENS, text.length)
        return prefix, [text.part(0, head), own, text.part(head, text.length - head)]

    def _documents(self, own: Segment) -> tuple[int, list[Segment]]:
        """Instruction, then documents in the order in which they were retrieved, then the question."""
        count = min(self._spec.documents, self._spec.num_prefixes)
        ranks = self._dice.choice(self._spec.num_prefixes, count, replace=False, p=self._popularity)
        found = [self._first_prefix["rag"] + int(rank) for rank in ranks]
        return found[0], [self._instruction, *(self.prefixes[place] for place in found), own]

    def _chat(self, at_s: float) -> Arrival:
        spec = self._spec
        if self._sessions and self._sessions[0][0] <= at_s:
            session = heapq.heappop(self._sessions)[2]
        else:
            prefix = self._pick("chat")
            turns = int(self._dice.geometric(1 / spec.turns))
            session = _Session(self._num_sessions, prefix, (self.prefixes[prefix],), turns)
            self._num_sessions += 1
        own = self._text(f"turn{self.num_made}", self._length(spec.own_tokens))
        arrival = self._arrival(at_s, "chat", session.prefix, [*session.said, own])
        session.said = (*arrival.segments, arrival.output)
        session.turns_left -= 1
        longest_next = sum(segment.length for segment in session.said) + 4 * (
            spec.own_tokens + spec.output_tokens
        )
        if session.turns_left > 0 and longest_next <= self._max_tokens:
            due = at_s + float(self._dice.exponential(spec.think_s)) if spec.think_s else at_s
            heapq.heappush(self._sessions, (due, session.number, session))
        return arrival

    def _arrival(self, at_s: float, kind: Kind, prefix: int, segments: list[Segment]) -> Arrival:
        """Cut what is too long: the output to a quarter of the bound, then the prompt at its end."""
        output = self._text(f"answer{self.num_made}", self._length(self._spec.output_tokens))
        output = output.part(0, max(min(output.length, self._max_tokens // 4), 1))
        room = self._max_tokens - output.length
        kept = []
        for segment in segments:
            length = min(segment.length, room)
            if length:
                kept.append(segment.part(0, length))
            room -= length
        return Arrival(self.num_made, at_s, kind, prefix, tuple(kept), output)


def _draw(steps: np.ndarray, dice: np.random.Generator) -> int:
    """An index, with the probabilities whose running sums are ``steps``."""
    return min(int(np.searchsorted(steps, dice.random(), side="right")), len(steps) - 1)
