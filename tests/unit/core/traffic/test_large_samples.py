"""Made-up logs as large as real ones are close to what is published of those."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import analyse
from core.traffic.large_samples import BLOCK_TOKENS, LARGE_KINDS, large_log
from core.traffic.settings import Settings
from ui.words.i18n import LANGS, t

ONE_IN_TEN, POINT = 0.1, 0.01


@dataclass(frozen=True, slots=True)
class Published:
    """Of a real trace: tokens a prompt on average, share of prompt tokens sent before (unbounded cache)."""

    mean_tokens: int
    repeated: float
    source: str


PUBLISHED: Mapping[str, Published] = MappingProxyType(
    {
        "conversations": Published(12_035, 0.373, "Mooncake, conversation trace, 12,031 requests"),
        "sessions": Published(123_300, 0.964, "710 sessions of Claude Code, 48,658 requests"),
    }
)
"""Block-exact, at most all but a prompt's last token; counted in the traces as their authors publish them."""


@pytest.mark.parametrize("kind", LARGE_KINDS)
def test_length_and_repetition_are_those_of_real_traces(kind: str) -> None:
    """Read as anybody's upload, run through the engine's own rules without a limit of room."""
    trace = read_trace(TraceFile(f"{kind}.jsonl", large_log(kind)), options=ReadOptions())
    assert trace.num_skipped == 0
    analysis = analyse(trace, Settings(BLOCK_TOKENS))
    mean = float(analysis.lengths.mean())
    assert abs(mean / PUBLISHED[kind].mean_tokens - 1) < ONE_IN_TEN
    assert analysis.best_rate == pytest.approx(PUBLISHED[kind].repeated, abs=POINT)


@pytest.mark.parametrize("kind", LARGE_KINDS)
def test_the_rows_are_whole(kind: str) -> None:
    rows = [json.loads(line) for line in large_log(kind).splitlines()]
    assert all(len(row["hash_ids"]) == -(-row["input_length"] // BLOCK_TOKENS) for row in rows)
    assert [row["timestamp"] for row in rows] == sorted(row["timestamp"] for row in rows)
    assert large_log(kind) == large_log(kind)
    assert large_log(kind) != large_log(kind, seed=8)


def test_sessions_pause_and_compact() -> None:
    """A pause of more than five minutes, and a prompt that is shorter than the one before it."""
    before: dict[str, tuple[int, int]] = {}
    pauses, shrunk = 0, 0
    for line in large_log("sessions").splitlines():
        row = json.loads(line)
        last_ms, length = before.get(row["session"], (row["timestamp"], 0))
        pauses += row["timestamp"] - last_ms > 300_000
        shrunk += row["input_length"] < length
        before[row["session"]] = (row["timestamp"], row["input_length"])
    assert pauses > 0
    assert shrunk > 0


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_says_what_is_published(lang: str) -> None:
    told = t("traffic.sample.stats", lang, mean="", most="", rate="", size="")  # type: ignore[arg-type]
    found = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,.]*\d", told)]
    expected = [
        part for one in PUBLISHED.values() for part in (one.mean_tokens, round(100 * one.repeated, 1))
    ]
    assert found == expected
