"""What the texts of a load are called on screen: a popular beginning by its number, what a request brought by
the request. Pure."""

from __future__ import annotations

import re

_NAME = re.compile(r"([a-z]+)(\d*)", re.ASCII)
_QUESTIONS = {"own", "turn", "task"}
"""Texts that a request brings as its own: of a single one, of a chat's turn, of an agent's task."""


def text_key(name: str, owner: str | None = None) -> tuple[str, str]:
    """The key of the words, and the number in them. ``owner``: the request of whose blocks is spoken; what it
    brought itself is its own."""
    found = _NAME.fullmatch(name)
    assert found is not None, name
    kind = "question" if found[1] in _QUESTIONS else found[1]
    own = kind in ("question", "answer", "result") and owner == f"R{found[2]}"
    return f"monitor.text.{kind}{'.own' if own else ''}", found[2]
