"""The short notation for tokens: the same name and index is the same token, everything else differs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ScenarioError
from core.scenario import token_streams
from core.scenario.token_streams import FIRST_STREAM_ID, RUN_LENGTH, TokenStreams
from core.types import MAX_TOKEN_ID

GOLDEN = (3363020800, 3363020801, 3744382981)


def test_parts_follow_each_other() -> None:
    streams = TokenStreams()
    prompt, user = streams.parse("S[0:3]"), streams.parse("u1[0:2]")
    assert streams.parse("S[0:3] u1[0:2]  10,11,198 S[1:2]") == (*prompt, *user, 10, 11, 198, prompt[1])
    assert streams.parse("S[2:2]") == streams.parse("") == ()


def test_every_token_has_a_readable_piece() -> None:
    assert TokenStreams().pieces("S[3:5] 10,11 u1[0:1]") == (" S3", " S4", " 10", " 11", " u10")


def test_the_same_tokens_in_every_scenario() -> None:
    """Golden: events and hashes made from these ids are compared across runs."""
    assert TokenStreams().parse("S[0:2]") == TokenStreams().parse("S[0:2]")
    assert TokenStreams().parse("S[0:2] u1[5:6]") == GOLDEN


RANGES = st.tuples(
    st.sampled_from(["S", "u1", "u2", "A.b-c"]), st.integers(0, 3 * RUN_LENGTH), st.integers(0, 50)
)


@given(st.lists(RANGES, max_size=8))
def test_a_token_is_its_name_and_index(ranges: list[tuple[str, int, int]]) -> None:
    streams = TokenStreams()
    token_of: dict[tuple[str, int], int] = {}
    for name, start, length in ranges:
        tokens = streams.parse(f"{name}[{start}:{start + length}]")
        assert len(tokens) == length
        for index, token in enumerate(tokens, start):
            assert token_of.setdefault((name, index), token) == token
    assert len(set(token_of.values())) == len(token_of)
    assert all(FIRST_STREAM_ID <= token <= MAX_TOKEN_ID for token in token_of.values())


def test_streams_that_want_the_same_ids_get_different_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_streams, "xxh3_64_intdigest", lambda name: 7)
    streams = TokenStreams()
    runs = [streams.parse(f"{name}[0:{RUN_LENGTH}]") for name in "abc"]
    assert len(set(itertools.chain(*runs))) == 3 * RUN_LENGTH


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("S", "tokens.notation"),
        ("S[0:]", "tokens.notation"),
        ("S[0:2]u[0:1]", "tokens.notation"),
        ("1,,2", "tokens.notation"),
        ("-1", "tokens.notation"),
        ("S[3:2]", "tokens.range"),
        ("S[0:99999999999]", "tokens.range"),
        (str(FIRST_STREAM_ID), "tokens.literal"),
    ],
)
def test_what_is_not_understood(text: str, code: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        TokenStreams().parse(f"S[0:1] {text}")
    assert raised.value.code == code
