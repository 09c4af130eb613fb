"""One HTML file that plays a run without a server, a network or an installation: log, words, colours, stage.

It opens from a disk in any browser of today. Nothing in it is fetched from elsewhere, and what people typed
stays data: the payload is JSON in a script element that no browser runs.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from string import Template

from ui.frame.join import join_modules
from ui.frame.static_files import ROOT, stage_files
from ui.stage.payload import Payload
from ui.words.i18n import Lang, languages, stage_texts, t
from ui.words.palette import PALETTE

_TEMPLATE = ROOT / "assets" / "page" / "offline.html"


def offline_html(payload: Payload, title: str, root: Path = ROOT) -> str:
    """The page, as text. What needs a server (what-if) is left out of it.

    Raises:
        JoinError: the stage's modules cannot be joined.
    """
    texts = {name: content.decode() for name, content in stage_files(root).items()}
    modules = {name: text for name, text in texts.items() if name.endswith(".js")}
    data = {**payload, "text": stage_texts(), "forks": []}
    spoken = languages(payload["lang"])
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if spoken[0] == "zh" else "en",
        title=escape(f"{title} · Broth"),
        light_bg=PALETTE["light"]["bg"],
        light_ink=PALETTE["light"]["ink"],
        dark_bg=PALETTE["dark"]["bg"],
        dark_ink=PALETTE["dark"]["ink"],
        note=_both("export.offline.note", spoken, version=payload["a"]["meta"]["engine"]),
        noscript=_both("export.offline.noscript", spoken),
        data=inert(json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))),
        script=join_modules(modules).replace("</script", "<\\/script"),
        css=inert(json.dumps(texts["stage/stage.css"])),
    )


def inert(text: str) -> str:
    """JSON that cannot end its script element, whatever it holds."""
    return text.replace("<", "\\u003c")


def _both(key: str, spoken: tuple[Lang, ...], **args: object) -> str:
    return "<br>".join(escape(t(key, lang, **args)) for lang in spoken)
