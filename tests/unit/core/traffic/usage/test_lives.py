"""The other time to live beside what the provider would really have given under it."""

from __future__ import annotations

import json
import random

import pytest

from core.traffic.usage.bill import BillRow
from tests.unit.core.traffic.usage.provider import Conversation, Made, Provider, transcript
from tests.unit.core.traffic.usage.test_bill import rows_of, scripted


def cost(made: list[Made]) -> float:
    """By the usual rules, of what the provider really did."""
    price = {300: 1.25, 3600: 2.0}
    return sum(0.1 * one.read + price[one.life] * one.written + one.new for one in made) * 3e-6


def sharing(seed: int, life: int) -> list[Made]:
    """Sessions one after another and side by side, all behind the same tools and system prompt."""
    choose, providers, made = random.Random(seed), dict[str, Provider](), []
    begins = 0.0
    for number in range(6):
        talk = Conversation(random.Random(100 * seed + number), f"s{number}", None, life)
        talk.system, now = [("tools", 9000), ("system", 5000)], begins
        for _ in range(6):
            made.append((now, talk))
            now += choose.choice((20.0, 100.0, 400.0, 1500.0, 4000.0))
        begins += choose.choice((60.0, 700.0, 2000.0, 9000.0))
    found = []
    for now, talk in sorted(made, key=lambda one: one[0]):
        found.append(talk.ask(providers, now, None))
        talk.messages.append(talk.part(30, 3000))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_sessions_that_share_a_system_prompt(seed: int) -> None:
    """Exact where some first turn read the shared part, else the truth lies between the two ends."""
    for life, other in ((3600, 300), (300, 3600)):
        row = rows_of(transcript(sharing(seed, life), random.Random(1)))["other_ttl"]
        real = sharing(seed, other)
        if row.cost_bounds is None:
            assert (row.read, row.total) == (sum(one.read for one in real), sum(one.total for one in real))
        else:
            assert row.unsure
            assert row.cost_bounds[0] <= cost(real) <= row.cost_bounds[1]


def test_what_nobody_read_is_not_known_to_be_shared() -> None:
    """Each session comes after the last one's five minutes: an hour would have kept what they share."""
    logs = {}
    for life in (300, 3600):
        providers, made = dict[str, Provider](), []
        for number in range(8):
            talk = Conversation(random.Random(number), f"s{number}", None, life)
            talk.system = [("tools", 9000), ("system", 5000)]
            made.append(talk.ask(providers, 1000.0 * number, None))
        logs[life] = made
    row = rows_of(transcript(logs[300], random.Random(1)))["other_ttl"]
    assert row.unsure == {"first": 7}
    assert row.cost_bounds is not None
    assert row.cost_bounds[0] < cost(logs[3600]) < cost(logs[300]) < row.cost_bounds[1]
    back = rows_of(transcript(logs[3600], random.Random(1)))["other_ttl"]
    assert back.cost_bounds is None
    assert back.cost == pytest.approx(cost(logs[300]))


PAUSES = [30.0, 400.0, 30.0, 1300.0, 30.0, 9000.0, 30.0, 310.0, *[30.0] * 12]


def changed(life: int, how: str) -> tuple[BillRow | None, float]:
    """The row of a log whose times were spoilt, and the true cost under the other life."""
    rows = [
        json.loads(line)
        for line in transcript(scripted(random.Random(7), life, PAUSES), random.Random(1)).split("\n")
    ]
    names = list(dict.fromkeys(row["requestId"] for row in rows))
    for row in rows:
        place = names.index(row["requestId"])
        hour = int(row["timestamp"][11:13])
        if how == "none" or (how == "some" and place in (2, 8)):
            del row["timestamp"]
        elif how == "jump" and place > 12:
            row["timestamp"] = f"{row['timestamp'][:11]}{hour + 10:02}{row['timestamp'][13:]}"
        elif how == "back" and place > 12:
            row["timestamp"] = f"{row['timestamp'][:11]}{hour - 1:02}{row['timestamp'][13:]}"
    real = scripted(random.Random(7), 3600 if life == 300 else 300, PAUSES)
    return rows_of("\n".join(map(json.dumps, rows))).get("other_ttl"), cost(real)


@pytest.mark.parametrize("life", [300, 3600])
@pytest.mark.parametrize("how", ["none", "some", "jump", "back"])
def test_times_that_are_missing_or_wrong(life: int, how: str) -> None:
    """No times, no row; some missing, or a clock set forward or back: exact, or between two ends."""
    row, real = changed(life, how)
    if how == "none":
        assert row is None
        return
    assert row is not None
    if row.cost_bounds is None:
        assert row.cost == pytest.approx(real)
    else:
        assert row.cost_bounds[0] <= real * 1.0001
        assert real <= row.cost_bounds[1] * 1.0001
        assert row.unsure
