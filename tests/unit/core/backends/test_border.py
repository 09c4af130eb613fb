"""The places of tensors, names that come twice, numbers that are none, and how a refusal is told."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.backends.models.border import Settings, refused_if_damaged
from core.backends.models.gguf import GgufFile
from core.backends.models.hf_directory import HfDirectory
from core.backends.models.json_file import read_json
from core.backends.models.refusals import LONGEST, refusal, told_shortly
from core.backends.models.safetensors import SafetensorsFile
from core.errors import BackendError
from tests.unit.core.backends.files import gguf_bytes, safetensors_bytes, write_hf
from tests.unit.core.backends.tiny import TINY, weights_of


def gguf_of(*tensors: tuple[str, tuple[int, ...], int], size: int = 256, kind: int = 0) -> bytes:
    """A file of (name, shape, offset) over so many bytes of data."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 0)
    for name, shape, offset in tensors:
        head += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", kind, offset)
    return head + bytes(-len(head) % 32) + bytes(size)


def cause_of(opened: Any, path: Path) -> tuple[str, object]:
    with pytest.raises(BackendError) as caught:
        opened(path)
    return caught.value.code.removeprefix("backend.model_"), caught.value.values.get("part")


@pytest.mark.parametrize(
    ("content", "cause", "part"),
    [
        (gguf_of(("a", (32,), 0), ("b", (32,), 96)), "damaged", "b"),  # a ends at 128
        (gguf_of(("a", (32,), 0), ("b", (32,), 0)), "damaged", "b"),
        (gguf_of(("a", (8,), 0), ("b", (8,), 33)), "damaged", "b"),  # not where the alignment says
        (gguf_of(("a", (32,), 0), ("b", (32,), 256)), "cut_off", "b"),
        (gguf_of(("a", (32,), 2**63)), "cut_off", "a"),
        (gguf_of(("a", (0, 2**62), 0)), "damaged", "a"),
        (gguf_of(("a", (2, 16), 0), kind=2), "damaged", "a"),  # half a block of Q4_0 a row
        (gguf_of(("a", (8,), 0), ("a", (8,), 32)), "twice", "a"),
        (
            gguf_bytes({"x": 1}, {}).replace(b"\1\0\0\0\0\0\0\0x", b"\1\0\0\0\0\0\0\0\xff"),
            "damaged",
            "the head",
        ),
    ],
)
def test_a_gguf_file_whose_places_cannot_be(tmp_path: Path, content: bytes, cause: str, part: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    assert cause_of(GgufFile, path) == (cause, part)


def test_tensors_beside_each_other_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_of(("b", (32,), 128), ("a", (32,), 0)))
    assert GgufFile(path).shapes() == {"b": (32,), "a": (32,)}


def test_an_entry_that_comes_twice(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({"one": 1, "two": 2}, {}).replace(b"two", b"one"))
    assert cause_of(GgufFile, path) == ("twice", "one")


def shard(*places: tuple[str, int, int], size: int = 32, dtype: str = "F32") -> bytes:
    """A safetensors file of (name, first, last) over so many bytes."""
    head = {
        name: {"dtype": dtype, "shape": [(last - first) // 4], "data_offsets": [first, last]}
        for name, first, last in places
    }
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + bytes(size)


@pytest.mark.parametrize(
    ("content", "cause", "part"),
    [
        (shard(("a", 0, 16), ("b", 8, 32)), "damaged", "b"),
        (shard(("a", 0, 32), ("b", 0, 32)), "damaged", "b"),
        (shard(("a", 0, 8), ("b", 16, 32)), "damaged", "b"),
        (shard(("a", 0, 16)), "damaged", "the end"),
        (shard(("a", 0, 64)), "cut_off", "a"),
        (shard(("a", 0, 32), dtype="F16"), "damaged", "a"),
    ],
)
def test_a_shard_whose_places_cannot_be(tmp_path: Path, content: bytes, cause: str, part: str) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(content)
    assert cause_of(SafetensorsFile, path) == (cause, part)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(tmp_path: Path, number: float) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors_bytes({"a": ("F32", [2], struct.pack("<2f", 1.0, number))}))
    assert cause_of(SafetensorsFile(path).tensor, "a") == ("damaged", "a")  # type: ignore[arg-type]


def test_a_head_that_is_the_embedding_once_more_may_be_stored(tmp_path: Path) -> None:
    """Or else it is another head, and one of the two would be left out."""
    spec = replace(TINY, tied_head=True)
    write_hf(tmp_path, spec, weights_of(spec))
    rows = weights_of(spec).embedding
    extra = tmp_path / "model-2.safetensors"
    extra.write_bytes(safetensors_bytes({"lm_head.weight": ("F32", rows.shape, rows.tobytes())}))
    assert HfDirectory(tmp_path).spec.tied_head
    extra.write_bytes(safetensors_bytes({"lm_head.weight": ("F32", rows.shape, (rows + 1).tobytes())}))
    assert cause_of(HfDirectory, tmp_path)[0] == "part"


def test_quantised_shards_are_refused_before_loading(tmp_path: Path) -> None:
    write_hf(tmp_path, TINY, weights_of(TINY))
    path = tmp_path / "model-1.safetensors"
    path.write_bytes(path.read_bytes().replace(b'"F32"', b'"I32"', 1))
    assert cause_of(HfDirectory, tmp_path)[0] == "quantised"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "m.gguf")
    assert cause_of(GgufFile, tmp_path / "m.gguf")[0] == "unreadable"
    os.mkfifo(tmp_path / "config.json")
    assert cause_of(HfDirectory, tmp_path) == ("missing", "config.json")


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    long = tmp_path / ("m" * 300)
    assert cause_of(GgufFile, long)[0] == "unreadable"
    assert cause_of(HfDirectory, long)[0] == "missing"


def test_settings_are_told_apart_by_name_value_and_type() -> None:
    settings = Settings(used=["layers"], only={"experts": (0,), "bias": (False,)}, harmless=["author"])
    settings.refuse_others("m", {"layers": 3, "experts": 0, "bias": False, "author": [1]})
    for found, code in (
        ({"experts": 8}, "part"), ({"experts": False}, "part"), ({"bias": 0}, "part"),
        ({"experts": [0]}, "part"), ({"new": None}, "setting"),
    ):  # fmt: skip
        with pytest.raises(BackendError) as caught:
            settings.refuse_others("m", found)
        assert caught.value.code == f"backend.model_{code}"


def test_what_a_file_says_is_told_in_one_short_line_that_can_be_shown() -> None:
    assert told_shortly("a\nb\ud800汤") == "a\\nb\\ud800汤"
    assert len(str(told_shortly("x" * 10_000))) == LONGEST + 1
    assert told_shortly(24) == 24
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert told_shortly(deep) == "[…]"
    assert str(refusal("part", "m\udcff.gguf", found="x")).encode("utf-8")


def test_what_a_reader_stumbles_over_is_damage_and_a_refusal_stays_one(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="what it says at tokens"), refused_if_damaged("m", "tokens"):
        {}["x"]
    with pytest.raises(BackendError, match="lacks"), refused_if_damaged("m", "tokens"):
        read_json(tmp_path / "gone.json", "m")
