"""Own prompts: packed for a link and back, bombs refused, shown as text in the preview of the cut."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ScenarioError
from core.scenario.tokenizer import TeachingTokenizer
from core.texts import showable
from tests.strategies import any_texts, shown_texts
from ui.frame.session import plain
from ui.stage.own import MAX_OWN_CHARS, OwnPrompts, own_from_file, own_to_file, pack_own, unpack_own
from ui.stage.own_preview import Looked, blocks_line

owns = st.builds(OwnPrompts, any_texts, st.lists(any_texts, max_size=5).map(tuple), any_texts)


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


@given(owns)
def test_packing_and_back(own: OwnPrompts) -> None:
    """As it was, but for halves of surrogate pairs: no widget takes them."""
    text = pack_own(own)
    assert unpack_own(text) == OwnPrompts(
        showable(own.system), tuple(map(showable, own.messages)), showable(own.answer)
    )
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_half_a_surrogate_pair_is_replaced() -> None:
    """No widget takes it: a link that carried one once broke the page."""
    own = unpack_own(pack_own(OwnPrompts("a\ud800b", ("\udfff", "\ud83c\udf5c"), "")))
    assert own == OwnPrompts("a\ufffdb", ("\ufffd", "\U0001f35c"), "")


@given(
    st.one_of(any_texts, st.binary().map(packed), owns.map(pack_own).map(lambda text: text[: len(text) // 2]))
)
def test_damaged_packs_are_nothing(text: str) -> None:
    own = unpack_own(text)
    assert own is None or isinstance(own, OwnPrompts)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "[]",
        '["a"]',
        '["a", "b", "c"]',
        '["a", ["b"], "c", "d"]',
        '["a", [1], "c"]',
        '["a", [null], "c"]',
        '[1, ["b"], "c"]',
        '{"a": 1, "b": 2, "c": 3}',
        '"abc"',
        "12",
        '["a", {"b": 1}, "c"]',
        "9" * 5_000,
        "[" * 100_000,
        '["a", ' + "[" * 50_000 + "]" * 50_000 + ', "c"]',
    ],
    ids=lambda data: data[:20],
)
def test_other_json_is_nothing(data: str) -> None:
    assert unpack_own(packed(data.encode())) is None


def test_bytes_that_are_no_text_are_nothing() -> None:
    assert unpack_own(packed(b'["\xff", [], ""]')) is None


def test_a_bomb_is_never_unpacked() -> None:
    """100 MB of zeros in a link of some hundred characters: refused without making them."""
    bomb = packed(b'["' + b"a" * 100_000_000 + b'", [], ""]')
    assert len(bomb) < 200_000
    assert unpack_own(bomb) is None


def test_as_much_as_the_stage_takes_comes_back() -> None:
    own = OwnPrompts("面" * (MAX_OWN_CHARS - 10), ("汤" * 10,))
    assert own.num_chars == MAX_OWN_CHARS
    assert unpack_own(pack_own(own)) == own


# -- the preview -------------------------------------------------------------------------------------------


def preview(text: str, size: int = 4) -> str:
    return blocks_line(Looked(tuple(TeachingTokenizer().pieces(text)), 0), size)


def test_full_blocks_and_the_rest() -> None:
    assert (
        preview("one two three four five")
        == ":orange-background[+ one two three four] :orange-background[+ ␣five …]"
    )


def test_a_word_without_an_end_does_not_flood_the_page() -> None:
    shown = preview(f"one {'x' * 900_000} three")
    assert shown == f":orange-background[+ one {'x' * 23}… three …]"


def test_markup_is_escaped() -> None:
    """Streamlit reads Markdown: nothing a person typed may act as such."""
    shown = preview("<b>x</b> [a](b) :red[x] $x$ `c` **d** ![i](j)", 64)
    inside = shown.removeprefix(":orange-background[").removesuffix(" …]")
    assert inside != shown
    bare = [char for n, char in enumerate(inside) if char in "<>[]()*`$:!_#" and inside[n - 1] != "\\"]
    assert bare == []


@given(any_texts)
def test_the_preview_is_one_line(text: str) -> None:
    """A line break inside would end the coloured span and print its name."""
    assert len(preview(text).splitlines()) <= 1


def test_an_arrow_stays_two_signs() -> None:
    """Streamlit draws -> as one arrow."""
    assert plain("a -> b <= c") == "a \\-\u2060\\> b \\<\u2060= c"


TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""What turns the direction of writing is told by its code."""


@given(any_texts.map(lambda text: text.translate(dict.fromkeys((0, 0x2060, *TURNING)))))
def test_plain_text_keeps_every_character(text: str) -> None:
    assert plain(text).replace("\u2060", "").replace("\\\\", "\0").replace("\\", "").replace(
        "\0", "\\"
    ) == showable(text)


def test_the_pack_is_json_inside() -> None:
    data = zlib.decompress(base64.urlsafe_b64decode(pack_own(OwnPrompts("a", ("b",), "c")) + "=="))
    assert json.loads(data) == ["a", ["b"], "c"]


lines = shown_texts.map(lambda text: "".join(text.splitlines()) or "a")


@given(st.builds(OwnPrompts, shown_texts, st.lists(lines, max_size=5).map(tuple), shown_texts))
def test_a_file_brings_back_what_was_saved(own: OwnPrompts) -> None:
    assert own_from_file("x.json", own_to_file(own).encode()) == own


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"", "own.file_json", 1),
        (b'{"broth_prompts": 1,\n\n x}', "own.file_json", 3),
        (b"\xff\xfe\x00", "own.file_json", 1),
        (b"[" * 100_000, "own.file_json", 1),
        (b"[]", "own.file_field", "broth_prompts"),
        (b'{"broth_prompts": 2}', "own.file_field", "broth_prompts"),
        (b'{"broth_prompts": 1, "system": 3}', "own.file_field", "system"),
        (b'{"broth_prompts": 1, "system": "", "answer": null}', "own.file_field", "answer"),
        (b'{"broth_prompts": 1, "system": "", "answer": "", "messages": "x"}', "own.file_field", "messages"),
        (b'{"broth_prompts": 1, "system": "", "answer": "", "messages": [1]}', "own.file_field", "messages"),
    ],
)
def test_a_broken_file_is_told_by_name_and_place(data: bytes, code: str, place: object) -> None:
    with pytest.raises(ScenarioError) as caught:
        own_from_file("x.json", data)
    values = caught.value.values
    assert (caught.value.code, values["file"]) == (code, "x.json")
    assert place in (values.get("line"), values.get("field"))
