"""The bill: money by arithmetic done anew, and what-ifs beside what the provider would really have done."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from core.traffic.analysis import analyse
from core.traffic.settings import Settings
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


def counts(row: BillRow) -> tuple[int, int, int, int]:
    return row.read, row.written_5m, row.written_1h, row.new


def cents(read: int, short: int, long: int, new: int) -> Fraction:
    """By hand: a million tokens cost 300 cents, reading a tenth, writing a quarter more or twice."""
    price = Fraction(300, 1_000_000)
    return price * (Fraction(read, 10) + Fraction(5 * short, 4) + 2 * long + new)


def test_the_known_session_costs_what_its_counts_say() -> None:
    rows = rows_of(KNOWN)
    assert counts(rows["as_it_was"]) == (139800, 47800, 30900, 35)
    assert float(cents(139800, 47800, 30900, 35)) == pytest.approx(40.6695)
    assert rows["as_it_was"].cost == pytest.approx(0.4067, abs=5e-5)
    assert rows["no_cache"].cost == pytest.approx(218535 * 3e-6)
    assert "tools_kept" not in rows


def test_all_for_an_hour_pays_twice_for_each_write() -> None:
    """Its pause was longer than an hour, so nothing more would have been read."""
    other = rows_of(KNOWN)["other_ttl"]
    assert (other.ttl_s, other.read, other.written_5m, other.written_1h) == (3600, 139800, 0, 78700)
    assert other.cost == pytest.approx(float(cents(139800, 0, 78700, 35)) / 100)


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
    gain = rows["as_it_was"].cost - rows["tools_kept"].cost
    (reset,) = (turn for turn in turns_of(log) if turn.reset is not None)
    assert gain == pytest.approx(extra_cost(reset, ANTHROPIC)) == pytest.approx(9900 * 1.15 * 3e-6)


def test_an_automatic_cache_has_no_writes_to_pay_and_no_other_life() -> None:
    rows = rows_of(openai((0, 20050, 0), (10, 22000, 19968), (30, 26000, 0)), OPENAI)
    assert set(rows) == {"as_it_was", "no_cache"}
    assert counts(rows["as_it_was"]) == (19968, 0, 0, 20050 + 2032 + 26000)
    (reset,) = (
        turn
        for turn in turns_of(openai((0, 20050, 0), (10, 22000, 19968), (30, 26000, 0)), OPENAI)
        if turn.reset is not None
    )
    assert extra_cost(reset, OPENAI) == pytest.approx(21888 * 0.9 * 2e-6)


def test_the_engine_beside_what_was_reported() -> None:
    """With the text the engine says what could have been read; a text that is not the prompt says nothing."""
    stub = with_text((0, 0, 9000, TOOLS, SAID[:1]), (20, 0, 9900, TOOLS, SAID[:2]))
    least = replace(ANTHROPIC, minimum=0)
    short = usage_summary(log_of(stub), least)
    assert short is not None
    assert short["engine"] is None
    assert "engine" not in {row["id"] for row in short["bill"]["rows"]}
    first, second = (request.num_tokens for request in log_of(stub).requests)
    log = with_text((0, 0, first, TOOLS, SAID[:1]), (20, 0, second, TOOLS, SAID[:2]))
    told = usage_summary(log_of(log), least)
    assert told is not None
    assert told["engine"]["reported_rate"] == 0
    assert 0.2 < told["engine"]["rate"] < 0.6
    assert told["bill"]["rows"][-1]["id"] == "engine"
    assert told["bill"]["rows"][-1]["basis"] == told["bill"]["rows"][-1]["money"] == "modelled"


@pytest.mark.parametrize("timed", [True, False])
def test_the_engine_has_no_minimum_but_its_bill_has(timed: bool) -> None:
    """Prompts of some 300 tokens, under 1,024: the rate is that of the replay, the cost that of no cache."""
    log = log_of(chats(30, 300, timed))
    told = usage_summary(log, ANTHROPIC)
    assert told is not None
    rate = analyse(log, Settings(16)).hit_rate
    assert rate is not None
    assert rate > 0.8
    assert told["engine"]["rate"] == pytest.approx(rate, abs=1e-12)
    assert (told["engine"]["below"], told["engine"]["minimums"]) == (30, [1024])
    row = told["bill"]["rows"][-1]
    total = sum(request.usage.prompt_tokens or 0 for request in log.requests if request.usage)
    assert (row["read"], row["written_5m"], row["written_1h"], row["new"]) == (0, 0, 0, total)
    assert row["cost"] == pytest.approx(total * 3e-6)


def test_the_engine_pays_for_writes_from_the_minimum_on() -> None:
    log = log_of(chats(5, 2000, True))
    told = usage_summary(log, ANTHROPIC)
    assert told is not None
    assert told["engine"]["below"] == 0
    row = told["bill"]["rows"][-1]
    assert row["new"] == 0
    assert row["written_5m"]
    assert row["rate"] == pytest.approx(told["engine"]["rate"], abs=0.01)


def chats(count: int, words: int, timed: bool) -> str:
    """Two sessions that take turns, behind one system prompt; the reports are ten more than the text has."""
    rows = []
    for number in range(count):
        talk = [
            {"role": "system", "content": " ".join(f"w{k}" for k in range(words))},
            {"role": "user", "content": f"question {number // 3}"},
        ]
        usage = {"input_tokens": words + 10, "output_tokens": 5, "cache_read_input_tokens": 0}
        row = {"messages": talk, "session_id": f"s{number % 2}", "response": {"usage": usage}}
        rows.append(row | ({"timestamp": 10.0 * number} if timed else {}))
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_each_turn_costs_what_its_own_model_asks() -> None:
    """A subagent under a model of a fifth of the price; a prompt beyond a tier's end at twice the price."""
    main = claude((0, 0, 30000, 0), (20, 30000, 500, 0))
    small = claude((5, 0, 200_000, 0)).replace("claude-x", "claude-small").replace("req_", "sub_")

    def rules(model: str | None, tokens: int) -> Rules:
        price = 1.0 if model == "claude-small" else 5.0
        return replace(ANTHROPIC, per_million=2 * price if tokens > 200_000 else price)

    small = small.replace('"m0"', '"n0"')
    told = usage_summary(log_of(f"{main}\n{small}"), rules)
    assert told is not None
    large, other = told["bill"]["models"]
    assert (large["model"], large["turns"], large["total"]) == ("claude-small", 1, 200_005)
    assert large["cost"] == pytest.approx((200_000 * 1.25 + 5) * 2e-6)
    assert other["cost"] == pytest.approx((30_500 * 1.25 + 30_000 * 0.1 + 10) * 5e-6)
    as_it_was = told["bill"]["rows"][0]
    assert as_it_was["cost"] == pytest.approx(large["cost"] + other["cost"])
    assert sum(as_it_was["paid"].values()) == pytest.approx(as_it_was["cost"])
    assert told["bill"]["rows"][-1]["cost"] == pytest.approx(200_005 * 2e-6 + 60_510 * 5e-6)


def test_a_rate_that_rows_leave_open_has_its_bounds_in_the_bill() -> None:
    """Two of ten do not say what was read: resets may have been missed there."""
    lines = openai(
        (0, 2000, 0), *((10 * k, 2000 + 100 * k, 1920 + 100 * (k - 1) // 128 * 128) for k in range(1, 10))
    )
    rows = [json.loads(line) for line in lines.split("\n")]
    for row in (rows[4], rows[8]):
        del row["payload"]["info"]["last_token_usage"]["cached_input_tokens"]
    told = usage_summary(log_of("\n".join(map(json.dumps, rows))))
    assert told is not None
    row = told["bill"]["rows"][0]
    assert row["rate_bounds"][0] < row["rate"] < row["rate_bounds"][1]
    assert (told["bill"]["requests"], told["bill"]["of"], told["sessions"][0]["unknown"]) == (8, 10, 2)


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
