"""Nothing in a text stays invisible: white space, hidden characters and look-alikes get a shape of their own.

``assets/stage/words/visible.js`` does the same in the browser; tests/data/visible.json holds both to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Piece = tuple[str, str, bool]
"""What is shown; text, space, newline, tab, nbsp, cr, invisible or lookalike; whether it differs."""

_SHOWN_AS = {
    " ": ("␣", "space"),
    "\n": ("↵", "newline"),
    "\t": ("⇥", "tab"),
    "\r": ("␍", "cr"),
    "\u00a0": ("⍽", "nbsp"),
}
_HIDDEN = re.compile(
    r"[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef\ud800-\udfff]"
)
"""Controls, odd spaces, joiners, directions, fillers, selectors, tags, halves of surrogate pairs."""
_EMOJI = re.compile(
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d"
    r"\u3297\u3299\U0001f000-\U0001faff]"
)
_CJK = re.compile(
    r"[\u1100-\u11ff\u2e80-\u2fff\u3001-\u30ff\u3105-\u318e\u31a0-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]")
_STRANGER, _ACCENT = re.compile(r"[\u0370-\u052f]"), re.compile(r"[\u0300-\u036f]")
_LIKE_LATIN = re.compile(
    r"[\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03f9\u03f2"
    r"\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d"
    r"\u041e\u0420\u0421\u0422\u0423\u0425\u04ae\u0430\u0435\u0455\u0456\u0458\u043a\u043e\u0440\u0441\u0443"
    r"\u0445\u04af\u04bb\u0501\u051b\u051d]"
)
"""Greek and Cyrillic letters that one reads as Latin ones."""
_MATHS = re.compile(r"[\U0001d400-\U0001d7ff]")
_WIDE_LETTER, _WIDE_SIGN = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"), re.compile(r"[！-～]")
_TAG = re.compile(r"[\U000e0020-\U000e007f]")

At = Callable[[int], bool]


def visible_pieces(text: str) -> list[Piece]:
    """What of a text is seen, in order. Neighbours of plain text are one piece, everything else stands alone;
    a space between two words is text.

    >>> visible_pieces(" cook")
    [('␣', 'space', False), ('cook', 'text', False)]
    """
    return _joined(_each(text, _never), _never)


def visible_text(text: str) -> str:
    """As ``visible_pieces``, as one text: for pictures, lists to choose from and names."""
    return "".join(shown for shown, _, _ in visible_pieces(text))


def visible_diff(left: str, right: str) -> tuple[list[Piece], list[Piece]]:
    """The pieces of two texts; what is left between their common beginning and end is marked."""
    return visible_in("", left, "", right), visible_in("", right, "", left)


def visible_in(before: str, text: str, behind: str, other: str) -> list[Piece]:
    """The pieces of a text in its surroundings; what differs in it from ``other`` is marked."""
    least = min(len(text), len(other))
    head = next((i for i in range(least) if text[i] != other[i]), least)
    rest = range(least - head)
    tail = next((i for i in rest if text[-1 - i] != other[-1 - i]), least - head)
    first, last = len(before) + head, len(before) + len(text) - tail

    def differs(at: int) -> bool:
        return first <= at < last

    return _joined(_each(before + text + behind, differs), differs)


def _never(_at: int) -> bool:
    return False


def _each(text: str, differs: At) -> list[tuple[str, str]]:
    """What is shown of each character, and as what. What differs is shown even where it would pass for
    something else."""
    strange, in_cjk = _strangers(text), _CJK.search(text) is not None
    in_latin = re.search("[A-Za-z]", text) is not None

    def hidden(at: int) -> bool:
        return _HIDDEN.match(text[at]) is not None and not _is_emoji_part(text, at)

    def blank(at: int) -> bool:
        return not 0 <= at < len(text) or text[at] in _SHOWN_AS or hidden(at)

    def one(at: int, char: str) -> tuple[str, str]:
        sharp = differs(at)
        if char == " " and not sharp and not blank(at - 1) and not blank(at + 1):
            return char, "text"
        if char in _SHOWN_AS:
            return _SHOWN_AS[char]
        bare = (
            sharp and not differs(at - 1) and char in "\ufe0e\ufe0f\u200d"
        )  # hangs on an emoji that is the same
        if hidden(at) or bare or (sharp and _ACCENT.match(char)):
            return f"U+{ord(char):04X}", "invisible"
        if _WIDE_LETTER.match(char):
            alike = not in_cjk
        else:
            alike = bool(_WIDE_SIGN.match(char)) and in_latin and not in_cjk
        alike = alike or at in strange or bool(_MATHS.match(char))
        alike = alike or (sharp and bool(_LIKE_LATIN.match(char) or _WIDE_SIGN.match(char)))
        return char, "lookalike" if alike else "text"

    return [one(at, char) for at, char in enumerate(text)]


def _joined(each: list[tuple[str, str]], differs: At) -> list[Piece]:
    pieces: list[Piece] = []
    for at, (shown, kind) in enumerate(each):
        mark = differs(at)
        if kind == "text" and pieces and pieces[-1][1:] == ("text", mark):
            pieces[-1] = (pieces[-1][0] + shown, kind, mark)
        else:
            pieces.append((shown, kind, mark))
    return pieces


def _is_emoji_part(text: str, at: int) -> bool:
    """Hidden elsewhere, but part of an emoji here: a joiner between two, a selector behind one (or a keycap's
    digit), the tags of a flag."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char == "\u200d":
        return bool((_EMOJI.match(before) or before == "\ufe0f") and _EMOJI.match(after))
    if char in "\ufe0e\ufe0f":
        return bool(_EMOJI.match(before)) or bool(re.match("[0-9#*]", before) and after == "\u20e3")
    while at >= 0 and _TAG.match(text[at]):
        at -= 1
    return bool(_TAG.match(char)) and at >= 0 and text[at] == "\U0001f3f4"


def _strangers(text: str) -> set[int]:
    """The characters that lie in a word of two scripts, as one of the fewer. Latin ones count as true where
    both are as many."""
    strange: set[int] = set()
    for word in re.finditer(f"{_union(_LATIN, _STRANGER)}{_union(_LATIN, _STRANGER, _ACCENT)}*", text):
        latin, other = (len(kind.findall(word[0])) for kind in (_LATIN, _STRANGER))
        kind = _LIKE_LATIN if latin >= other else _LATIN
        if latin and other:
            strange |= {word.start() + at for at, char in enumerate(word[0]) if kind.match(char)}
    return strange


def _union(*classes: re.Pattern[str]) -> str:
    return "[" + "".join(one.pattern[1:-1] for one in classes) + "]"
