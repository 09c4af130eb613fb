"""Token ids from a short notation, for cases that people write by hand.

    S[0:16] u1[0:8] 10,11,198

`S[a:b]` is tokens a..b-1 of an endless stream called S: the same name and index is always the same token,
another name or index always another one. Plain numbers are token ids as they are. Spaces separate the parts.

Where the ids lie: literal ids stay below 2**31. Above that, every run of 4096 tokens of a stream owns a run
of ids; a hash of name and run number says which. If two of one scenario want the same ids, the later one
takes the next free run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xxhash import xxh3_64_intdigest

from core.errors import ScenarioError
from core.texts import text_bytes
from core.types import MAX_TOKEN_ID

FIRST_STREAM_ID = 2**31
RUN_LENGTH = 4096
NUM_RUNS = (MAX_TOKEN_ID + 1 - FIRST_STREAM_ID) // RUN_LENGTH
MOST_TOKENS = 10**7
"""The longest range one part may ask for; a typing error must not fill the memory."""

_RANGE = re.compile(r"([A-Za-z_][\w.\-]*)\[(\d+):(\d+)\]")
_LITERALS = re.compile(r"\d+(?:,\d+)*")


@dataclass
class TokenStreams:
    """The streams of one scenario."""

    _places: dict[tuple[str, int], int] = field(default_factory=dict)
    _taken: set[int] = field(default_factory=set)

    def parse(self, text: str) -> tuple[int, ...]:
        """The token ids that `text` stands for."""
        tokens: list[int] = []
        for part in text.split():
            tokens.extend(self._part(part))
        return tuple(tokens)

    def pieces(self, text: str) -> tuple[str, ...]:
        """A readable text for each token of `text`: stream name and index, or the id itself."""
        pieces: list[str] = []
        for part in text.split():
            if match := _RANGE.fullmatch(part):
                pieces.extend(f" {match[1]}{index}" for index in range(int(match[2]), int(match[3])))
            else:
                pieces.extend(f" {number}" for number in part.split(","))
        return tuple(pieces)

    def _part(self, part: str) -> list[int]:
        if match := _RANGE.fullmatch(part):
            return self.take(match[1], int(match[2]), int(match[3]))
        if _LITERALS.fullmatch(part):
            return [_literal(number) for number in part.split(",")]
        message = f"token part {part!r} is not understood; write a range like S[0:16] or ids like 10,11"
        raise ScenarioError("tokens.notation", message, part=part)

    def take(self, name: str, start: int, stop: int) -> list[int]:
        """Tokens ``start`` … ``stop`` - 1 of a stream."""
        if not 0 <= stop - start <= MOST_TOKENS:
            part = f"{name}[{start}:{stop}]"
            message = f"token range {part!r} must run forwards, over {MOST_TOKENS} tokens at most"
            raise ScenarioError("tokens.range", message, part=part)
        tokens: list[int] = []
        while start < stop:
            number, offset = divmod(start, RUN_LENGTH)
            count = min(stop - start, RUN_LENGTH - offset)
            first = FIRST_STREAM_ID + self._place(name, number) * RUN_LENGTH + offset
            tokens.extend(range(first, first + count))
            start += count
        return tokens

    def _place(self, name: str, number: int) -> int:
        """Which run of ids stands for this run of the stream."""
        key = (name, number)
        if key not in self._places:
            self._places[key] = place = self._free_place(xxh3_64_intdigest(text_bytes(f"{name}[{number}]")))
            self._taken.add(place)
        return self._places[key]

    def _free_place(self, wanted: int) -> int:
        for step in range(NUM_RUNS):
            if (place := (wanted + step) % NUM_RUNS) not in self._taken:
                return place
        message = f"the scenario names more than {NUM_RUNS} runs of tokens; use fewer streams"
        raise ScenarioError("tokens.streams", message, limit=NUM_RUNS)


def _literal(number: str) -> int:
    if (token := int(number)) < FIRST_STREAM_ID:
        return token
    raise ScenarioError(
        "tokens.literal",
        f"token id {number} is too large; literal ids must be below {FIRST_STREAM_ID}",
        token=number,
    )
