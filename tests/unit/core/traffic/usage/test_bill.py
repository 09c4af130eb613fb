"""The bill: money by arithmetic done anew, and what-ifs beside what the provider would really have done."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from core.traffic.usage.bill import BillRow, bill, extra_cost
from core.traffic.usage.rules import ANTHROPIC, OPENAI, Rules
from core.traffic.usage.sessions import sessions
from core.traffic.usage.summary import usage_summary, with_resets
from core.traffic.usage.turns import Turn
from tests.unit.core.traffic.usage.provider import Conversation, Made, Provider, transcript
from tests.unit.core.traffic.usage.test_resets import (
    SAID,
    SAMPLES,
    TOOLS,
    claude,
    log_of,
    openai,
    turns_of,
    with_text,
)

KNOWN = (SAMPLES / "claude-resets.jsonl").read_text("utf-8")


def rows_of(text: str, rules: Rules = ANTHROPIC) -> dict[str, BillRow]:
    return {row.id: row for row in bill(sessions(log_of(text), rules), rules)}


def cents(read: int, short: int, long: int, new: int) -> Fraction:
    """By hand: a million tokens cost 300 cents, reading a tenth, writing a quarter more or twice."""
    price = Fraction(300, 1_000_000)
    return price * (Fraction(read, 10) + Fraction(5 * short, 4) + 2 * long + new)


def test_the_known_session_costs_what_its_counts_say() -> None:
    rows = rows_of(KNOWN)
    assert rows["as_it_was"] == BillRow("as_it_was", 139800, 47800, 30900, 35)
    assert float(cents(139800, 47800, 30900, 35)) == pytest.approx(40.6695)
    assert rows["as_it_was"].cost(ANTHROPIC) == pytest.approx(0.4067, abs=5e-5)
    assert rows["no_cache"].cost(ANTHROPIC) == pytest.approx(218535 * 3e-6)
    assert "tools_kept" not in rows


def test_all_for_an_hour_pays_twice_for_each_write() -> None:
    """Its pause was longer than an hour, so nothing more would have been read."""
    other = rows_of(KNOWN)["other_ttl"]
    assert (other.ttl_s, other.read, other.written_5m, other.written_1h) == (3600, 139800, 0, 78700)
    assert other.cost(ANTHROPIC) == pytest.approx(float(cents(139800, 0, 78700, 35)) / 100)


def test_extra_cost_is_the_tokens_written_again_less_what_reading_them_costs() -> None:
    turns = turns_of(KNOWN)
    costs = [extra_cost(turn, ANTHROPIC) for turn in turns]
    assert costs == pytest.approx([0, 0, 0, 22900 * 1.15 * 3e-6, 0, 23600 * 1.15 * 3e-6, 0])


def scripted(dice: random.Random, life: int, pauses: list[float]) -> list[Made]:
    """The same conversation under one life."""
    talk, providers, now = Conversation(dice, "s", None, life), dict[str, Provider](), 0.0
    made = [talk.ask(providers, now, None)]
    for pause in pauses:
        now += pause
        talk.messages.append(talk.part(30, 3000))
        made.append(talk.ask(providers, now, None))
    return made


@pytest.mark.parametrize(("life", "other"), [(300, 3600), (3600, 300)])
@pytest.mark.parametrize("seed", range(25))
def test_the_other_life_reads_what_the_provider_would_have_given(seed: int, life: int, other: int) -> None:
    """The same prompts and pauses through the provider's rules with the other life, token for token."""
    choose = random.Random(seed)
    pauses = [choose.choice((20.0, 100.0, 290.0, 310.0, 1000.0, 3590.0, 3610.0, 9000.0)) for _ in range(20)]
    mine = scripted(random.Random(seed), life, pauses)
    real = scripted(random.Random(seed), other, pauses)
    row = rows_of(transcript(mine, random.Random(1)))["other_ttl"]
    assert row.ttl_s == other
    assert (row.read, row.written_5m + row.written_1h, row.new) == (
        sum(one.read for one in real),
        sum(one.written for one in real),
        sum(one.new for one in real),
    )
    assert {300: row.written_1h, 3600: row.written_5m}[other] == 0


def test_tools_kept_reads_what_the_change_lost() -> None:
    log = with_text(
        (0, 0, 9000, TOOLS, SAID[:1]), (20, 9000, 900, TOOLS, SAID[:2]), (40, 0, 10900, TOOLS[:1], SAID)
    )
    rows = rows_of(log)
    assert rows["as_it_was"].read == 9000
    assert (rows["tools_kept"].read, rows["tools_kept"].written_5m) == (18900, 10900)
    assert rows["tools_kept"].total == rows["as_it_was"].total
    gain = rows["as_it_was"].cost(ANTHROPIC) - rows["tools_kept"].cost(ANTHROPIC)
    (reset,) = (turn for turn in turns_of(log) if turn.reset is not None)
    assert gain == pytest.approx(extra_cost(reset, ANTHROPIC)) == pytest.approx(9900 * 1.15 * 3e-6)


def test_an_automatic_cache_has_no_writes_to_pay_and_no_other_life() -> None:
    rows = rows_of(openai((0, 20050, 0), (10, 22000, 19968), (30, 26000, 0)), OPENAI)
    assert set(rows) == {"as_it_was", "no_cache"}
    assert rows["as_it_was"] == BillRow("as_it_was", 19968, 0, 0, 20050 + 2032 + 26000)
    (reset,) = (
        turn
        for turn in turns_of(openai((0, 20050, 0), (10, 22000, 19968), (30, 26000, 0)), OPENAI)
        if turn.reset is not None
    )
    assert extra_cost(reset, OPENAI) == pytest.approx(21888 * 0.9 * 2e-6)


def test_the_engine_beside_what_was_reported() -> None:
    """With the text the engine says what could have been read; the change of tools is in the prompts."""
    log = with_text((0, 0, 9000, TOOLS, SAID[:1]), (20, 0, 9900, TOOLS, SAID[:2]))
    told = usage_summary(log_of(log), ANTHROPIC)
    assert told is not None
    assert told["engine"]["reported_rate"] == 0
    assert 0.2 < told["engine"]["rate"] < 0.6
    assert told["bill"]["rows"][-1]["id"] == "engine"
    assert told["bill"]["rows"][-1]["basis"] == told["bill"]["rows"][-1]["money"] == "modelled"


def test_the_short_form_of_the_log() -> None:
    told = with_resets(usage_summary(log_of(KNOWN)))
    assert [(one["turn"], one["pause_s"], one["cause"]) for one in told["resets"]] == [
        (4, 4440.0, "ttl"),
        (6, 30.0, "unexplained"),
    ]
    assert (told["written_5m"], told["written_1h"]) == (47800, 30900)


def test_a_log_of_survivors_has_no_rate_in_its_bill_either() -> None:
    """Two of ten report a hit, the others nothing: 80 % would be the rate of those two."""
    rows = []
    for number in range(10):
        details = {"cached_tokens": 800} if number > 7 else None
        usage = {"prompt_tokens": 1000, "completion_tokens": 20, "prompt_tokens_details": details}
        message = {"role": "user", "content": f"question {number}"}
        rows.append({"timestamp": number, "messages": [message], "response": {"usage": usage}})
    told = usage_summary(log_of("\n".join(map(json.dumps, rows))))
    assert told is not None
    assert (told["left_out"], told["engine"]) == (8, None)
    assert {row["rate"] for row in told["bill"]["rows"]} == {None}


def test_a_log_without_usage_has_no_usage() -> None:
    assert usage_summary(log_of('{"prompt": "one"}\n{"prompt": "two"}')) is None
    assert with_resets(None) == {"resets": [], "written_5m": None, "written_1h": None}


def test_every_token_of_a_turn_stands_in_one_place() -> None:
    turns: list[Turn] = turns_of(claude((0, 0, 30000, 0), (400, 0, 31000, 0), (800, 31000, 10, 20)))
    assert [turn.read + turn.written + turn.new for turn in turns] == [30005, 31005, 31035]
