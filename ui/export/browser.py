"""Files that only the visitor's browser can make: a picture as PNG, a page on paper, a film as a video.

One small component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamlit.components.v2 import component

from ui.export.film import HOLD_S, Film
from ui.frame.join import join_modules
from ui.frame.session import say
from ui.frame.static_files import ROOT
from ui.words.numbers import seconds

PNG_WIDTH = 2560
Action = dict[str, Any]
_PAGE = ROOT / "assets" / "page"
_MODULES = {name: (_PAGE / name).read_text("utf-8") for name in ("files.js", "film.js")}
_mount = component("broth_files", js=f"{join_modules(_MODULES, 'files.js')}export default showFiles;\n")


def show_files(actions: Sequence[Action], *, key: str, preview: str | None = None, alt: str = "") -> None:
    """Buttons, and above them a picture if there is one (SVG text)."""
    _mount(key=key, data={"actions": list(actions), "preview": preview, "alt": alt})


def png(svg: str, name: str) -> Action:
    """Save a picture as PNG."""
    return _action("png", svg, name, say("export.png"), width=PNG_WIDTH)


def printing(html: str, name: str) -> Action:
    """Open a page and its print dialogue."""
    return _action("print", html, name, say("export.print"))


def video(film: Film, name: str) -> Action:
    """Record a film, as long as it plays. ``name``: of the file, without what says its kind."""
    more = {
        "spans": film.spans,
        "count": len(film.steps),
        "pace": film.pace_s,
        "hold": HOLD_S,
        "stop": say("export.video.stop"),
        "progress": say("export.video.progress", n="{n}", total="{total}"),
    }
    label = say("export.video", time=seconds(film.seconds))
    return _action("video", film.svg, name, label, **more) | {"failed": say("export.video.failed")}


def _action(kind: str, text: str, name: str, label: str, **more: object) -> Action:
    done, failed = say(f"export.{kind}.done", name=name), say("export.failed")
    return {"kind": kind, "text": text, "name": name, "label": label, "done": done, "failed": failed, **more}
