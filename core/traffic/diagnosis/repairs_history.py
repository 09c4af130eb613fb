"""Repairs of a history: nothing is trimmed, nothing is changed later, thinking is treated one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.traces.model import Segment, TraceRequest
from core.traffic.diagnosis.causes import without_thoughts
from core.traffic.diagnosis.rewriting import Requests, Segments, Writer, target_of, with_prompt
from core.traffic.diagnosis.skeletons import skeleton_of


def without_thinking(writer: Writer, request: TraceRequest) -> Segments:
    """Thinking is left out in every turn."""
    kept: list[Segment] = []
    for part in request.segments:
        if part.role == "assistant" and part.text is not None:
            new = without_thoughts(part.text)
            part = part if new == part.text else writer.piece(part.role, new)
        if part.role != "thinking" and part.text != "":
            kept.append(part)
    return tuple(kept)


def before_each(requests: Sequence[TraceRequest]) -> list[int | None]:
    """The request that each goes on from: the one before in its session; without sessions the last one that
    had what stands in front of its last message."""
    sessions: dict[tuple[str, str], int] = {}
    pieces: dict[int, int] = {}
    found: list[int | None] = []
    for number, request in enumerate(requests):
        if request.session is not None:
            key = (request.scope, request.session)
            found.append(sessions.get(key))
            sessions[key] = number
            continue
        found.append(_goes_on_from(request.segments, pieces))
        pieces.update((id(part), number) for part in request.segments if part.role != "marker")
    return found


def _goes_on_from(segments: Segments, pieces: dict[int, int]) -> int | None:
    target = target_of(segments) or 0
    for number in range(target - 1, -1, -1):
        if segments[number].role in ("user", "human", "prompt"):
            return pieces.get(id(segments[number]))
    return None


def untrimmed(_writer: Writer, requests: Requests, progress: Progress | None) -> Requests:
    """Nothing is dropped: what was trimmed stands in front again."""
    return _behind_what_was(requests, _continued, progress)


def as_first_said(_writer: Writer, requests: Requests, progress: Progress | None) -> Requests:
    """Earlier turns stand as they stood when they were said first."""
    return _behind_what_was(requests, _unedited, progress)


def _behind_what_was(
    requests: Requests, join: Callable[[Segments, Segments], Segments], progress: Progress | None
) -> Requests:
    """Each prompt as ``join`` makes it of itself and of the one it goes on from, which was made so before."""
    before, now = before_each(requests), list[TraceRequest]()
    for number, request in enumerate(requests):
        _tell(progress, number, len(requests))
        earlier = before[number]
        if earlier is not None:
            request = with_prompt(request, join(request.segments, now[earlier].segments))
        now.append(request)
    return tuple(now)


def _tell(progress: Progress | None, number: int, count: int) -> None:
    if progress is not None and number % TELL_EVERY == 0:
        progress(number, count)


def _continued(mine: Segments, before: Segments) -> Segments:
    """``before`` up to the place where ``mine`` goes on after its common beginning, then that."""
    common = 0
    for left, right in zip(mine, before, strict=False):
        if left is not right:
            break
        common += 1
    ahead = [at for at in range(common, len(before)) if common < len(mine) and before[at] is mine[common]]
    return (*before[: ahead[-1]], *mine[common:]) if ahead else mine


def _unedited(mine: Segments, before: Segments) -> Segments:
    """Pieces in front of the last message that stand, a little different, at the same place in ``before``."""
    last = target_of(mine) or 0
    parts = list(mine)
    for number in range(min(last, len(before))):
        part, other = mine[number], before[number]
        if part is other or part.role != other.role or part.role in ("marker", "system"):
            continue
        longer = max(len(part.text or ""), len(other.text or ""))
        if 2 * skeleton_of(other.text or "").with_text(part.text or "").num_fixed >= longer:
            parts[number] = other
    return mine if all(a is b for a, b in zip(parts, mine, strict=True)) else tuple(parts)
