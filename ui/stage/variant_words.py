"""What a token of a lesson's prompt can become: other words, other white space, look-alikes, another case."""

from __future__ import annotations

_SWAPS = (
    ("are", "were"), ("is", "was"), ("a", "the"), ("my", "our"), ("it", "she"), ("he", "she"), ("you", "we"),
    ("be", "stay"), ("cook", "baker"), ("brief", "polite"), ("hot", "cold"), ("spicy", "mild"),
    ("open", "closed"), ("teacher", "doctor"), ("answer", "speak"), ("in", "at"), ("this", "that"),
    ("today", "tomorrow"), ("soup", "stew"), ("please", "now"), ("your", "our"), ("and", "or"), ("to", "for"),
)  # fmt: skip
_SIGNS = {
    ".": "!", "!": "?", "?": "!", ",": ";", ";": ",", ":": ";",
    "。": "！", "！": "？", "？": "！", "，": "、", "、": "，", "：": "；", "；": "：",
}  # fmt: skip
_HAN_SWAPS = (
    ("老", "厨"),
    ("你", "您"), ("是", "像"), ("厨", "大"), ("师", "工"), ("简", "快"), ("答", "说"), ("辣", "咸"),
    ("开", "关"), ("今", "明"), ("天", "年"), ("我", "他"), ("请", "再"), ("的", "之"), ("好", "坏"),
    ("热", "冷"), ("汤", "茶"), ("面", "饭"), ("一", "二"), ("吗", "呢"),
)  # fmt: skip
_HAN = "茶鱼花竹"
_WORDS = ("tea", "rice", "soup", "salt")
_ALIKE = dict(zip("aeocpxyABEKMHOPCTXi", "аеосрхуАВЕКМНОРСТХі", strict=True))
"""Latin letters and the Cyrillic ones that look the same."""
_WIDE = {sign: chr(ord(sign) + 0xFEE0) for sign in ".,!?;:()"}

_SWAP = {one: other for pair in (*_SWAPS, *_HAN_SWAPS) for one, other in (pair[::-1], pair)}


def changed_texts(piece: str, word_given: bool = False) -> list[str]:
    """What the token can become, best first. ``word_given``: another word is there already.

    >>> changed_texts(" cook")
    [' baker', ' \u0441ook', ' Cook', 'cook']
    >>> changed_texts("。")
    ['！', ' 。']
    """
    word = piece.lstrip(" ")
    lead = piece[: len(piece) - len(word)]
    if not word:
        return []
    spaced = word if lead else f" {piece}"
    texts = [] if word_given else [lead + _other(word)]
    texts += [lead + alike for alike in (_alike(word),) if alike]
    other_case = word[0].swapcase() + word[1:]
    # A word's space ends up missing only where the text would still be cut in the same place: mostly nowhere.
    texts += [lead + other_case, spaced] if lead else [spaced, other_case]
    return [text for text in dict.fromkeys(texts) if text != piece]


def _other(word: str) -> str:
    """Another word of the same kind."""
    if word in _SIGNS:
        return _SIGNS[word]
    if word.isdecimal():
        return str(int(word[:9]) + 1)
    lower = word.lower()
    if lower in _SWAP:
        other = _SWAP[lower]
        return other.capitalize() if word[0].isupper() else other
    words = _WORDS if word.isascii() else tuple(_HAN)
    other = words[len(word) % len(words)] if word.isascii() else words[ord(word[0]) % len(words)]
    return other.capitalize() if word[0].isupper() else other


def _alike(word: str) -> str:
    """The same to the eye, another text: one letter of another script, or the full-width sign."""
    if word in _WIDE:
        return _WIDE[word]
    narrow = next((sign for sign, wide in _WIDE.items() if wide == word), "")
    if narrow:
        return narrow
    place = next((place for place, letter in enumerate(word) if letter in _ALIKE), None)
    return "" if place is None else word[:place] + _ALIKE[word[place]] + word[place + 1 :]
