"""Texts that a logger hid or cut: they are not what the model saw, so nothing can be computed from them.

Hidden is a text that only says so ("[REDACTED]", "<masked>", "redacted-by-litellm", a hash by its name), or a
row of one masking character. Cut is one with a mark of it at its end ("... (truncated)", "[123 more
characters]"), as long as no text of the log is longer: a logger cuts at a length, while a document that was
cut before it was sent is a part of the prompt. LiteLLM's mark (``litellm_truncated``) is only ever a
logger's. What tools answer is often cut for the model, and counts as it stands.
"""

from __future__ import annotations

import re

_HID = (
    r"(?:redacted|removed|masked|hidden|filtered|omitted|scrubbed|sanitized|sanitised|anonymized|anonymised|"
    r"not logged|已脱敏|已隐藏|脱敏|隐藏)"
)
_WHAT = r"(?:content|text|message|prompt|input|output|data|value|pii|sensitive)s?"
_BRACKETED = re.compile(
    rf"\W*[\[<({{*_【（](?:[*_\s]*{_WHAT}[\s:_-]+)?(?:(?:is|was|has been)\s)?[*_\s]*{_HID}"
    rf"(?:[\s:_-]+(?:{_WHAT}|(?:by|due to|for|per)\b[\w\s.:-]{{0,40}}))?[*_\s]*[\]>)}}*_】）]\W*",
    re.I,
)
_BARE = re.compile(r"\s*(?:redacted(?:[-_ ]by[-_ ]\w+)?|(?:sha-?\d+|md5|hash)[:=_-][0-9a-f]{8,})[.\s]*", re.I)
_MASK = re.compile(r"(?:[*•●█■]\s*){3,}|[xX]{5,}|#{5,}")
_CUT = re.compile(
    r"[\[<({（【](?:[^\[\]<>(){}]{0,40}[\W_])?"
    r"(?:truncated|abridged|shortened|(?:more|omitted) (?:characters|chars|tokens|bytes)|"
    r"(?:characters|chars|tokens|bytes) (?:more|omitted)|已截断|截断)"
    r"(?:\W[^\[\]<>(){}]{0,60})?[\]>)}）】]\s*$",
    re.I,
)
_LITELLM = "litellm_truncated"
_LONGEST = 120
"""Characters of a text that says no more than that something is missing, or of a mark at its end."""


class Hidden:
    """Which pieces of a log's prompts are no prompt, while it is read."""

    def __init__(self) -> None:
        self._hidden: set[int] = set()
        self._cut: dict[int, int] = {}
        self._longest = 0

    def note(self, key: int, role: str, text: str) -> None:
        """One more piece of text, under a key of its own."""
        if role in ("marker", "tools", "media"):
            return
        if _LITELLM in text or is_hidden(text):
            self._hidden.add(key)
        elif role != "tool" and _CUT.search(text[-_LONGEST:]):
            self._cut[key] = len(text)
        elif role != "tool":
            self._longest = max(self._longest, len(text))

    def found(self) -> frozenset[int]:
        """The pieces that are no prompt, by their keys; to be asked when all of the log is read."""
        cut = {key for key, length in self._cut.items() if length >= self._longest}
        return frozenset(self._hidden | cut)


def is_hidden(text: str) -> bool:
    """Whether a text only stands where one was."""
    if len(text) <= _LONGEST and (_BRACKETED.fullmatch(text) or _BARE.fullmatch(text)):
        return True
    short = text[:_LONGEST].strip()
    return bool(short) and _MASK.fullmatch(short) is not None and len(set(text) - set(" \n\t")) == 1
