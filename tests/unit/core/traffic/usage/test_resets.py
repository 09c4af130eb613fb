"""Resets: every cause found, none made up."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.packing.sources import TraceFile
from core.traffic.usage.rules import ANTHROPIC, OPENAI
from core.traffic.usage.sessions import sessions
from core.traffic.usage.turns import Turn
from tests.unit.core.traffic.usage.provider import Conversation, Made, Provider, session, transcript

SAMPLES = Path(__file__).resolve().parents[4] / "data" / "usage"
Pairs = Counter[tuple[str | None, str | None]]


def log_of(text: str) -> Trace:
    return read_trace(TraceFile("log.jsonl", text))


def turns_of(text: str, rules: Any = ANTHROPIC) -> list[Turn]:
    return [turn for one in sessions(log_of(text), rules) for turn in one.turns]


def causes_of(text: str, rules: Any = ANTHROPIC) -> list[str | None]:
    return [turn.reset and turn.reset.cause for turn in turns_of(text, rules)]


def compared(seed: int, **how: Any) -> Pairs:
    """(what happened, what is said) of three sessions of one account at the same time."""
    dice = random.Random(seed)
    providers: dict[str, Provider] = {}
    made: list[Made] = [one for k in range(3) for one in session(dice, f"s{k}", providers)]
    said = {
        turn.request.request_id: turn.reset and turn.reset.cause
        for turn in turns_of(transcript(made, dice, **how))
    }
    made.sort(key=lambda each: each.at_s or 0.0)
    return Counter((one.truth, said[f"req_{number}"]) for number, one in enumerate(made))


@pytest.mark.parametrize("named", [True, False])
def test_every_cause_is_found_and_none_made_up(named: bool) -> None:
    """Pauses near the lives, parallel subagents, titles asked on the side, repeated lines among them."""
    total: Pairs = Counter()
    for seed in range(40):
        total += compared(seed, named=named)
    assert {pair: count for pair, count in total.items() if pair[0] != pair[1]} == {}
    assert all(total[cause, cause] >= 20 for cause in ("ttl", "shrank", "model", "unexplained"))


def test_without_times_a_reset_is_unexplained_rather_than_wrongly_explained() -> None:
    total: Pairs = Counter()
    for seed in range(40):
        total += compared(seed, timeless=0.3)
    wrong = {pair for pair in total if pair[0] != pair[1]}
    assert wrong <= {("ttl", "unexplained")}
    assert total["ttl", "unexplained"]
    assert total["ttl", "ttl"]


def claude(*turns: tuple[float, int, int, int], **more: Any) -> str:
    """Turns of (time, read, written for 5 minutes, for an hour), with 5 new tokens each."""
    lines = []
    for number, (at, read, short, long) in enumerate(turns):
        usage = {
            "input_tokens": 5,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": short + long,
            "output_tokens": 10,
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
        }
        row = {
            "type": "assistant",
            "uuid": f"u{number}",
            "sessionId": "S",
            "timestamp": 1_770_000_000 + at,
            "requestId": f"req_{number}",
            "message": {"id": f"m{number}", "model": "claude-x", "role": "assistant", "usage": usage},
        }
        lines.append(json.dumps(row | more))
    return "\n".join(lines)


def test_the_known_session() -> None:
    """An hour's writes lost after 74 minutes; then five minutes' after 30 seconds, for no known reason."""
    turns = turns_of((SAMPLES / "claude-resets.jsonl").read_text("utf-8"))
    resets = [(turn.number, turn.pause_s, turn.reset.cause) for turn in turns if turn.reset is not None]
    assert resets == [(4, 4440.0, "ttl"), (6, 30.0, "unexplained")]
    assert [turn.expected for turn in turns] == [None, 30000, 30500, 30900, 31300, 31600, 32000]
    first = turns[3].reset
    assert first is not None
    assert (first.extra_tokens, first.values["ttl_s"], first.values["missing"]) == (22900, 3600, 22900)


@pytest.mark.parametrize(
    ("pause", "short", "long", "cause"),
    [
        (299, 30000, 0, "unexplained"),
        (300, 30000, 0, "unexplained"),
        (301, 30000, 0, "ttl"),
        (301, 0, 30000, "unexplained"),
        (3601, 0, 30000, "ttl"),
        (400, 10000, 20000, "unexplained"),  # the hour's part is gone as well
    ],
)
def test_the_life_of_what_was_written_decides(pause: float, short: int, long: int, cause: str) -> None:
    assert causes_of(claude((0, 0, short, long), (pause, 0, 31000, 0))) == [None, cause]


def test_of_two_lives_the_longer_part_stays() -> None:
    log = claude((0, 0, 10000, 20000), (400, 20000, 11000, 0))
    assert causes_of(log) == [None, "ttl"]
    assert turns_of(log)[1].expected == 30000


def test_reading_renews() -> None:
    """Four pauses of 200 seconds lose nothing that lives for 300."""
    log = claude((0, 0, 30000, 0), *((200 * k, 30000 + 500 * (k - 1), 500, 0) for k in range(1, 5)))
    assert causes_of(log) == [None] * 5


@pytest.mark.parametrize("lost", [0, 100, 127, 500, 1000])
def test_small_losses_are_none(lost: int) -> None:
    assert causes_of(claude((0, 0, 30000, 0), (20, 30000 - lost, 900 + lost, 0))) == [None, None]


def test_a_breakpoints_tail_is_no_reset_but_the_same_loss_elsewhere_is() -> None:
    """The turn before stored 3,000 tokens more; only the breakpoint before them is read."""
    assert causes_of(claude((0, 0, 30000, 0), (20, 30000, 3000, 0), (40, 30000, 4000, 0))) == [None] * 3
    log = claude((0, 0, 30000, 0), (20, 30000, 3000, 0), (40, 29000, 5000, 0))
    assert causes_of(log) == [None, None, "unexplained"]


def test_the_same_loss_again_and_again_is_seen_each_time() -> None:
    log = claude(*((20 * k, 8000, 22000 + 300 * k, 0) for k in range(4)))
    assert causes_of(log) == [None, *["unexplained"] * 3]


def test_below_the_minimum_nothing_was_to_be_read() -> None:
    assert causes_of(claude((0, 0, 0, 0), (20, 0, 0, 0))) == [None, None]


def openai(*turns: tuple[float, int, int]) -> str:
    """Codex's events of (time, input, cached)."""
    rows: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "s"}}]
    for at, given, cached in turns:
        usage = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": 5}
        info = {"last_token_usage": usage}
        rows.append({"type": "event_msg", "timestamp": at, "payload": {"type": "token_count", "info": info}})
    return "\n".join(json.dumps({"timestamp": 0} | row) for row in rows)


def test_steps_of_128_are_no_reset_and_a_lost_prefix_is() -> None:
    log = openai((0, 20050, 0), (10, 22000, 19968), (20, 25000, 21888), (30, 26000, 0), (40, 27000, 25984))
    assert causes_of(log, OPENAI) == [None, None, None, "unexplained", None]
    assert turns_of(log, OPENAI)[3].expected == 24960


def test_an_automatic_cache_is_sure_to_be_over_after_its_longest_life_only() -> None:
    """Between its usual and its longest life a prefix is probably gone, before it that is no reason."""
    for pause, cause in (
        (299, "unexplained"),
        (301, "probably_idle"),
        (3599, "probably_idle"),
        (3601, "ttl"),
    ):
        assert causes_of(openai((0, 20000, 0), (pause, 21000, 0)), OPENAI) == [None, cause]
    (reset,) = (one.reset for one in turns_of(openai((0, 20000, 0), (700, 21000, 0)), OPENAI) if one.reset)
    assert (reset.values["ttl_s"], reset.values["usual_s"]) == (3600, (300, 600))


TOOLS = [
    {"name": "read", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}},
    {"name": "write", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}},
]


def with_text(*turns: tuple[float, int, int, list[Any], list[str]]) -> str:
    """Anthropic's requests and answers: (time, read, written, tools, what the user said so far)."""
    rows = []
    for number, (at, read, written, tools, said) in enumerate(turns):
        messages: list[dict[str, str]] = []
        for text in said:
            messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "Yes."}]
        body = {"model": "claude-x", "system": "Be kind. " * 50, "tools": tools, "messages": messages[:-1]}
        usage = {
            "input_tokens": 5,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": 9,
        }
        response = {"id": f"m{number}", "usage": usage}
        rows.append({"timestamp": at, "session_id": "S", "request": body, "response": response})
    return "\n".join(json.dumps(row) for row in rows)


SAID = ["The first question. " * 60, "The second one. " * 60, "And a third. " * 60]


def test_tools_that_the_log_shows() -> None:
    log = with_text(
        (0, 0, 9000, TOOLS, SAID[:1]), (20, 9000, 900, TOOLS, SAID[:2]), (40, 0, 10900, TOOLS[:1], SAID)
    )
    assert causes_of(log) == [None, None, "tools"]
    reset = turns_of(log)[2].reset
    assert reset is not None
    assert (reset.values["removed"], reset.values["added"]) == (["write"], [])


def test_a_text_that_leaves_the_stored_one_early() -> None:
    """As long as before, but another first question."""
    other = ["Another question! " * 66, *SAID[1:]]
    log = with_text((0, 0, 9000, TOOLS, SAID[:2]), (20, 2000, 7900, TOOLS, other))
    assert causes_of(log) == [None, "shrank"]


def test_the_same_text_says_that_nothing_shrank() -> None:
    log = with_text((0, 0, 9000, TOOLS, SAID[:2]), (20, 0, 9900, TOOLS, SAID))
    assert causes_of(log) == [None, "unexplained"]


def test_both_causes_are_said() -> None:
    log = with_text((0, 0, 9000, TOOLS, SAID[:2]), (999, 0, 9900, TOOLS[:1], SAID))
    reset = turns_of(log)[1].reset
    assert reset is not None
    assert (reset.cause, reset.values["also"]) == ("ttl", ["tools"])


def test_rows_without_a_session_are_no_conversation_unless_they_go_on() -> None:
    """Requests of many users must not look like one that is reset all the time."""
    rows = claude(*((20 * k, 3000 * (k % 3), 9000 + 100 * k, 0) for k in range(9))).replace('"S"', "null")
    assert set(causes_of(rows)) == {None}
    going_on = claude(
        (0, 0, 30000, 0), (10, 30000, 400, 0), (20, 30400, 400, 0), (400, 0, 31000, 0), (410, 31000, 200, 0)
    )
    assert causes_of(going_on.replace('"S"', "null")) == [None, None, None, "ttl", None]


def test_a_users_separate_questions_are_no_conversation() -> None:
    """One session name, but each prompt shares only the system prompt with the one before."""
    turns = [
        (20.0 * k, 2000, 7000 + 300 * (k * 7 % 5), TOOLS, [f"Question {k}: " + f"word{k} " * 400])
        for k in range(8)
    ]
    assert set(causes_of(with_text(*turns))) == {None}


def test_a_conversation_whose_front_changes_is_one() -> None:
    """Nothing is ever read, because of a date in front; the messages go on."""
    said = [f"Message {k}. " * 100 for k in range(5)]
    rows = [
        json.loads(line)
        for line in with_text(*((20.0 * k, 0, 5000 + 900 * k, TOOLS, said[: k + 1]) for k in range(5))).split(
            "\n"
        )
    ]
    for number, row in enumerate(rows):
        row["request"]["system"] = f"It is {number} o'clock. " + row["request"]["system"]
    assert causes_of("\n".join(map(json.dumps, rows))) == [None, *["shrank"] * 4]


@pytest.mark.parametrize("seed", range(30))
def test_an_automatic_cache_turn_by_turn(seed: int) -> None:
    """Steps of 128 from 1,024 tokens on; cold machines, compacted histories, long pauses."""
    dice = random.Random(seed)
    stored, total, now = 0, dice.randint(300, 6000), 0.0
    turns: list[tuple[float, int, int]] = []
    truth: list[str | None] = []
    for _ in range(40):
        event = dice.choice(("", "", "", "", "lost", "compacted", "late", "near"))
        cached, cause = min(stored, total) // 128 * 128, None
        if event == "lost":
            cached, cause = 0, "unexplained"
        elif event == "compacted" and total > 20_000:
            total = dice.randint(6000, 9000)
            cached, cause = 2048, "shrank"
        elif event == "late":
            now, cached, cause = now + 3601 + dice.random(), 0, "ttl"
        elif event == "near":
            now += 3500
        worth = stored > 1024 + 1024 and (cause != "shrank" or stored > 2048 + 1024)
        turns.append((now, total, cached))
        truth.append(cause if worth else "any")
        stored = total // 128 * 128 if total >= 1024 else 0
        total += dice.randint(50, 4000)
        now += dice.uniform(1, 50)
    said = causes_of(openai(*turns), OPENAI)
    assert [one if known == "any" else known for known, one in zip(truth, said, strict=True)] == said
    assert all(one in (None, known) for known, one in zip(truth, said, strict=True) if known != "any")


def lines(rows: list[tuple[float, int, int]], session: str = "user") -> str:
    """Usage alone, as a proxy writes it: (time, prompt tokens, cached tokens)."""
    return "\n".join(
        json.dumps(
            {
                "id": f"r{number}",
                "session_id": session,
                "timestamp": 1_770_000_000 + at,
                "model": "gpt-x",
                "usage": {"prompt_tokens": total, "prompt_tokens_details": {"cached_tokens": read}},
            }
        )
        for number, (at, total, read) in enumerate(rows)
    )


@pytest.mark.parametrize("seed", range(10))
def test_separate_questions_behind_one_system_prompt_are_no_resets(seed: int) -> None:
    """A session that is a user's: every question reads the same system prompt, and no more."""
    dice = random.Random(seed)
    asked = [(20.0 * k, 2000 + dice.randint(100, 3000), 1920 if k else 0) for k in range(20)]
    assert set(causes_of(lines(asked), OPENAI)) == {None}
    marked = claude(*((20.0 * k, 3000, dice.randint(200, 3500), 0) for k in range(20)))
    as_lines = marked.replace('"type": "assistant"', '"kind": "call"')
    rows = [json.loads(line) for line in as_lines.split("\n")]
    flat = [{**row["message"], "session_id": "user", "timestamp": row["timestamp"]} for row in rows]
    assert set(causes_of("\n".join(map(json.dumps, flat)))) == {None}


def test_a_growing_prompt_that_reads_the_same_each_time_is_a_conversation() -> None:
    """A date behind the system prompt: 1,920 tokens are read, whatever was stored."""
    growing = [(20.0 * k, 4000 + 1500 * k, 1920 if k else 0) for k in range(8)]
    assert causes_of(lines(growing), OPENAI) == [None, *["unexplained"] * 7]


def evidence(text: str, rules: Any = ANTHROPIC) -> dict[str, Any]:
    (reset,) = (turn.reset for turn in turns_of(text, rules) if turn.reset is not None)
    return reset.values


def test_what_may_be_said_of_an_unexplained_reset() -> None:
    """Only what the log shows: a transcript shows no tools; a read that ends at an earlier prompt's end."""
    lost = evidence(claude((0, 0, 30000, 0), (20, 30000, 5000, 0), (40, 7000, 29000, 0)))
    assert (lost["likely"], lost["stops_at"], lost["shows"]) == (None, None, None)
    assert (lost["model_named"], lost["marked"]) == (True, True)
    changed = claude((0, 0, 20000, 0), (20, 20000, 30000, 0), (40, 50000, 900, 0), (60, 20000, 31000, 0))
    assert evidence(changed)["likely"] == "behind_changed"
    assert evidence(changed)["stops_at"] == 1
    together = evidence(claude((0, 0, 20000, 0), (20, 20000, 30000, 0), (20.3, 20000, 30000, 0)))
    assert (together["likely"], together["gap_s"]) == ("together", pytest.approx(0.3))
    unnamed = openai((0, 20050, 0), (10, 22000, 19968), (30, 26000, 0))
    assert evidence(unnamed, OPENAI)["model_named"] is False
    same = with_text((0, 0, 9000, TOOLS, SAID[:2]), (20, 0, 9900, TOOLS, SAID))
    assert evidence(same)["shows"] == "prompts"


def test_a_new_summary_had_to_be_written_anyway() -> None:
    """Of a prompt that got shorter, only what is known to have stayed counts as written again."""
    read_on = claude((0, 16000, 40000, 0), (20, 56000, 900, 0), (40, 16000, 6900, 0))
    (one,) = (turn.reset for turn in turns_of(read_on) if turn.reset is not None)
    assert (one.cause, one.extra_tokens, one.extra_most) == ("shrank", 0, 6900)
    gone = claude((0, 16000, 40000, 0), (20, 56000, 900, 0), (40, 0, 22900, 0))
    (one,) = (turn.reset for turn in turns_of(gone) if turn.reset is not None)
    assert (one.cause, one.extra_tokens, one.extra_most) == ("shrank", 16000, 22900)


@pytest.mark.parametrize("seed", range(5))
def test_two_conversations_under_one_name(seed: int) -> None:
    """The same session goes on in two terminals: the second one's first prompt lost nothing."""
    dice, providers, made = random.Random(seed), dict[str, Provider](), []
    talks = [Conversation(random.Random(10 * seed + k), f"talk {k}", None, 300) for k in range(2)]
    for now in range(0, 800, 20):
        talk = dice.choice(talks)
        talk.session, talk.system = "S", [("tools", 9000), ("system", 5000)]
        talk.messages += [talk.part(500, 2000), talk.part(500, 2000)]
        made.append(talk.ask(providers, float(now), None))
    assert set(causes_of(transcript(made, dice))) == {None}


def test_a_clock_that_was_set_back() -> None:
    """Lines keep their order where their turns read each other, whatever their times say."""
    turns = [(20.0 * k, 30000 + 500 * (k - 1) if k else 0, 500 if k else 30000, 0) for k in range(20)]
    turns[15] = (turns[15][0] + 400, 0, turns[15][1] + 500, 0)
    turns[16:] = [(at + 400, read, short, long) for at, read, short, long in turns[16:]]
    set_back = [*turns[:10], *((at - 150.0, *counts) for at, *counts in turns[10:])]
    assert causes_of(claude(*set_back)) == causes_of(claude(*turns)) == [*[None] * 15, "ttl", *[None] * 4]


def test_short_questions_are_no_conversation_for_their_framing() -> None:
    """What frames a message is longer than these; the last message of a conversation may grow in place."""
    said = ["part 0", "part 1", "part 2", "part 3"]
    apart = [(20.0 * k, 0, 5000 + 900 * k, [], [text]) for k, text in enumerate(said)]
    grown = [(20.0 * k, 0, 5000 + 900 * k, [], [" and ".join(said[: k + 1])]) for k in range(4)]
    assert set(causes_of(with_text(*apart))) == {None}
    assert causes_of(with_text(*grown)) == [None, *["unexplained"] * 3]
