"""Logs broken in one known way: the best repair reaches what the known one reaches, and names the place."""

from __future__ import annotations

import json
import tarfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import analyse, misses_of
from core.traffic.diagnosis.findings import LEAST_GAIN, Finding
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.samples import KINDS, sample_log
from core.traffic.settings import Settings
from tests.unit.core.traffic.diagnosis.made_logs import MAKERS, as_text, made

HANDED = Path(__file__).resolve().parents[4] / "data" / "causes.tar.xz"


@lru_cache(maxsize=1)
def handed() -> dict[str, str]:
    with tarfile.open(HANDED) as files:
        return {one.name: files.extractfile(one).read().decode() for one in files}  # type: ignore[union-attr]


def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(handed()["truth.json"])
    return found


def diagnosed(text: str, size: int = 16) -> tuple[float, tuple[Finding, ...]]:
    options = ReadOptions()
    analysis = analyse(read_trace(TraceFile("log", text), options=options), Settings(size))
    return analysis.hit_rate or 0.0, find_causes(analysis, misses_of(analysis), options.tokenizer)


def check(broken: str, mended: str, path: str | None) -> None:
    have, found = diagnosed(broken)
    could, _ = diagnosed(mended)
    for one in found:
        assert [offer.computed_after for offer in one.offers] == sorted(
            offer.computed_after for offer in one.offers
        )
        assert all(offer.rate_after >= have + LEAST_GAIN for offer in one.offers)
        assert all(offer.computed_after < one.computed_before for offer in one.offers)
    if path is None:
        assert found == ()
        return
    best = max(found, key=lambda one: one.best.rate_after)
    assert best.best.rate_after - have >= 0.8 * (could - have)
    assert best.path.startswith(path) or path.startswith(best.path)


@pytest.mark.parametrize("name", sorted(truth()))
def test_the_handed_logs(name: str) -> None:
    check(handed()[f"{name}.jsonl"], handed()[f"{name}.repaired.jsonl"], truth()[name]["path"])


@pytest.mark.parametrize("seed", [3, 14, 159])
@pytest.mark.parametrize("kind", MAKERS)
def test_logs_with_other_words(kind: str, seed: int) -> None:
    one = made(kind, seed)
    check(as_text(one.broken), as_text(one.mended), one.path)


@pytest.mark.parametrize("name", ["iso_time.paragraphs", "slash_date.same_line", "uuid.lines"])
def test_the_span_is_named(name: str) -> None:
    _, found = diagnosed(handed()[f"{name}.jsonl"])
    texts = truth()[name]["span"]
    first = found[0]
    assert first.characters is not None
    messages = [json.loads(line)["messages"] for line in handed()[f"{name}.jsonl"].splitlines()]
    start, stop = first.characters
    content = messages[first.example][0]["content"]
    assert content[:start] == texts[0][:start] != ""
    assert texts[0][start:].startswith(content[start : start + 4]) or first.kind == "id"
    assert stop - start in range(len(texts[0]) - start - 1, len(texts[0]) - start + 1)
    assert first.kind == {"iso": "date_time", "sla": "date", "uui": "id"}[name[:3]]


def test_a_log_of_blocks_gets_no_guess() -> None:
    """Every new turn was called "a token differs"; ids cannot tell whether the talk went on."""
    rows = [
        {
            "timestamp": n,
            "input_length": 700 + 512 * n,
            "output_length": 1,
            "hash_ids": [*range(n + 1), 90 + n],
        }
        for n in range(6)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    analysis = analyse(read_trace(TraceFile("log", text)), Settings(512))
    misses = misses_of(analysis)
    assert {miss.reason for miss in misses[1:]} <= {"unknown", "all"}
    assert find_causes(analysis, misses, ReadOptions().tokenizer) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_the_samples(kind: str) -> None:
    have, found = diagnosed(sample_log(kind))
    assert found
    assert all(0 < have < one.best.rate_after < 1 for one in found)
    assert {one.rate_before for one in found} == {have}
    expected = {"chat": "trimmed_history", "rag": "shuffled_documents", "templates": "changing_text"}
    assert found[0].cause == expected.get(kind, found[0].cause)


def test_evicted_and_expired_are_causes_too() -> None:
    text = " ".join(["noodle"] * 17)
    rows = [{"prompt": f"{name} {text}", "timestamp": 100 * k} for k, name in enumerate("abab")]
    log = "".join(json.dumps(row) + "\n" for row in rows)
    for settings, cause in ((Settings(4, 5), "evicted"), (Settings(4, None, ttl_s=10.0), "expired")):
        analysis = analyse(read_trace(TraceFile("log", log)), settings)
        found = find_causes(analysis, misses_of(analysis), ReadOptions().tokenizer)
        one = next(one for one in found if one.cause == cause)
        assert (one.num_requests, one.rate_before, one.best.rate_after) == (2, 0.0, 32 / 72)


def test_prompts_that_are_too_short_for_a_block() -> None:
    """Of three tokens the last one is always computed: blocks of 4 gain nothing either."""
    assert diagnosed((json.dumps({"prompt": "one two three"}) + "\n") * 2)[1] == ()
    _, found = diagnosed((json.dumps({"prompt": "one two three four five six"}) + "\n") * 2)
    assert [(one.cause, one.num_requests, one.best.value) for one in found] == [("too_short", 2, 4)]


def test_an_image_is_no_text_that_could_be_left_out() -> None:
    """Its placeholder, which is ours, was called an id and offered to be dropped."""
    text = {"type": "text", "text": " ".join(f"rule{n}" for n in range(80))}
    images = [{"type": "image_url", "image_url": {"url": f"data:{n}"}} for n in range(6)]
    rows = [{"messages": [{"role": "user", "content": [image, text]}]} for image in images]
    found = diagnosed("".join(json.dumps(row) + "\n" for row in rows))[1]
    assert [one.cause for one in found if one.cause != "too_short"] == []
