"""What requests are made of, whoever sends them and whenever.

A prompt is a row of segments. A segment is a piece of one endless text: the same name and place is always the
same token, so prompts share tokens exactly where they share segments from the first token on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.load.spec import KINDS, Kind, LoadSpec
from core.types import Request, RequestId

TOOL_SPREAD = 0.7
"""Of the logarithm of a tool's time: half of the pauses lie within a factor of 1.6 of the median."""

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
class Session:
    """A chat or a task that goes on: everything said so far, and how many turns are left."""

    number: int
    kind: Kind
    prefix: int
    said: tuple[Segment, ...]
    turns_left: int
    is_new: bool = True


class Library:
    """The popular texts of a stream and how often each is chosen. Never changes."""

    def __init__(self, spec: LoadSpec, max_tokens: int, dice: np.random.Generator) -> None:
        self.spec = spec
        self.max_tokens = max_tokens
        self.kinds = [kind for kind in KINDS if spec.mix.get(kind, 0) > 0]
        weights = np.array([spec.mix[kind] for kind in self.kinds])
        self.kind_steps = np.cumsum(weights / weights.sum())
        popularity = 1 / np.arange(1, spec.num_prefixes + 1) ** spec.zipf
        self.popularity = popularity / popularity.sum()
        self.rank_steps = np.cumsum(self.popularity)
        self.num_ids = 0
        self.prefixes: list[Segment] = []  # an arrival's ``prefix`` is an index here
        self.first_prefix: dict[Kind, int] = {}
        self._add(dice, "chat", spec.num_prefixes, spec.prefix_tokens)
        self._add(dice, "template", spec.num_prefixes, spec.prefix_tokens)
        self._add(dice, "rag", spec.num_prefixes, spec.document_tokens)
        self._add(dice, "system", 1, spec.prefix_tokens)
        self.instruction = self._text("instruction", max(spec.prefix_tokens // 8, 1))
        if "agent" in self.kinds:
            self._add(dice, "agent", spec.num_prefixes, spec.prefix_tokens)

    def __deepcopy__(self, memo: object) -> Library:
        return self

    def _add(self, dice: np.random.Generator, kind: Kind, count: int, mean: int) -> None:
        """The popular texts of one kind; their lengths lie within a quarter of the mean."""
        lengths = np.maximum(np.rint(mean * dice.uniform(0.75, 1.25, count)), 1)
        self.first_prefix[kind] = len(self.prefixes)
        self.prefixes += [self._text(f"{kind}{k + 1}", int(lengths[k])) for k in range(count)]

    def _text(self, name: str, length: int) -> Segment:
        self.num_ids += length
        return Segment(name, self.num_ids - length, 0, length)


@dataclass
class Writer:
    """Makes requests. ``dice`` decide; ``next_id`` is the first token id that occurs nowhere yet."""

    library: Library
    dice: np.random.Generator
    next_id: int

    def kind(self) -> Kind:
        """Of the next request, by the weights of the mix."""
        return self.library.kinds[_draw(self.library.kind_steps, self.dice)]

    def begin(self, number: int, kind: Kind) -> Session:
        """A new chat or task."""
        spec = self.library.spec
        prefix = self._pick(kind)
        turns = int(self.dice.geometric(1 / (spec.calls if kind == "agent" else spec.turns)))
        return Session(number, kind, prefix, (self.library.prefixes[prefix],), turns)

    def turn(self, number: int, at_s: float, session: Session) -> Arrival:
        """All that was said, and something new. The session has moved on then, and may be over."""
        spec, kind = self.library.spec, session.kind
        follows = kind == "agent" and not session.is_new
        name = "result" if follows else "task" if kind == "agent" else "turn"
        own = self._text(f"{name}{number}", self._length(spec.tool_tokens if follows else spec.own_tokens))
        arrival = self._arrival(number, at_s, kind, session.prefix, [*session.said, own])
        session.said = (*arrival.segments, arrival.output)
        session.is_new = False
        session.turns_left -= 1
        if sum(segment.length for segment in session.said) + spec.longest_new > self.library.max_tokens:
            session.turns_left = 0
        return arrival

    def single(self, number: int, at_s: float, kind: Kind) -> Arrival:
        """A request without a before and an after."""
        own = self._text(f"own{number}", self._length(self.library.spec.own_tokens))
        prefix, segments = self._segments(kind, own)
        return self._arrival(number, at_s, kind, prefix, segments)

    def pause_s(self, session: Session | None) -> float:
        """Until the same sender's next request: a tool's time while a task goes on, else somebody thinks."""
        spec = self.library.spec
        goes_on = session is not None and session.kind == "agent" and session.turns_left > 0
        if goes_on and self.dice.random() >= spec.ask_share:
            return spec.tool_s * float(np.exp(TOOL_SPREAD * self.dice.standard_normal()))
        return float(self.dice.exponential(spec.think_s)) if spec.think_s else 0.0

    # -- parts ----------------------------------------------------------------------------------------------

    def _text(self, name: str, length: int) -> Segment:
        """A new text: tokens that occur nowhere else."""
        base = self.next_id
        self.next_id += length
        return Segment(name, base, 0, length)

    def _length(self, mean: int) -> int:
        """A random length: gamma with shape 2, at least one token, at most four times the mean."""
        return int(min(max(round(self.dice.gamma(2.0, mean / 2)), 1), 4 * mean))

    def _pick(self, kind: Kind) -> int:
        """The index of a popular text, by Zipf's law."""
        return self.library.first_prefix[kind] + _draw(self.library.rank_steps, self.dice)

    def _segments(self, kind: Kind, own: Segment) -> tuple[int, list[Segment]]:
        if kind == "free":
            return -1, [own]
        if kind == "rag":
            return self._documents(own)
        prefix = self.library.first_prefix["system"] if kind == "system" else self._pick("template")
        text = self.library.prefixes[prefix]
        if kind != "template_early":
            return prefix, [text, own]
        head = min(EARLY_HEAD_TOKENS, text.length)
        return prefix, [text.part(0, head), own, text.part(head, text.length - head)]

    def _documents(self, own: Segment) -> tuple[int, list[Segment]]:
        """Instruction, then documents in the order in which they were retrieved, then the question."""
        library, num = self.library, self.library.spec.num_prefixes
        count = min(library.spec.documents, num)
        ranks = self.dice.choice(num, count, replace=False, p=library.popularity)
        found = [library.first_prefix["rag"] + int(rank) for rank in ranks]
        return found[0], [library.instruction, *(library.prefixes[place] for place in found), own]

    def _arrival(self, number: int, at_s: float, kind: Kind, prefix: int, segments: list[Segment]) -> Arrival:
        """Cut what is too long: the output to a quarter of the bound, then the prompt at its end."""
        most = self.library.max_tokens
        output = self._text(f"answer{number}", self._length(self.library.spec.output_tokens))
        output = output.part(0, max(min(output.length, most // 4), 1))
        room = most - output.length
        kept = []
        for segment in segments:
            length = min(segment.length, room)
            if length:
                kept.append(segment.part(0, length))
            room -= length
        return Arrival(number, at_s, kind, prefix, tuple(kept), output)


def _draw(steps: np.ndarray, dice: np.random.Generator) -> int:
    """An index, with the probabilities whose running sums are ``steps``."""
    return min(int(np.searchsorted(steps, dice.random(), side="right")), len(steps) - 1)
