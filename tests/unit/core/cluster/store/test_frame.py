"""A shard says what it is, and one changed bit is seen."""

from __future__ import annotations

from core.cluster.store.frame import key_of, pack, unpack

KEY, OTHER = b"k" * 16, b"o" * 16


def test_what_was_packed_comes_back_and_nothing_else_does() -> None:
    frame = pack("m", KEY, 1, 2, b"payload")
    assert unpack(frame, "m", KEY, 1, 2) == ("right", b"payload")
    assert key_of(frame) == KEY
    assert unpack(None, "m", KEY, 1, 2) == ("gone", b"")
    for asked in (("n", KEY, 1, 2), ("m", OTHER, 1, 2), ("m", KEY, 0, 2), ("m", KEY, 1, 4)):
        assert unpack(frame, *asked) == ("foreign", b"")
    assert unpack(pack("m", KEY + b"x", 1, 2, b"payload"), "m", KEY, 1, 2) == ("foreign", b"")


def test_every_bit_counts() -> None:
    frame = pack("m", KEY, 0, 1, b"payload")
    for place in range(8 * len(frame)):
        spoilt = bytearray(frame)
        spoilt[place // 8] ^= 1 << place % 8
        assert unpack(bytes(spoilt), "m", KEY, 0, 1)[0] == "damaged"
    for length in range(len(frame)):
        assert unpack(frame[:length], "m", KEY, 0, 1)[0] == "damaged"
    assert unpack(frame + b"x", "m", KEY, 0, 1)[0] == "damaged"
