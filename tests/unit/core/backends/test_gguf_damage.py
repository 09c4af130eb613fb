"""Damaged GGUF files: whatever a file says, it is loaded or refused in words, and needs no more memory than
its size allows. Damage is seeded; the files are small and made up here.
"""

from __future__ import annotations

import random
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends.decoders.loader import Model, ModelLoader
from core.backends.models.gguf import GgufFile
from core.backends.models.gguf_quants import FORMATS
from core.backends.models.sources import ModelSource
from core.errors import BackendError
from tests.unit.core.backends.files import (
    TOKENS,
    gguf_bytes,
    gguf_metadata,
    gguf_tensors,
    tokenizer_metadata,
)
from tests.unit.core.backends.tiny import VARIANTS, weights_of

SPEC = replace(VARIANTS["stretched"], vocab_size=len(TOKENS), folds_tokens=False)
TENSORS = gguf_tensors(SPEC, weights_of(SPEC))
SCORED = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.scores": [0.5] * len(TOKENS),
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.ggml.add_space_prefix": True,
}
KINDS = {
    "byte pairs": {**gguf_metadata(SPEC), **tokenizer_metadata()},
    "scores": {**gguf_metadata(SPEC), **tokenizer_metadata(), **SCORED},
}
NUM_SEEDS = 250
FACTOR, FLOOR = 100, 4 * 2**20
"""Python's numbers and texts take many times their place in a file; besides, libraries load and cache."""

Bytes = Callable[[random.Random, bytearray, int], None]


def outcome(path: Path) -> Model | BackendError:
    """The model, used once, or the refusal. Every other exception ends the test."""
    try:
        model = ModelLoader().load(ModelSource("gguf", str(path)))
    except BackendError as refusal:
        return refusal
    use(model)
    return model


def use(model: Model) -> None:
    """A prompt through tokenizer and decoder and back, as the page does it."""
    if model.tokenizer is None:
        return
    ids = model.tokenizer.encode("<|im_start|>hello 你好\n")
    model.tokenizer.texts(ids)
    model.tokenizer.texts(range(model.spec.vocab_size))
    with suppress(BackendError), np.errstate(all="ignore"):  # large numbers overflow, which raises nothing
        model.backend().recompute(tuple(ids)[: model.spec.max_positions])


# -- bytes ----------------------------------------------------------------------------------------------


def flip(dice: random.Random, data: bytearray, head: int) -> None:
    for _ in range(dice.randint(1, 4)):
        data[dice.randrange(head)] ^= 1 << dice.randrange(8)


def overwrite(dice: random.Random, data: bytearray, head: int) -> None:
    """A number in the head becomes one of those that break readers."""
    form, value = dice.choice(
        [("<I", 0), ("<I", 2**32 - 1), ("<I", 3_000_000), ("<Q", 0), ("<Q", 2**63), ("<Q", 2**64 - 1),
         ("<i", -2), ("<f", float("nan")), ("<I", 9), ("<I", 8)]
    )  # fmt: skip
    struct.pack_into(form, data, dice.randrange(4, head - 8), value)


def cut(dice: random.Random, data: bytearray, head: int) -> None:
    del data[dice.randrange(dice.choice([head, len(data)])) :]


def drop(dice: random.Random, data: bytearray, head: int) -> None:
    first = dice.randrange(head)
    del data[first : first + dice.randint(1, 64)]


def repeat(dice: random.Random, data: bytearray, head: int) -> None:
    first = dice.randrange(head)
    data[first:first] = data[first : first + dice.randint(1, 64)]


def scramble(dice: random.Random, data: bytearray, head: int) -> None:
    """The numbers themselves, not the head."""
    first = dice.randrange(head, len(data) - 64)
    data[first : first + 64] = dice.randbytes(64)


def head_of(data: bytes) -> int:
    """Where the tensors' data begin."""
    return len(data) - sum(len(raw) + -len(raw) % 32 for _, _, raw in TENSORS.values())


DAMAGES = (flip, overwrite, cut, drop, repeat, scramble)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_are_refused_or_harmless(tmp_path: Path, kind: str, damage: Bytes) -> None:
    whole, path = gguf_bytes(KINDS[kind], TENSORS), tmp_path / "m.gguf"
    head, refused = head_of(whole), 0
    for seed in range(NUM_SEEDS):
        data = bytearray(whole)
        damage(random.Random(f"{damage.__name__} {seed}"), data, head)
        path.write_bytes(data)
        refused += isinstance(outcome(path), BackendError)
    assert refused > 0


# -- entries --------------------------------------------------------------------------------------------

WRONG: tuple[Any, ...] = (
    0, 1, 3, 2**31, 3_000_000, -2, True, 0.0, -1.0, float("nan"), float("inf"), "", "x", "a b c",
    [1], [-1, 2**31 - 1], [0.5], [float("nan")], ["x"], ["a b c", "x"],
)  # fmt: skip


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
