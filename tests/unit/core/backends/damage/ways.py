"""Ways to damage a model, each by dice: bytes, lengths, single entries, the files of a folder."""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.unit.core.backends.damage.whole import KINDS, TENSORS
from tests.unit.core.backends.files import gguf_bytes

WRONG: tuple[Any, ...] = (
    0, 1, 3, 2**31, 3_000_000, -2, True, 0.0, -1.0, float("nan"), float("inf"), "", "x", "a b c",
    [1], [-1, 2**31 - 1], [0.5], [float("nan")], ["x"], ["a b c", "x"],
)  # fmt: skip
WRONG_JSON: tuple[Any, ...] = (
    *WRONG, None, {}, [], {"x": 1}, [[1]], 2**70, 1e300, "\ud800", "../x", "a\nb", [None], [{}],
)  # fmt: skip
"""What an entry becomes: other kinds, and numbers that cannot be."""

Bytes = Callable[[random.Random, bytearray, int], None]
Entries = Callable[[random.Random, str], bytes]
Folder = Callable[[random.Random, Path], None]

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
    first = dice.randrange(min(head, max(0, len(data) - 64)), max(1, len(data) - 63))
    data[first : first + 64] = dice.randbytes(64)


def head_of(data: bytes) -> int:
    """Where the tensors' data begin in a GGUF file with ``TENSORS``."""
    return len(data) - sum(len(raw) + -len(raw) % 32 for _, _, raw in TENSORS.values())


DAMAGES: tuple[Bytes, ...] = (flip, overwrite, cut, drop, repeat, scramble)


# -- entries of a GGUF file -----------------------------------------------------------------------------


def gguf_entry(dice: random.Random, kind: str) -> bytes:
    """One or two entries say something else."""
    metadata = dict(KINDS[kind])
    for name in dice.sample(sorted(metadata), dice.randint(1, 2)):
        metadata[name] = wrong(dice, WRONG)
    return gguf_bytes(metadata, TENSORS)


def gguf_place(dice: random.Random, kind: str) -> bytes:
    """A tensor is of another shape or form, is missing, or stands there under another one's name."""
    tensors = dict(TENSORS)
    name, other = dice.sample(sorted(tensors), 2)
    shape, form, raw = tensors.pop(name)
    match dice.randrange(5):
        case 0:
            sizes = (0, 1, 2, 31, 2**31, 2**62, *shape)
            tensors[name] = ([dice.choice(sizes) for _ in range(dice.randint(1, 4))], form, raw)
        case 1:
            tensors[name] = (shape, dice.choice([1, 2, 8, 12, 14, 19, 24, 30, 99, 2**31]), raw)
        case 2:
            tensors[name] = tensors[other]
        case 3:
            tensors[dice.choice(["blk.3.attn_norm.weight", "blk.0.ffn_gate_inp.weight", ""])] = (
                shape,
                form,
                raw,
            )
            tensors[name] = (shape, form, raw)
        case _:
            tensors[name] = (shape, form, raw[: dice.randrange(len(raw))])
    return gguf_bytes(KINDS[kind], tensors)


GGUF_ENTRIES = (gguf_entry, gguf_place)


# -- files that are long and hold little -----------------------------------------------------------------


def sparse_head(dice: random.Random) -> bytes:
    """The beginning of a GGUF file that promises a long text, array or list, of any length."""
    count = int(2 ** dice.uniform(8, 40))
    inner = dice.choice([0, 4, 6, 8, 9, 10, 12])
    array = struct.pack("<II", 9, inner) + struct.pack("<Q", count)
    promise = dice.choice([struct.pack("<IQ", 8, count), array, array])
    entry = struct.pack("<Q", 1) + b"x" + promise
    num_tensors, num_entries = dice.choice([(0, 1), (0, 1), (0, count), (count, 0)])
    name = struct.pack("<Q", count) if dice.random() < 0.2 else entry
    return b"GGUF" + struct.pack("<IQQ", 3, num_tensors, num_entries) + name


# -- a directory ----------------------------------------------------------------------------------------


def any_bytes(dice: random.Random, folder: Path) -> None:
    """Bytes of any of its files."""
    path = dice.choice(sorted(folder.iterdir()))
    data = bytearray(path.read_bytes())
    head = len(data) if path.suffix == ".json" else 8 + struct.unpack_from("<Q", data)[0]
    dice.choice(DAMAGES)(dice, data, head)
    path.write_bytes(data)


def json_entry(dice: random.Random, folder: Path) -> None:
    """Anywhere in one of the JSON files something else stands."""
    path = dice.choice(sorted(folder.glob("*.json")))
    tree = json.loads(path.read_bytes())
    change(dice, tree)
    path.write_text(json.dumps(tree), "utf-8")


def config_entry(dice: random.Random, folder: Path) -> None:
    """One or two settings of the model say something else."""
    path = folder / "config.json"
    tree = json.loads(path.read_bytes())
    for name in dice.sample(sorted(tree), dice.randint(1, 2)):
        tree[name] = wrong(dice, WRONG_JSON)
    path.write_text(json.dumps(tree), "utf-8")


def shard_head(dice: random.Random, folder: Path) -> None:
    """A tensor's form, shape or place is another one."""
    path = dice.choice(sorted(folder.glob("*.safetensors")))
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    head = json.loads(data[8 : 8 + size])
    for _ in range(dice.randint(1, 2)):
        change(dice, head)
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])


def files_about(dice: random.Random, folder: Path) -> None:
    """A file is missing, a folder, another one, or stands there twice."""
    path, other = dice.sample(sorted(folder.iterdir()), 2)
    match dice.randrange(5):
        case 0:
            path.unlink()
        case 1:
            path.unlink()
            path.mkdir()
        case 2:
            shutil.copyfile(other, path)
        case 3:
            shutil.copyfile(path, folder / f"another{path.suffix}")
        case _:
            path.unlink()
            path.symlink_to(dice.choice([path, other, folder, Path("/dev/null"), Path("/nowhere")]))


def grown(dice: random.Random, folder: Path) -> None:
    """A file is as long as a disk, and holds nothing there."""
    os.truncate(dice.choice(sorted(folder.iterdir())), int(2 ** dice.uniform(16, 35)))


FOLDER_DAMAGES: tuple[Folder, ...] = (any_bytes, json_entry, config_entry, shard_head, files_about, grown)


def wrong(dice: random.Random, values: tuple[Any, ...]) -> Any:
    """One of them, freshly made: what is damaged once more must not be the constant itself."""
    return copy.deepcopy(dice.choice(values))


def change(dice: random.Random, tree: Any) -> None:
    """Walk down at random; what is found there is replaced, removed or repeated, its number doubled."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        if not keys:
            return
        key = dice.choice(keys)
        if not isinstance(tree[key], dict | list) or dice.random() < 0.2:
            break
        tree = tree[key]
    match dice.randrange(5):
        case 0:
            del tree[key]
        case 1 if isinstance(tree[key], int):
            tree[key] = dice.choice([tree[key] * 2, tree[key] + 1, -tree[key], 2**63])
        case 2 if isinstance(tree, dict):
            tree[dice.choice(["", "x", *tree])] = tree.pop(key)
        case _:
            tree[key] = wrong(dice, WRONG_JSON)
