"""Damaged Hugging Face directories: loaded or refused in words, in memory that their size bounds."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.backends.decoders.loader import Model
from core.errors import BackendError
from tests.unit.core.backends.damage.tally import tally_folders
from tests.unit.core.backends.damage.ways import FOLDER_DAMAGES, WRONG_JSON, Folder
from tests.unit.core.backends.damage.whole import FOLDERS, outcome, write_folder
from tests.unit.core.backends.files import hf_config, safetensors_bytes

SEEDS = range(int(os.environ.get("BROTH_FUZZ", "40")))
"""Damaged directories of each kind; BROTH_FUZZ=5000 takes more."""

FACTOR, FLOOR = 100, 4 * 2**20
"""For monsters, which are small: Python's numbers and texts take many times their place in a file."""


@pytest.mark.parametrize("kind", FOLDERS)
def test_the_whole_directories_are_taken(tmp_path: Path, kind: str) -> None:
    """Or else every refusal below would prove nothing."""
    found = outcome(write_folder(kind, tmp_path))
    assert isinstance(found, Model)
    assert found.tokenizer is not None
    assert found.stop_ids == {0, 2}


@pytest.mark.parametrize("damage", FOLDER_DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", FOLDERS)
def test_damaged_directories_are_refused_or_harmless(tmp_path: Path, kind: str, damage: Folder) -> None:
    tally = tally_folders(kind, damage, SEEDS, tmp_path)
    assert 0 < tally.refused <= len(SEEDS)
    assert tally.worst < 1


@pytest.mark.parametrize("name", hf_config(FOLDERS["llama"][1]))
def test_no_setting_leaks_an_exception_whatever_it_says(tmp_path: Path, name: str) -> None:
    write_folder("llama", tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_bytes())
    for value in WRONG_JSON:
        path.write_text(json.dumps({**config, name: value}), "utf-8")
        outcome(tmp_path)


def head(text: bytes, data: bytes = b"") -> bytes:
    """A safetensors file with any head."""
    return struct.pack("<Q", len(text)) + text + data


def tensor(**changes: Any) -> bytes:
    """A file with one tensor."""
    entry = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16], **changes}
    return head(json.dumps({"x": entry}).encode(), bytes(16))


def monsters() -> Iterator[tuple[str, str, bytes]]:
    """A file that promises far more than it holds, or what cannot be: name, file, content."""
    shard, config = "model-0.safetensors", "config.json"
    whole = hf_config(FOLDERS["llama"][1])
    for name in ("num_hidden_layers", "head_dim", "hidden_size", "intermediate_size", "vocab_size"):
        yield name, config, json.dumps({**whole, name: 3_000_000}).encode()
        yield f"{name} 2^31", config, json.dumps({**whole, name: 2**31 - 2}).encode()
    heads = {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 2**31 - 2}
    yield "one long head", config, json.dumps({**whole, **heads}).encode()
    yield "head of 2^63 bytes", shard, struct.pack("<Q", 2**63) + b"{}"
    yield "head of 2^64 - 1 bytes", shard, struct.pack("<Q", 2**64 - 1) + b"{}"
    yield "lists of lists", shard, head(b"[" * 100_000)
    yield "objects of objects", shard, head(b'{"a":' * 100_000)
    yield "no text", shard, head(b'{"\xff": 1}')
    yield "a long number", shard, head(b'{"x": ' + b"9" * 10_000 + b"}")
    yield "shape", shard, tensor(shape=[2**40, 2**40])
    yield "shape of zeros", shard, tensor(shape=[0, 2**62])
    yield "axes", shard, tensor(shape=[1] * 1000)
    yield "outside", shard, tensor(data_offsets=[0, 2**62])
    yield "before the data", shard, tensor(data_offsets=[-16, 0])
    yield "backwards", shard, tensor(data_offsets=[16, 0])
    yield "a hole", shard, tensor(shape=[1, 2], data_offsets=[8, 16])
    both = {name: {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]} for name in "xy"}
    yield "one place for two", shard, head(json.dumps(both).encode(), bytes(16))
    yield (
        "twice",
        shard,
        head(b"{" + b",".join([b'"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'] * 2) + b"}"),
    )
    yield "a form of no kind", shard, tensor(dtype=["F32"])
    yield "no numbers", shard, tensor(shape=[True, 4], data_offsets=[0.0, 16.0])
    yield "a shard again", "model-9.safetensors", safetensors_bytes({"lm_head.weight": ("F32", [0], b"")})


@pytest.mark.parametrize(("name", "file", "content"), list(monsters()), ids=[one[0] for one in monsters()])
def test_a_promise_is_refused_before_memory_is_taken_for_it(
    tmp_path: Path, name: str, file: str, content: bytes
) -> None:
    write_folder("llama", tmp_path)
    (tmp_path / file).write_bytes(content)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    tracemalloc.start()
    try:
        found = outcome(tmp_path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, BackendError)
    assert found.code != "backend.memory"  # not by luck of a small machine
    assert peak < FACTOR * min(size, 2**16) + FLOOR, name
