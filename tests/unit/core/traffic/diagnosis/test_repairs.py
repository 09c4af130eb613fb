"""Repairs: what is offered gains on the engine itself, says no other words, and survives any text."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache

import pytest

from core.replay.replay import replay
from core.traces.door.read import read_trace
from core.traces.model import TraceRequest
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, analyse, misses_of
from core.traffic.diagnosis.candidates import REPAIRS, Repair, candidates_of
from core.traffic.diagnosis.findings import Finding
from core.traffic.diagnosis.groups import Group, groups_of
from core.traffic.diagnosis.pairs import find_pairs
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.diagnosis.repairs_order import all_tools, one_key_order
from core.traffic.diagnosis.rewriting import Requests, Writer, without_empty_messages
from core.traffic.diagnosis.trials import run
from core.traffic.settings import Settings
from core.types import EngineConfig
from tests.unit.core.traffic.diagnosis.made_logs import MAKERS, as_text, made

TOKENIZER = ReadOptions().tokenizer
BROKEN = [kind for kind in MAKERS if made(kind, 1).path is not None]
KEEPS_WORDS: tuple[Repair, ...] = (
    "move", "move_inside", "sort_tools", "sort_keys", "sort_tools_and_keys", "stable_keys_first",
    "sort_documents", "one_white_space",
)  # fmt: skip


def analysis_of(text: str, size: int = 16) -> Analysis:
    return analyse(read_trace(TraceFile("log", text), options=ReadOptions()), Settings(size))


@cache
def case(kind: str) -> Analysis:
    return analysis_of(as_text(made(kind, 26).broken))


def repaired(analysis: Analysis) -> list[tuple[Repair, Requests]]:
    found = find_pairs(analysis.requests, misses_of(analysis), analysis.settings.block_size)
    groups: list[Group] = groups_of(analysis.requests, found.pairs)
    return [
        (one.repair, one.apply(Writer(TOKENIZER), analysis.requests, None))
        for group in groups
        for one in candidates_of(group)
    ]


def words(request: TraceRequest) -> Counter[str]:
    """Characters but white space; roles are the template's."""
    texts = (part.text or "" for part in request.segments if part.role != "marker")
    return Counter("".join("".join(texts).split()))


def computed(requests: Requests, size: int) -> int:
    """Prompt tokens that the engine computes, with room for everything."""
    slots = sum(-(-request.num_tokens // size) for request in requests) + 2
    result = replay(requests, EngineConfig(size, slots))
    return int(result.num_tokens.sum() - result.hit_tokens.sum())


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_offered_gains_on_the_engine(kind: str) -> None:
    analysis = case(kind)
    found = find_causes(analysis, misses_of(analysis), TOKENIZER)
    known = {computed(requests, 16) for _, requests in repaired(analysis)}
    assert found
    for one in found:
        assert one.computed_before == computed(analysis.requests, 16)
        for offer in one.offers:
            assert offer.computed_after in known
            assert offer.computed_after < one.computed_before


@pytest.mark.parametrize("kind", BROKEN)
def test_no_word_is_lost_where_none_is_said_to_be(kind: str) -> None:
    analysis = case(kind)
    for repair, requests in repaired(analysis):
        for old, new in zip(analysis.requests, requests, strict=True):
            assert (old.request_id, old.scope, old.arrival_s) == (new.request_id, new.scope, new.arrival_s)
            assert new.num_tokens == sum(len(part.token_ids) for part in new.segments)
            if repair in KEEPS_WORDS:
                assert words(old) == words(new), repair
            elif repair == "drop":
                assert words(new) <= words(old)
            elif repair == "keep_history":
                assert words(new) >= words(old)


@pytest.mark.parametrize("kind", BROKEN)
def test_roles_stay_in_turn(kind: str) -> None:
    """A message that is emptied goes with its markers; none is left without a beginning or an end."""
    analysis = case(kind)
    for _, requests in repaired(analysis):
        for request in requests:
            markers = [part.text for part in request.segments if part.role == "marker"]
            if markers:
                assert markers[-1] == "assistant:\n"
                assert [text == "\n" for text in markers] == [bool(n % 2) for n in range(len(markers))]


def test_every_repair_is_tried_somewhere() -> None:
    """But those of settings, and those that only the handed logs need."""
    tried = {name for kind in BROKEN for name, _ in repaired(case(kind))}
    others = {"more_slots", "longer_ttl", "smaller_blocks", "one_wording", "same_tools", "no_thinking"}
    assert set(REPAIRS) - others - {"sort_tools"} <= tried


HOSTILE = (
    "\ud83c", "\x00\x1b[31m", "</script><img src=x>", "\u202e\u200b\ufeff", "((((((((((a+)+)+", "{" * 40,
    '{"a":', "\\n" * 30, "𝔞" * 20, "2026-13-99T99:99", "\r\r\n\u2028", "[[[", "```", "<think>" * 9, "1" * 60,
    "。！？" * 12,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_any_text_is_only_text(seed: int) -> None:
    dice = random.Random(seed)
    rows = []
    shared = "".join(dice.choices([*HOSTILE, "word ", "and so on. "], k=60))
    for _ in range(20):
        odd = "".join(dice.choices([*HOSTILE, " ", "x"], k=dice.randrange(6)))
        parts = dice.sample([odd, shared, shared[:200], shared[::-1]], 3)
        content = parts if dice.random() < 0.5 else "\n\n".join(parts)
        rows.append({"messages": [{"role": dice.choice(["system", "tool", "x"]), "content": content},
                                  {"role": "user", "content": odd + "?"}]})  # fmt: skip
    analysis = analysis_of(as_text(rows), 4)
    for one in find_causes(analysis, misses_of(analysis), TOKENIZER):
        assert one.offers
        assert all(offer.computed_after < one.computed_before for offer in one.offers)


def test_long_texts_without_any_break_end() -> None:
    """Sentences, lines and words are what texts are compared by; here there are none."""
    dice = random.Random(4)
    rows = [{"prompt": f"{n}" + "".join(dice.choices("ab", k=9)) + "ab" * 9000} for n in range(12)]
    analysis = analysis_of(as_text(rows))
    assert find_causes(analysis, misses_of(analysis), TOKENIZER) == ()


def many(count: int) -> Analysis:
    body = " ".join(f"rule{n}" for n in range(60))
    rows = [
        {"prompt": f"Ticket {n * 7919:06d}\n{body}\nSay {random.Random(n).random()}"} for n in range(count)
    ]
    return analysis_of(as_text(rows))


def test_a_large_log_is_tried_on_some_of_it_first() -> None:
    analysis = many(1_700)
    found: tuple[Finding, ...] = find_causes(analysis, misses_of(analysis), TOKENIZER)
    assert [(one.cause, one.path) for one in found] == [("changing_text", "prompt")]
    assert found[0].num_requests == len(analysis.requests)
    assert found[0].best.rate_after > 0.8 > 0.1 > found[0].rate_before


def test_somebody_who_stops_it_is_heard() -> None:
    analysis = many(1_050)
    misses = misses_of(analysis)

    def stop(done: int, total: int | None) -> None:
        if total and done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_causes(analysis, misses, TOKENIZER, stop)


def test_tools_of_others_are_not_added() -> None:
    """Two agents with nothing in common stay apart; one tool in two wordings is no set of tools."""
    tools = [{"function": {"name": name, "description": name * 3}} for name in "abcdef"]
    sets = [tools[:2], tools[1:3], tools[3:], tools[4:]]
    rows = [{"messages": [{"role": "user", "content": "go"}], "tools": one} for one in sets]
    requests = analysis_of(as_text(rows)).requests
    after = Writer(TOKENIZER).each(requests, all_tools(requests), None)
    assert [sum(part.role == "tools" for part in one.segments) for one in after] == [3, 3, 3, 3]
    other = {"function": {"name": "a", "description": "another"}}
    rows[0]["tools"] = [other, tools[1]]
    requests = analysis_of(as_text([*rows, {"messages": rows[0]["messages"], "tools": tools[:2]}])).requests
    after = Writer(TOKENIZER).each(requests, all_tools(requests), None)
    assert after[0] is requests[0]


def test_json_keeps_how_it_is_written() -> None:
    value = {"b": [1, {"d": "é", "c": None}], "a": "x"}
    for style in ({}, {"separators": (",", ":")}, {"indent": 2}, {"ensure_ascii": False}):
        text = json.dumps(value, **style)  # type: ignore[arg-type]
        request = analysis_of(as_text([{"prompt": text}])).requests[0]
        new = one_key_order(Writer(TOKENIZER), request)[0].text
        assert new == json.dumps(value, sort_keys=True, **style)  # type: ignore[arg-type]


def test_a_rate_is_that_of_what_was_admitted() -> None:
    analysis = case("prompt")
    assert run(analysis.requests, analysis.settings).rate == analysis.hit_rate


def test_an_empty_message_goes_with_its_markers() -> None:
    writer = Writer(TOKENIZER)
    start, stop, text = (writer.piece(role, one) for role, one in
                         (("marker", "a:"), ("marker", "\n"), ("user", "x")))  # fmt: skip
    assert without_empty_messages([start, None, stop, start, text, stop, start]) == (start, text, stop, start)
    assert without_empty_messages([start, None, text, stop, start]) == (start, text, stop, start)
    assert without_empty_messages([start, None, None, stop, start, text, stop]) == (start, text, stop)
