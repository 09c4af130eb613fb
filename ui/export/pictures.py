"""Frames of a run as SVG files: one step, or all stops of a step size in one zip. Same run, same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from core.timeline.frame import Frame, apply
from ui.stage.payload import Payload
from ui.svg import render_svg
from ui.words.i18n import Lang
from ui.words.palette import Theme

LEVELS = ("micro", "beat", "block", "request")
"""As on the stage (assets/stage/time/steps.js): at the level of beats a group of steps is one stop."""

MAX_FRAMES = 600
"""Pictures in one zip; more would keep everybody else on the server waiting."""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip needs a date; a fixed one keeps the bytes equal


def frame_at(log: Payload, step: int) -> Frame:
    """What is on the stage after ``step`` steps."""
    frame: Frame = log["init"]
    for event in log["events"][:step]:
        frame = apply(frame, event["patch"])
    return frame


def picture(log: Payload, step: int, lang: Lang, theme: Theme = "light") -> str:
    """Step ``step`` of a run as SVG text (0: before the first)."""
    return _draw(log, frame_at(log, step), step, lang, theme)


def stops(log: Payload, level: str) -> list[int]:
    """The steps where the stage stops at a step size, the beginning and the end included."""
    inner = [number for number, event in enumerate(log["events"], 1) if _is_stop(event, level)]
    return sorted({0, *inner, len(log["events"])})


def _is_stop(event: Mapping[str, Any], level: str) -> bool:
    if level == "beat":
        return not event.get("inner")
    return LEVELS.index(event["level"]) >= LEVELS.index(level)


def frames_zip(log: Payload, level: str, lang: Lang, theme: Theme = "light") -> bytes:
    """All stops of a step size, one SVG file each, named by step so that they sort."""
    wanted = set(stops(log, level)[:MAX_FRAMES])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for step, frame in frames(log):
            if step in wanted:
                name = zipfile.ZipInfo(f"{log['meta']['scenario']}-{step:05}.svg", _EPOCH)
                name.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(name, _draw(log, frame, step, lang, theme, level))
    return packed.getvalue()


def frames(log: Payload) -> Iterator[tuple[int, Frame]]:
    """Every step with the frame after it, the beginning first."""
    frame: Frame = log["init"]
    yield 0, frame
    for number, event in enumerate(log["events"], 1):
        frame = apply(frame, event["patch"])
        yield number, frame


def told_at(log: Payload, step: int, level: str) -> dict[str, Any] | None:
    """The stage step that led to a frame, told as the step size tells it; none before the first."""
    told = log["events"][step - 1] if step else None
    return {**told, **told.get("beat", {})} if told and level == "beat" else told


def title_at(log: Payload, step: int) -> str:
    """What stands above a picture: the run's title and the step's number of all."""
    return f"{log['meta']['title']} · {step} / {len(log['events'])}"


def _draw(log: Payload, frame: Frame, step: int, lang: Lang, theme: Theme, level: str = "micro") -> str:
    return render_svg(
        frame,
        block_size=log["meta"]["block_size"],
        lang=lang,
        theme=theme,
        step=told_at(log, step, level),
        pieces=log["pieces"],
        title=title_at(log, step),
    )
