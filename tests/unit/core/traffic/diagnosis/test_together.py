"""Two causes in one log, one hiding the other; the account of all requests; the bar of a message."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.scenario.tokenizer import TeachingTokenizer
from core.traces.door.read import read_trace
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, analyse, misses_of
from core.traffic.diagnosis.account import account_of
from core.traffic.diagnosis.findings import Finding
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.misses import Miss
from core.traffic.settings import Settings
from tests.unit.core.traffic.diagnosis.made_logs import MAKERS, Rows, Writer, as_text, made, said

NUM = 24


def diagnosed(rows: Rows) -> tuple[Analysis, list[Miss], tuple[Finding, ...]]:
    analysis = analyse(read_trace(TraceFile("log", as_text(rows))), Settings(16))
    misses = misses_of(analysis)
    return analysis, misses, find_causes(analysis, misses, TeachingTokenizer())


def _stamp(writer: Writer, number: int) -> str:
    return f"{writer.when(number):%Y-%m-%dT%H:%M:%S}"


def _two_dates(writer: Writer, number: int, body: str, tools: list[Any]) -> tuple[Any, Any]:
    """One in front of the system text, one in front of a second message that all share."""
    papers = body[::-1]
    broken = [said("system", f"Now: {_stamp(writer, number)}\n{body}")]
    broken.append(said("user", f"Ref {writer.dice.getrandbits(64):016x}\n{papers}"))
    return {"messages": broken}, {"messages": [said("system", body), said("user", papers)]}


def _date_and_tools(writer: Writer, number: int, body: str, tools: list[Any]) -> tuple[Any, Any]:
    """Tools stand in front of everything, in another order each time; then a system text with a date."""
    broken = {"messages": [said("system", f"It is {_stamp(writer, number)}.\n{body}")]}
    mended = {"messages": [said("system", body)]}
    return broken | {"tools": writer.shuffled(tools)}, mended | {"tools": tools}


def _blanks_and_id(writer: Writer, number: int, body: str, tools: list[Any]) -> tuple[Any, Any]:
    other = body.replace("\n\n", "\n\n\n", 1) if number % 2 else body
    papers = body[::-1]
    broken = [said("system", other), said("user", f"Trace {writer.dice.getrandbits(64):016x}\n{papers}")]
    return {"messages": broken}, {"messages": [said("system", body), said("user", papers)]}


BOTH: dict[str, tuple[Callable[..., tuple[Any, Any]], set[str]]] = {
    "two_dates": (_two_dates, {"messages[0].content", "messages[1].content"}),
    "date_and_tools": (_date_and_tools, {"tools", "messages[0].content"}),
    "blanks_and_id": (_blanks_and_id, {"messages[0].content", "messages[1].content"}),
}


def rows_of(kind: str, seed: int) -> tuple[Rows, Rows]:
    writer = Writer(seed)
    body, tools = writer.body(), writer.tools()
    broken, mended = [], []
    for number in range(NUM):
        bad, good = BOTH[kind][0](writer, number, body, tools)
        ask = said("user", writer.text(9))
        for rows, row in ((broken, bad), (mended, good)):
            rows.append(row | {"messages": [*row["messages"], ask]})
    return broken, mended


@pytest.mark.parametrize("seed", [1, 8, 40])
@pytest.mark.parametrize("kind", BOTH)
def test_two_causes_get_one_repair_of_both(kind: str, seed: int) -> None:
    broken, mended = rows_of(kind, seed)
    analysis, _, found = diagnosed(broken)
    could = analyse(read_trace(TraceFile("log", as_text(mended))), Settings(16)).hit_rate or 0
    now = analysis.hit_rate or 0
    best = max(found, key=lambda one: one.best.rate_after)
    assert best.best.also is not None
    assert {best.path, best.best.also.path} == BOTH[kind][1]
    assert best.best.rate_after - now >= 0.8 * (could - now)
    alone = [offer for offer in best.offers if offer.also is None]
    assert alone
    assert all(best.best.computed_after < offer.computed_after for offer in alone)
    assert best.best.change is not None
    assert best.best.change.diff.count("@@ ") == 2


@pytest.mark.parametrize("kind", MAKERS)
def test_one_cause_needs_no_second_repair_of_the_same_place(kind: str) -> None:
    _, _, found = diagnosed(made(kind, 26).broken)
    for one in found:
        assert all(offer.also is None or offer.also.path != one.path for offer in one.offers)


@pytest.mark.parametrize("kind", MAKERS)
def test_every_request_stands_under_one_heading(kind: str) -> None:
    one = made(kind, 26)
    for rows in (one.broken, one.mended):
        analysis, misses, found = diagnosed(rows)
        account = account_of(analysis, misses, found)
        assert account.num_requests == len(analysis.requests)
        assert len(account.of_causes) == len(found)
        assert account.first >= 1
        assert all(finding.requests <= {miss.request for miss in misses} for finding in found)
        for number, finding in enumerate(found[:1]):
            assert account.of_causes[number] == len(finding.requests)


def test_a_system_text_behind_a_date_is_equal_but_lost() -> None:
    text = "one two three four five six seven eight nine ten " * 12
    rows = [
        {
            "messages": [
                said("system", f"Now: 2030-01-02T03:{n:02}:00\n\n{text}"),
                said("user", f"q {n} {n * 7}"),
            ]
        }
        for n in range(12)
    ]
    _, _, found = diagnosed(rows)
    bar = found[0].bar
    assert bar is not None
    tokens = TeachingTokenizer().encode
    assert bar.equal == len(tokens("Now: "))
    assert abs(bar.lost - len(tokens(f"\n\n{text}"))) <= 1
    assert 0 < bar.changes < 24


@pytest.mark.parametrize("kind", ["nested_json", "talks_trimmed", "talks_edited", "tools_shuffled"])
def test_findings_of_whole_pieces_show_rows_beside_each_other(kind: str) -> None:
    """JSON, history and tools had a diff and no evidence."""
    _, _, found = diagnosed(made(kind, 26).broken)
    best = found[0]
    assert len(best.aligned) >= 2
    assert len({row.span for row in best.aligned}) >= 2
    assert all(len(row.span) <= 200 for row in best.aligned)


def test_the_rows_can_be_read_as_json() -> None:
    _, _, found = diagnosed(made("nested_json", 26).broken)
    assert json.dumps([row.span for row in found[0].aligned])
