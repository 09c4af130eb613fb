"""Damaged GGUF files: whatever a file says, it is loaded or refused in words, and needs no more memory than
its size allows. Damage is seeded; the files are small and made up here.
"""

from __future__ import annotations

import os
import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends.decoders.loader import Model
from core.backends.models.gguf import GgufFile
from core.backends.models.gguf_quants import FORMATS
from core.errors import BackendError
from tests.unit.core.backends.damage.tally import at_most, tally_entries, tally_files, tally_sparse
from tests.unit.core.backends.damage.ways import DAMAGES, GGUF_ENTRIES, WRONG, Bytes, Entries
from tests.unit.core.backends.damage.whole import KINDS, SPEC, TENSORS, outcome
from tests.unit.core.backends.files import TOKENS, gguf_bytes, gguf_metadata

SEEDS = range(int(os.environ.get("BROTH_FUZZ", "60")))
"""Damaged files of each kind; BROTH_FUZZ=5000 takes more."""

FACTOR, FLOOR = 100, 4 * 2**20
"""For monsters, which are small: Python's numbers and texts take many times their place in a file."""


# -- by dice --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_are_refused_or_harmless(tmp_path: Path, kind: str, damage: Bytes) -> None:
    tally = tally_files(kind, damage, SEEDS, tmp_path)
    assert tally.refused > 0 or damage.__name__ == "scramble"  # most numbers may be any number
    assert tally.worst < 1


@pytest.mark.parametrize("damage", GGUF_ENTRIES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_other_entries_are_refused_or_harmless(tmp_path: Path, kind: str, damage: Entries) -> None:
    tally = tally_entries(kind, damage, SEEDS, tmp_path)
    assert tally.refused > len(SEEDS) / 2
    assert tally.worst < 1


def test_long_files_that_hold_nothing_are_refused_in_little_memory(tmp_path: Path) -> None:
    tally = tally_sparse(SEEDS, tmp_path)
    assert tally.refused == len(SEEDS)
    assert tally.codes["backend.model_large"] > len(SEEDS) / 4
    assert tally.worst < 1


@pytest.mark.parametrize(
    ("kind", "promise", "part"),
    [
        ("a text", struct.pack("<IQ", 8, 5 * 2**30), "the head"),
        ("bytes", struct.pack("<IIQ", 9, 0, 1_500_000_000), "the head"),
        ("texts", struct.pack("<IIQ", 9, 8, 30_000_000), "the head: texts"),
    ],
)
def test_more_than_any_model_has_is_told_at_once(
    tmp_path: Path, kind: str, promise: bytes, part: str
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"x" + promise)
    os.truncate(path, 10 * 2**30)
    with at_most(2**30):
        found = outcome(path)
    assert isinstance(found, BackendError)
    assert (found.code, found.values["part"]) == ("backend.model_large", part), kind


# -- entries --------------------------------------------------------------------------------------------


RARE = (
    "general.alignment",
    "llama.rope.dimension_count",
    "llama.rope.scaling.type",
    "tokenizer.ggml.eot_token_id",
)


@pytest.mark.parametrize("name", sorted({*KINDS["scores"], *RARE}))
@pytest.mark.parametrize("kind", KINDS)
def test_no_entry_leaks_an_exception_whatever_it_says(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / "m.gguf"
    for value in WRONG:
        path.write_bytes(gguf_bytes({**KINDS[kind], name: value}, TENSORS))
        outcome(path)
    path.write_bytes(gguf_bytes({key: one for key, one in KINDS[kind].items() if key != name}, TENSORS))
    outcome(path)


CANNOT_BE: tuple[tuple[str, Any], ...] = (
    ("general.alignment", 0),
    ("general.alignment", "32"),
    ("llama.attention.head_count", 0),
    ("llama.attention.head_count", -2),
    ("llama.attention.head_count_kv", 3),
    ("llama.attention.head_count_kv", [2, 2, 2]),
    ("llama.attention.key_length", 7),
    ("llama.attention.layer_norm_rms_epsilon", float("nan")),
    ("llama.attention.value_length", 4),
    ("llama.vocab_size", 300),
    ("tokenizer.ggml.tokens", ["a"]),
    ("llama.rope.freq_base", 0.0),
    ("llama.context_length", True),
    ("tokenizer.ggml.token_type", [1, 1]),
    ("tokenizer.ggml.merges", ["abc"]),
    ("tokenizer.ggml.eos_token_id", [2]),
    ("tokenizer.chat_template", 3),
)


@pytest.mark.parametrize(("name", "value"), CANNOT_BE)
def test_what_cannot_be_is_called_damaged(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({**KINDS["byte pairs"], name: value}, TENSORS))
    found = outcome(path)
    assert isinstance(found, BackendError)
    assert found.code == "backend.model_damaged"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tokenizer.ggml.scores", [0.5]),
        ("tokenizer.ggml.unknown_token_id", len(TOKENS)),
        ("tokenizer.ggml.add_space_prefix", 1),
    ],
)
def test_scores_that_cannot_be_are_called_damaged(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({**KINDS["scores"], name: value}, TENSORS))
    found = outcome(path)
    assert isinstance(found, BackendError)
    assert found.code == "backend.model_damaged"


# -- memory ---------------------------------------------------------------------------------------------


def monsters() -> Iterator[tuple[str, bytes]]:
    """Files that promise far more than they hold."""
    plain = KINDS["byte pairs"]
    yield "layers", gguf_bytes({**plain, "llama.block_count": 3_000_000}, TENSORS)
    yield "hidden", gguf_bytes({**plain, "llama.embedding_length": 2**31 - 1}, TENSORS)
    name = "token_embd.weight"
    yield "rows", gguf_bytes(plain, {**TENSORS, name: ((2**40, 32), 0, bytes(64))})
    yield "overflow", gguf_bytes(plain, {**TENSORS, name: ((2**62, 4), 0, bytes(64))})
    yield "axes", gguf_bytes(plain, {**TENSORS, name: ((1,) * 500, 0, bytes(64))})
    nested = struct.pack("<Q", 1) + b"n" + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 50_000
    yield "lists of lists", b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + nested
    for count in (2**20, 2**62):
        long = struct.pack("<Q", 1) + b"n" + struct.pack("<IIQ", 9, 10, count) + bytes(1000)
        yield f"{count} numbers", b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + long
    yield "entries", b"GGUF" + struct.pack("<IQQ", 3, 2**63, 2**63)
    yield "one place for all", shared_place()


def shared_place() -> bytes:
    """Many tensors that lie in the same place: each is inside the file, together they are many files."""
    data = bytes(2**16)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1000, 0)
    for number in range(1000):
        name = f"blk.{number}.attn_norm.weight".encode()
        head += struct.pack("<Q", len(name)) + name + struct.pack("<IQIQ", 1, len(data) // 4, 0, 0)
    return head + bytes(-len(head) % 32) + data


@pytest.mark.parametrize(("name", "content"), list(monsters()), ids=[name for name, _ in monsters()])
def test_a_promise_is_refused_before_memory_is_taken_for_it(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        found = outcome(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, BackendError)
    assert found.code != "backend.memory"  # not by luck of a small machine
    assert peak < FACTOR * len(content) + FLOOR, name


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_files_are_taken(tmp_path: Path, kind: str) -> None:
    """Or else every refusal above would prove nothing."""
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes(KINDS[kind], TENSORS))
    found = outcome(path)
    assert isinstance(found, Model)
    assert found.tokenizer is not None


@pytest.mark.parametrize("kind", [kind for kind, form in FORMATS.items() if form.block > 1])
def test_packed_numbers_that_are_none_are_refused(tmp_path: Path, kind: int) -> None:
    """Random blocks hold scales that are infinite or no number; the sum is refused, not computed with."""
    form = FORMATS[kind]
    raw = np.random.default_rng(kind).integers(0, 256, (4096, form.size), dtype=np.uint8).tobytes()
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({}, {"x": ((4096, form.block), kind, raw)}))
    with pytest.raises(BackendError) as caught:
        GgufFile(path).tensor("x")
    assert caught.value.code == "backend.model_damaged"


def test_a_long_name_is_told_shortly(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({**gguf_metadata(SPEC), "general.architecture": "x" * 10_000}, TENSORS))
    assert len(str(outcome(path))) < 400
