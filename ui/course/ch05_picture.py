"""Chapter 5's picture: three modules, whom each asks, its counterpart in vLLM, and its work in this run."""

from __future__ import annotations

from collections.abc import Sequence

from ui.course.ch05 import MODULES, Move, Told
from ui.course.pictures import SIZE, SMALL, WIDTH
from ui.frame.session import say
from ui.svg.marks import Pen

ORDER = ("Scheduler", "CacheController", "BlockManager")
BOX, GAP = 98, 42


def work_of(told: Sequence[Told], moves: Sequence[Move]) -> dict[str, int]:
    """Events that each module told in a run; of the one that tells none, its moves of the queue."""
    counts = {
        title: sum(one.function.__module__ == f"core.engine.{module}" for one in told)
        for title, module in MODULES.items()
    }
    return counts | {"BlockManager": len(moves)}


def draw_modules(pen: Pen, work: dict[str, int]) -> float:
    """From top to bottom; returns the height."""
    y = 4.0
    for name in ORDER:
        pen.rect((2, y, WIDTH - 4, BOX), "surface", "ink", width=2, radius=8)
        pen.text(16, y + 28, say(f"course.ch05.module.{name}"), size=SIZE + 1, bold=True)
        pen.text(16, y + 54, say(f"course.ch05.does.{name}"), size=SIZE)
        theirs = say("course.ch05.in_vllm", name=say(f"course.ch05.vllm.{name}"))
        pen.text(16, y + 80, theirs, size=SMALL, colour="muted")
        told = say(f"course.ch05.{'moved' if name == 'BlockManager' else 'told'}", n=work[name])
        pen.text(WIDTH - 16, y + 28, told, size=SMALL, colour="muted", anchor="end")
        if name != ORDER[-1]:
            _arrow(pen, y + BOX)
        y += BOX + GAP
    return y - GAP + 6


def _arrow(pen: Pen, y: float) -> None:
    x, end = WIDTH / 2, y + GAP
    path = f"M{x} {y + 4}V{end - 5}M{x - 6} {end - 11}L{x} {end - 5}L{x + 6} {end - 11}"
    pen.parts.append(f'<path d="{path}" stroke="{pen.colour["ink"]}" stroke-width="2" fill="none"/>')
    pen.text(x + 14, y + GAP / 2 + 5, say("course.ch05.asks"), size=SMALL, colour="muted")
