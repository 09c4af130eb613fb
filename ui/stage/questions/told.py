"""A run as the questions see it: its steps, the state before each, and what an ask is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.timeline.frame import Frame, apply

Step = dict[str, Any]
Ask = dict[str, Any]
Placed = tuple[int, Ask]
"""The step that a question stands before, by its place in the run, and the question."""

NONE = -1
"""The choice "no block at all"."""


@dataclass(frozen=True)
class Told:
    """``frames[i]`` is what the stage shows before ``steps[i]``; ``author``: who stored each hash."""

    steps: Sequence[Step]
    frames: Sequence[Frame]
    author: Mapping[str, str] = field(default_factory=dict)

    def ahead(self, at: int, wanted: Callable[[Step], bool]) -> int | None:
        """The first step from ``at`` on that is wanted."""
        return next((i for i in range(at, len(self.steps)) if wanted(self.steps[i])), None)

    def group(self, at: int, ops: set[str]) -> Iterator[int]:
        """Steps from ``at`` on, as long as they are of these ops."""
        while at < len(self.steps) and self.steps[at]["op"] in ops:
            yield at
            at += 1


def told_of(steps: Sequence[Step], start: Frame) -> Told:
    """The run with its states; ``start`` is the state before its first step."""
    frames = [start]
    for step in steps:
        frames.append(apply(frames[-1], step["patch"]))
    stored = (step for step in steps if step["op"] == "register" and step.get("rid"))
    return Told(steps, frames, {step["hash"]: step["rid"] for step in reversed([*stored])})


def ask_of(
    name: str,
    kind: str,
    rid: str | None,
    answers: Sequence[int],
    said: Mapping[int, str],
    fell: Mapping[int, str],
    shows: tuple[int, int],
    asks: str = "",
    **more: Any,
) -> Ask:
    """A question as it travels. ``said``: what each choice would have meant, a text key under ``stage.said``;
    ``fell``: the belief behind each wrong choice; ``shows``: from which step to which one sees why; ``asks``:
    what is asked, where several lessons ask alike.
    """
    return {
        "id": name,
        "kind": kind,
        "rid": rid,
        "question": f"stage.ask.{asks or name}",
        "answers": list(answers),
        "said": {str(choice): f"stage.said.{key}" for choice, key in said.items()},
        "fell": {str(choice): belief for choice, belief in fell.items() if choice not in answers},
        "shows": list(shows),
    } | more
