"""Any text: every one has bytes of its own for a hash, and a form that files and browsers take."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.engine.hash_chain import block_extras, hash_chain
from core.replay.block_chain import chain_of_ids
from core.scenario.token_streams import TokenStreams
from core.scenario.tokenizer import TeachingTokenizer
from core.texts import escaped, showable, text_bytes
from core.traces.door.read import read_trace
from core.traces.packing.sources import TraceFile
from core.types import MultiModalItem, Request
from tests.strategies import any_texts, texts
from ui.stage.own import OwnPrompts
from ui.stage.record import run_name
from ui.stage.setup import Setup

ROOT = Path(__file__).resolve().parents[3]
HALF, OTHER = "\ud83c", "\udf5c"
"""The halves of 🍜."""


@given(any_texts, any_texts)
@example("\ud800", "")
@example(HALF + OTHER, "🍜")
@example("\ufffd", HALF)
@example("\\ud83c", HALF)
@example("\xed\xa0\xbc", HALF)
def test_different_texts_have_different_bytes(one: str, other: str) -> None:
    assert (text_bytes(one) == text_bytes(other)) == (one == other)
    assert text_bytes(one).decode("utf-8", "surrogatepass") == one


@given(any_texts)
@example("\ufeff" + HALF)
def test_what_is_shown_is_utf_8_and_ordinary_text_is_as_it_was(text: str) -> None:
    shown = showable(text)
    assert shown.encode("utf-8").decode("utf-8") == shown == showable(shown)
    ordinary = "".join(char for char in text if not "\ud800" <= char <= "\udfff")
    assert showable(ordinary) == escaped(ordinary) == ordinary
    assert text_bytes(ordinary) == ordinary.encode("utf-8")


def test_each_half_is_one_sign() -> None:
    assert showable(f"a{HALF}b{OTHER}{OTHER}{HALF}") == "a\ufffdb\ufffd\ufffd\ufffd"
    assert showable(HALF + OTHER) == "🍜"


@given(st.dictionaries(texts, texts, max_size=3))
@example({'"\\': '\\"' + HALF})
def test_escaped_json_is_the_same_json(value: dict[str, str]) -> None:
    written = escaped(json.dumps(value, ensure_ascii=False))
    assert json.loads(written.encode("utf-8")) == value


# -- where text enters a hash -------------------------------------------------------------------------


def test_digests_of_ordinary_text_stay_what_they_were() -> None:
    """Written down once: links, kept results and pictures rest on them."""
    request = Request(
        "a", (1,), salt="salt 盐 🍜", lora=("adapter é", "/path/汤"), mm=(MultiModalItem("图 1", 1, 3),)
    )
    assert [digest.hex() for digest in hash_chain(range(6), 2, request=request, version="v1 版")] == [
        "1c4404031392775a02fb666496234663",
        "94cc49d9f47562968fe0a8c8561544ff",
        "2f02c7ad06949e0d60d56d1a3e3dee57",
    ]
    assert TeachingTokenizer().encode("Hot soup: 一碗面 🍜 naïve") == [
        *(1350929220, 2053085880, 1231411220, 1473769152, 2018995095, 1127794823, 178237406, 1816792878)
    ]
    assert TokenStreams().parse("S[0:1] x汤[5000:5001]") == (3363020800, 3440206728)
    assert chain_of_ids([1], 4, 4, scope="盐🍜").scope == b"\xe7\x9b\x90\xf0\x9f\x8d\x9c"
    assert run_name(Setup("own", {"salt": "盐"}, OwnPrompts("汤", ("🍜",)))) == "own-23a8ba"
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "汤🍜"}}]}
    trace = read_trace(TraceFile("x", json.dumps({"messages": [picture]})))
    assert trace.requests[0].segments[1].text == "<image_url 811ef21278747e2f>"


def of_salt(text: str) -> object:
    return block_extras(Request("a", (1,), salt=text), "", 0, 4)


def of_adapter(text: str) -> object:
    return block_extras(Request("a", (1,), lora=("n", text)), "", 0, 4)


def of_image(text: str) -> object:
    return block_extras(Request("a", (1,), mm=(MultiModalItem(text, 0, 1),)), "", 0, 4)


def of_version(text: str) -> object:
    return block_extras(Request("a", (1,)), text, 0, 4)


def of_tokens(text: str) -> object:
    return TeachingTokenizer().encode(text)


def of_scope(text: str) -> object:
    return chain_of_ids([1], 4, 4, scope=text).scope


def of_run(text: str) -> object:
    return run_name(Setup("P4", {"salt": text}))


def of_log(text: str) -> object:
    part = {"type": "image_url", "image_url": {"url": text}}
    row = {"messages": [{"role": "user", "content": [part]}], "cache_salt": text}
    found = read_trace(TraceFile("x", json.dumps(row))).requests[0]
    return found.segments[1].text, found.request().salt


@pytest.mark.parametrize(
    "identity", [of_salt, of_adapter, of_image, of_version, of_tokens, of_scope, of_run, of_log]
)
def test_every_way_into_a_hash_takes_any_text_and_keeps_it_apart(identity: object) -> None:
    found = [identity(text) for text in ("x", HALF, OTHER, "\ud800", "\ufffd", "\\ud83c", "🍜", "\0")]  # type: ignore[operator]
    assert len(set(map(repr, found))) == len(found)


HASHES = ("xxh3_", "xxh32_", "xxh64_", "blake2b", "sha256", "md5", "update")
NO_TEXTS = {
    "core/cluster/store/frame.py": "hex digits and numbers",
    "core/demo/cache.py": "token ids",
    "core/demo/faults.py": "token ids",
    "core/demo/sisters.py": "token ids",
    "ui/frame/static_files.py": "names of our own files",
    "ui/lecture/own.py": "letters of a packed sequence",
    "ui/prefill/prefix_payload.py": "a repr, which escapes what is no text",
    "ui/server/parcel.py": "Streamlit's own modules",
    "ui/stage/payload.py": "hex digits",
    "ui/study/draw.py": "names of our own questions",
    "ui/study/variants.py": "names of our own questions",
}
"""Modules that hash no text of anybody: what they encode instead."""


def encoded_by_hand(source: str) -> list[int]:
    """Lines on which something is hashed that was encoded on the spot, and not by ``text_bytes``."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    hashing = [c for c in calls if _name(c).startswith(HASHES)]
    inside = (node for call in hashing for part in call.args for node in ast.walk(part))
    return sorted(n.lineno for n in inside if isinstance(n, ast.Call) and _name(n) == "encode")


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_one_function_encodes_what_is_hashed() -> None:
    files = [path for room in ("core", "ui", "pages") for path in (ROOT / room).rglob("*.py")]
    names = {path.relative_to(ROOT).as_posix(): path for path in files}
    found = {name for name, path in names.items() if encoded_by_hand(path.read_text("utf-8"))}
    assert found == set(NO_TEXTS)
    assert encoded_by_hand("x = xxh3_64_digest(name.encode('utf-8', 'surrogatepass'))") == [1]
