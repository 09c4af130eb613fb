"""Files that only the visitor's browser can make: a picture as PNG, a page on paper. One small component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamlit.components.v2 import component

from ui.frame.session import say
from ui.frame.static_files import ROOT

PNG_WIDTH = 2560
Action = dict[str, Any]
_mount = component("broth_files", js=(ROOT / "assets" / "page" / "files.js").read_text("utf-8"))


def show_files(actions: Sequence[Action], *, key: str, preview: str | None = None, alt: str = "") -> None:
    """Buttons, and above them a picture if there is one (SVG text)."""
    _mount(key=key, data={"actions": list(actions), "preview": preview, "alt": alt})


def png(svg: str, name: str) -> Action:
    """Save a picture as PNG."""
    return _action("png", svg, name, say("export.png"), width=PNG_WIDTH)


def printing(html: str, name: str) -> Action:
    """Open a page and its print dialogue."""
    return _action("print", html, name, say("export.print"))


def _action(kind: str, text: str, name: str, label: str, **more: object) -> Action:
    done, failed = say(f"export.{kind}.done", name=name), say("export.failed")
    return {"kind": kind, "text": text, "name": name, "label": label, "done": done, "failed": failed, **more}
