"""What no repair helps is told apart; every span that changes is marked; the meaning is kept if it can be."""

from __future__ import annotations

import json

from core.scenario.tokenizer import TeachingTokenizer
from core.traces.door.read import read_trace
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, analyse, misses_of
from core.traffic.diagnosis.account import Account, account_of
from core.traffic.diagnosis.findings import Finding
from core.traffic.diagnosis.kinds import kinds_in
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.diagnosis.rewriting import Writer as Rewriter
from core.traffic.settings import Settings
from tests.unit.core.traffic.diagnosis.made_logs import Rows, Writer, as_text, said

NUM = 24


def diagnosed(rows: Rows, size: int = 16) -> tuple[Analysis, tuple[Finding, ...], Account]:
    analysis = analyse(read_trace(TraceFile("log", as_text(rows))), Settings(size))
    misses = misses_of(analysis)
    found = find_causes(analysis, misses, TeachingTokenizer())
    return analysis, found, account_of(analysis, misses, found)


def asked(systems: list[str], writer: Writer) -> Rows:
    return [{"messages": [said("system", one), said("user", writer.text(30))]} for one in systems]


def test_a_perfect_log_reuses_all_that_is_possible_and_the_rest_is_new() -> None:
    writer = Writer(4)
    analysis, found, account = diagnosed(asked([writer.body()] * NUM, writer))
    assert found == ()
    assert (account.first, account.new, account.unknown) == (1, NUM - 1, 0)
    assert account.verdict == "nothing_left"
    assert account.possible_rate == analysis.hit_rate


def test_a_log_that_shares_nothing_is_told_from_a_perfect_one() -> None:
    writer = Writer(4)
    _, found, account = diagnosed(asked([writer.body() for _ in range(NUM)], writer))
    assert found == ()
    assert account.first + account.new == NUM
    assert account.verdict == "all_new"
    assert account.possible_rate == 0.0


def test_what_stands_elsewhere_is_possible_and_unknown_where_nothing_repairs_it() -> None:
    """Halves of two earlier texts, in the middle of a sentence: no line of it can be moved or sorted."""
    writer = Writer(4)
    texts = [writer.text(400)[:-1] for _ in range(NUM // 2)]
    pairs = [texts[number] + " " + texts[number - 1][700:] for number in range(NUM // 2)]
    analysis, found, account = diagnosed(asked([*texts, *(pair[1300:] for pair in pairs)], writer))
    assert found == ()
    assert account.possible_rate is not None
    assert account.possible_rate > 0.3 > 0.1 > (analysis.hit_rate or 0.0)
    assert account.unknown >= NUM // 3
    assert account.verdict == "unknown"


def test_a_cause_is_found_in_a_large_log_of_the_same_prompts() -> None:
    """A clock before 16 questions, then the same 16 prompts again and again: nearly all is reused."""
    writer = Writer(4)
    body = writer.body()
    rows = asked([f"It is 09:{number:02} now.\n\n{body}" for number in range(16)], writer)
    small = diagnosed(rows)[1][0]
    analysis, found, account = diagnosed(rows * 100)
    assert (analysis.hit_rate or 0.0) > 0.98
    assert (found[0].cause, found[0].path) == (small.cause, small.path)
    assert account.of_causes[0] == small.num_requests
    assert account.unknown == 0


def test_every_span_that_changes_is_marked_in_every_row() -> None:
    writer = Writer(4)
    body = writer.body()
    names = [("fix", "d82c07c"), ("feat", "2265b1f"), ("docs", "f4bea97"), ("main", "a1b2c3d")]
    systems = [f"On branch {name}, the last commit was {commit} here.\n{body}" for name, commit in names]
    _, found, _ = diagnosed(asked(systems, writer))
    rows = found[0].aligned
    assert len(rows) == len(names)
    assert {row.parts[0::2] for row in rows} == {rows[0].parts[0::2]}
    for row in rows:
        name, commit = names[row.request]
        assert [part for part in row.parts[1::2] if part] == [name, commit]
    assert found[0].bar is not None
    assert sum(found[0].bar.changes_later) > 0


def test_keys_of_json_are_marked_too() -> None:
    writer = Writer(4)
    body = writer.body()
    plans = ["free", "pro"]
    systems = [
        json.dumps({"user": {"plan": plans[n % 2], "nick name": f"u{n}"}, "rules": body[:300]})
        for n in range(NUM)
    ]
    _, found, _ = diagnosed(asked(systems, writer))
    assert [row.parts[3] for row in found[0].aligned][:3] == ["u0", "u1", "u2"]


def test_the_repair_that_keeps_the_meaning_is_advised_where_it_is_close() -> None:
    writer = Writer(4)
    body = writer.body()
    rows = asked([f"{body}\n\nIt is 09:{number:02} now.\n\n{body[::-1]}" for number in range(NUM)], writer)
    _, found, _ = diagnosed(rows)
    one = found[0]
    assert one.best.repair == "drop"
    assert one.offers[one.advised].keeps_meaning
    assert one.offers[one.advised].rate_after > one.best.rate_after - 0.05


def test_a_span_of_two_things_is_named_by_both() -> None:
    assert kinds_in(["9时00分。用户编号：41939071", "14时59分。用户编号：68540654"]) == ("time", "id")
    assert kinds_in(["2026-03-02T09:00:00", "2026-03-02T16:13:17"]) == ("date_time",)
    assert kinds_in(["a cat", "two dogs"]) == ("words",)


def test_texts_written_anew_have_the_tokens_they_would_have_alone() -> None:
    """By lines, as long as that gives the same; a tokenizer that joins line ends is asked for whole texts."""

    class Joining(TeachingTokenizer):
        def encode(self, text: str) -> list[int]:
            return super().encode(text.replace("\n", ""))[::-1]

    texts = [f"Line one {n}\nand  two\n\n  three {n}" for n in range(40)]
    for tokenizer in (TeachingTokenizer(), Joining()):
        writer = Rewriter(tokenizer)
        for text in texts:
            assert writer.piece("user", text).token_ids.tolist() == tokenizer.encode(text)
