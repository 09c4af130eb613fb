"""Under which cache a log is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import TraceError
from core.fields import is_whole
from core.replay.prefix_tree import PrefixTree, ticks_of
from core.traces.model import Trace

DEFAULT_BLOCK = 16
LARGEST_BLOCK = 4096
MOST_SLOTS = 10**9


@dataclass(frozen=True, slots=True)
class Settings:
    """``num_slots``: usable slots, None: room for everything. ``ttl_s``: idle time to live in seconds.
    ``in_flight``: so many requests hold their blocks at a time.

    Raises:
        TraceError: a value outside its range.
    """

    block_size: int = DEFAULT_BLOCK
    num_slots: int | None = None
    ttl_s: float | None = None
    in_flight: int = 1

    def __post_init__(self) -> None:
        _check("block_size", self.block_size, 1, LARGEST_BLOCK)
        _check("in_flight", self.in_flight, 1, 4096)
        if self.num_slots is not None:
            _check("num_slots", self.num_slots, 1, MOST_SLOTS)
        if self.ttl_s is not None and not 0 <= self.ttl_s < 1e9:
            raise _bad("ttl_s", self.ttl_s, "seconds from 0 up")

    @property
    def ttl(self) -> int | None:
        """The time to live in ticks."""
        return None if self.ttl_s is None else ticks_of(self.ttl_s)

    def slots_for(self, tree: PrefixTree) -> int:
        """Usable slots: those asked for, or so many that nothing is ever forgotten."""
        return room_for_all(tree, self.in_flight) if self.num_slots is None else self.num_slots


def room_for_all(tree: PrefixTree, in_flight: int = 1) -> int:
    """Slots with which nothing has to be forgotten: every different block, every copy of an aligned prompt's
    last block, and the running requests' own."""
    copies = sum(tree.is_aligned(request) for request in range(tree.num_requests))
    return tree.num_distinct + copies + (in_flight + 1) * max(tree.largest, 1)


def usual_block_size(trace: Trace) -> int:
    """The log's own block size if it has one; else the usual one of engines."""
    return trace.block_size or DEFAULT_BLOCK


def block_sizes(trace: Trace) -> tuple[int, ...]:
    """Sizes that the log can be cut into: any for tokens; for a log of blocks its own, and multiples."""
    if trace.block_size is None:
        return (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    own = trace.block_size
    return tuple(own * factor for factor in (1, 2, 4, 8, 16, 32) if own * factor <= LARGEST_BLOCK)


def smaller_sizes(trace: Trace) -> tuple[int, ...]:
    """Usual sizes that cut the blocks of a log of blocks: its rates are lower bounds then."""
    own = trace.block_size
    return () if own is None else tuple(size for size in (16, 32, 64, 128, 256) if size < own)


def cuts_blocks(trace: Trace, block_size: int) -> bool:
    """Whether blocks of this size cut those of the log: then every rate is a lower bound."""
    return trace.block_size is not None and block_size % trace.block_size != 0


def _check(name: str, value: object, least: int, most: int) -> None:
    if not is_whole(value) or not least <= value <= most:
        raise _bad(name, value, f"a whole number from {least} to {most}")


def _bad(name: str, value: object, expected: str) -> TraceError:
    message = f"Setting {name} is {value!r}; expected {expected}. Change it and try again."
    return TraceError("traffic.setting", message, field=name, value=str(value), expected=expected)
