"""What two prompts differ in where they part: the causes that could be it, the most specific one first."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal, get_args

from core.traces.model import Segment, TraceRequest
from core.traffic.diagnosis.folding import folded, paragraphs
from core.traffic.diagnosis.pairs import Pair
from core.traffic.diagnosis.rewriting import target_of
from core.traffic.diagnosis.skeletons import skeleton_of

Cause = Literal[
    "tool_order",
    "json_key_order",
    "tool_subset",
    "stripped_thinking",
    "white_space",
    "letter_case",
    "trimmed_history",
    "edited_turn",
    "shuffled_documents",
    "changing_json",
    "changing_text",
    "evicted",
    "expired",
    "too_short",
]
CAUSES: tuple[Cause, ...] = get_args(Cause)
THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>\s*", re.DOTALL)
"""Thinking that stands in an answer's text."""
_HISTORY = ("user", "assistant", "tool", "human", "gpt", "function", "developer", "model")
_LONGEST_JSON = 200_000
_NEAR = 120
"""Characters behind a difference that have to be the same but for blanks and capitals."""


def causes_of(requests: Sequence[TraceRequest], pair: Pair) -> list[Cause]:
    """All that may be tried."""
    request, other = requests[pair.request], requests[pair.other]
    mine, theirs = request.segments[pair.mine], other.segments[pair.theirs]
    if mine.text is None or theirs.text is None or "media" in (mine.role, theirs.role):
        return []  # an image is no text: what stands for it here is ours
    if "tools" in (mine.role, theirs.role):
        found = _of_tools(request.segments, other.segments)
        return [found] if found is not None else ["changing_text"]
    if _is_thinking(mine, theirs):
        return ["stripped_thinking"]
    if _same_json(mine.text, theirs.text):
        return ["json_key_order"]
    written = _of_writing(mine.text, theirs.text)
    if written is not None:
        return [written]
    return _of_content(request, other, pair)


def _of_content(request: TraceRequest, other: TraceRequest, pair: Pair) -> list[Cause]:
    mine, theirs = request.segments[pair.mine], other.segments[pair.theirs]
    found: list[Cause] = []
    if _is_trimmed(request.segments[pair.mine :], other.segments[pair.theirs :]):
        found.append("trimmed_history")
    if _is_shuffled(request.segments, other.segments, pair):
        found.append("shuffled_documents")
    if _is_edited(request, other, pair):
        found.append("edited_turn")
    if "shuffled_documents" in found:
        return found
    is_json = as_json(mine.text or "") is not None and as_json(theirs.text or "") is not None
    found.append("changing_json" if is_json else "changing_text")
    return found


def _of_tools(mine: Sequence[Segment], other: Sequence[Segment]) -> Cause | None:
    left, right = (
        [(part.text or "").strip() for part in parts if part.role == "tools"] for parts in (mine, other)
    )
    if sorted(left) == sorted(right):
        return "tool_order"
    one, two = (sorted(_canonical(text) for text in texts) for texts in (left, right))
    if one == two:
        return "json_key_order"
    names = ({tool_name(text): text for text in texts} for texts in (one, two))
    mine_by_name, other_by_name = names
    both = mine_by_name.keys() & other_by_name.keys()
    if any(mine_by_name[name] != other_by_name[name] for name in both):
        return None  # a tool itself is another
    return "tool_subset" if both or not one or not two else None


def tool_name(text: str) -> str:
    """The name in a tool's JSON; the whole text where it has none."""
    value = as_json(text)
    for _ in range(2):
        if isinstance(value, dict):
            if isinstance(value.get("name"), str):
                return str(value["name"])
            value = value.get("function")
    return text


def _canonical(text: str) -> str:
    value = as_json(text)
    return text if value is None else json.dumps(value, sort_keys=True)


def without_thoughts(text: str) -> str:
    """An answer's text without the thinking in it."""
    return THOUGHT.sub("", text) if "<th" in text or "<reas" in text else text


def _is_thinking(mine: Segment, other: Segment) -> bool:
    if (mine.role == "thinking") != (other.role == "thinking"):
        return True
    left, right = mine.text or "", other.text or ""
    return left != right and without_thoughts(left) == without_thoughts(right)


def _of_writing(left: str, right: str) -> Cause | None:
    """Whether the first span that differs differs in how it is written only."""
    if folded(left) != folded(right):
        return _of_beginnings(left, right)
    return "letter_case" if left.casefold() == right.casefold() else "white_space"


def _of_beginnings(left: str, right: str) -> Cause | None:
    """The same for texts that differ elsewhere too."""
    place = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if place is None:
        return None
    start = max(place - 1, 0)
    one, two = left[start : place + _NEAR], right[start : place + _NEAR]
    length = min(len(folded(one)), len(folded(two))) - _NEAR // 8
    if length < _NEAR // 2 or folded(one)[:length] != folded(two)[:length]:
        return None
    return "letter_case" if one[: length // 2].casefold() == two[: length // 2].casefold() else "white_space"


def _is_trimmed(mine: Sequence[Segment], other: Sequence[Segment]) -> bool:
    """What I go on with stands further behind in the other, and not the other way round."""
    if mine[0].role not in _HISTORY:
        return False
    return any(part is mine[0] for part in other[1:]) and not any(part is other[0] for part in mine)


def _is_edited(request: TraceRequest, other: TraceRequest, pair: Pair) -> bool:
    """A turn that is not the last one, in both, and stands there a little different."""
    mine, theirs = request.segments[pair.mine], other.segments[pair.theirs]
    if mine.role != theirs.role or mine.role not in _HISTORY:
        return False
    if request.session is not None and request.session != other.session:
        return False
    last = target_of(request.segments)
    if last is None or pair.mine >= last:
        return False
    longer = max(len(mine.text or ""), len(theirs.text or ""))
    fixed = skeleton_of(mine.text or "").with_text(theirs.text or "").num_fixed
    return 2 * fixed >= longer


def _is_shuffled(mine: Sequence[Segment], other: Sequence[Segment], pair: Pair) -> bool:
    """Paragraphs, or pieces of one role, that stand in both, in another order."""
    left, right = paragraphs(mine[pair.mine].text or ""), paragraphs(other[pair.theirs].text or "")
    if len(left) < 2 or len(right) < 2:
        role = mine[pair.mine].role
        left = [part.text or "" for part in mine[pair.mine :] if part.role == role]
        right = [part.text or "" for part in other[pair.theirs :] if part.role == role]
    both = set(left) & set(right)
    one, two = ([text for text in dict.fromkeys(texts) if text in both] for texts in (left, right))
    return len(both) > 1 and one != two


def _same_json(left: str, right: str) -> bool:
    mine = as_json(left)
    return mine is not None and mine == as_json(right)


def as_json(text: str) -> object | None:
    """A text that is a JSON object or list, as a value; None for anything else."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST_JSON:
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
