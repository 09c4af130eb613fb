"""Token ids from a short notation, for cases that people write by hand.

    S[0:16] u1[0:8] 10,11,198

`S[a:b]` is tokens a..b-1 of an endless stream called S: the same name and index is always the same token,
another name or index always another one. Plain numbers are token ids as they are. Spaces separate the parts.

Where the ids lie: literal ids stay below 2**30. Each stream owns a run of 2**19 ids above that; the name's
hash says which run. If two names of one scenario want the same run, the later one takes the next free run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import xxhash

from core.errors import ScenarioError

FIRST_STREAM_ID = 1 << 30
STREAM_LENGTH = 1 << 19
NUM_STREAMS = FIRST_STREAM_ID // STREAM_LENGTH  # all ids stay below 2**31 and fit a signed 32 bit integer

_RANGE = re.compile(r"([A-Za-z_][\w.\-]*)\[(\d+):(\d+)\]")
_LITERALS = re.compile(r"\d+(?:,\d+)*")


@dataclass
class TokenStreams:
    """The streams of one scenario."""

    _run_of: dict[str, int] = field(default_factory=dict)
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
            return self._stream(part, match[1], int(match[2]), int(match[3]))
        if _LITERALS.fullmatch(part):
            return [_literal(number) for number in part.split(",")]
        raise ScenarioError(
            "tokens.notation",
            f"token part {part!r} is not understood; write a range like S[0:16] or ids like 10,11",
            part=part,
        )

    def _stream(self, part: str, name: str, start: int, stop: int) -> list[int]:
        if not start <= stop <= STREAM_LENGTH:
            raise ScenarioError(
                "tokens.range",
                f"token range {part!r} must run forwards and end at {STREAM_LENGTH} at most",
                part=part,
            )
        first = FIRST_STREAM_ID + self._run(name) * STREAM_LENGTH
        return list(range(first + start, first + stop))

    def _run(self, name: str) -> int:
        if name not in self._run_of:
            self._run_of[name] = run = self._free_run(xxhash.xxh3_64_intdigest(name.encode()) % NUM_STREAMS)
            self._taken.add(run)
        return self._run_of[name]

    def _free_run(self, wanted: int) -> int:
        for step in range(NUM_STREAMS):
            if (run := (wanted + step) % NUM_STREAMS) not in self._taken:
                return run
        raise ScenarioError(
            "tokens.streams", f"one scenario can name {NUM_STREAMS} token streams at most", limit=NUM_STREAMS
        )


def _literal(number: str) -> int:
    if (token := int(number)) < FIRST_STREAM_ID:
        return token
    raise ScenarioError(
        "tokens.literal",
        f"token id {number} is too large; literal ids must be below {FIRST_STREAM_ID}",
        token=number,
    )
