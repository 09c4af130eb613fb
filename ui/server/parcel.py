"""Streamlit's own modules in one parcel: a first visitor asks once for what were a hundred files.

Streamlit sends its modules one by one and unpacked: 2.6 MB in 99 requests before anything is seen, times
sixty for a class. Here all that a first picture needs travels as one JSON file, packed once when the server
starts. In the browser each module becomes a ``blob:`` address, and an import map puts it in the place of its
file, so that modules which come later, one by one as before, find the same instances.

It stays one module one instance, with live bindings and circles as written: nothing is bundled anew. Where a
browser knows no import maps or the parcel does not come, the page loads as Streamlit wrote it; where this
version of Streamlit is built otherwise than the patterns below expect, there is no parcel at all.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit

STATIC = Path(streamlit.__file__).parent / "static"
PARTS = (
    *("Html", "Button", "ButtonGroup", "Slider", "Metric", "Selectbox", "BidiComponent", "Checkbox", "Radio"),
    *(
        "DownloadButton",
        "LinkButton",
        "PageLink",
        "TextArea",
        "TextInput",
        "NumberInput",
        "Progress",
        "IFrame",
    ),
)
"""Parts of Streamlit that pages load when they first draw them: small, and on most of our pages."""

BASE = "__BASE__"
"""Stands in the parcel for the address of the folder of modules, which only the browser knows."""

PATIENCE_MS = 20_000
"""So long a browser waits until a parcel begins to come, before it asks for the files one by one. How long it
takes to come is the network's affair: on a slow one the files would take longer."""

_ENTRY = re.compile(r'<script type="module" crossorigin src="\./static/js/(index\.[\w-]+\.js)"></script>')
_PRELOAD = re.compile(r'\s*<link rel="modulepreload"[^>]*>')
_STATIC_IMPORT = re.compile(r'(\bfrom|\bimport)"\./([\w.-]+\.js)"')
_LAZY_IMPORT = re.compile(r"\bimport\(`\./([\w.-]+\.js)`\)")
_ANY_IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["'`]\./""")


@dataclass(frozen=True, slots=True)
class Parcel:
    """``entry``: the module that starts the page. ``text``: JSON, module's name -> its text."""

    entry: str
    text: str

    @property
    def name(self) -> str:
        """Another content is another name, so that a browser may keep it for good."""
        return f"parcel-{hashlib.blake2b(self.text.encode(), digest_size=6).hexdigest()}.json"


def pack(folder: Path = STATIC, parts: Iterable[str] = PARTS) -> Parcel | None:
    """What a first picture needs, ready to travel; None where Streamlit's files are not as expected."""
    try:
        page = (folder / "index.html").read_text("utf-8")
        entry = _ENTRY.search(page)
        if entry is None:
            return None
        scripts = folder / "static" / "js"
        named = [file.name for part in parts for file in sorted(scripts.glob(f"{part}.*.js"))]
        modules = _with_imports([entry[1], *named], scripts)
        whole = {name: _portable(name, text) for name, text in sorted(modules.items())}
    except (OSError, ValueError):
        return None
    return Parcel(entry[1], json.dumps(whole, ensure_ascii=False, separators=(",", ":")))


def _with_imports(names: Iterable[str], scripts: Path) -> Mapping[str, str]:
    """Modules with all that they import at once; what they load later is left out."""
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = (scripts / name).read_text("utf-8")
            waiting += [target for _, target in _STATIC_IMPORT.findall(found[name])]
    return found


def _portable(name: str, text: str) -> str:
    """The module with whole addresses: from a ``blob:`` no relative one leads anywhere.

    Raises:
        ValueError: it imports in a way that is not known here, or holds our sign.
    """
    if BASE in text:
        raise ValueError(name)
    text = _STATIC_IMPORT.sub(rf'\1"{BASE}\2"', text)
    text = _LAZY_IMPORT.sub(rf"import(`{BASE}\1`)", text)
    if _ANY_IMPORT.search(text):
        raise ValueError(name)
    return text.replace("import.meta.url", f'"{BASE}{name}"')


def unwrapped(page: str, parcel: Parcel, address: str) -> str:
    """Streamlit's HTML file with the parcel in place of its module and the list of those to load early."""
    script = _BOOT % {"base": BASE, "entry": parcel.entry, "address": address, "patience": PATIENCE_MS}
    return _ENTRY.sub(lambda _: f"<script>{script}</script>", _PRELOAD.sub("", page), count=1)


_BOOT = """
(() => {
  const base = new URL("./static/js/", document.baseURI).href;
  const start = (text) => {
    const script = Object.assign(document.createElement("script"), { type: "module" });
    script.textContent = text;
    document.head.append(script);
  };
  // A module that a script adds may run before the page is read to its end, and finds no place to draw in.
  const read = new Promise((go) => {
    if (document.readyState !== "loading") go();
    else document.addEventListener("DOMContentLoaded", go, { once: true });
  });
  const asWritten = () => read.then(() => start(`import "${base}%(entry)s";`));
  if (!globalThis.HTMLScriptElement?.supports?.("importmap")) return asWritten();
  const patience = new AbortController();
  const alarm = setTimeout(() => patience.abort(), %(patience)d);
  fetch(new URL("%(address)s", document.baseURI), { signal: patience.signal })
    .then((answer) => {
      clearTimeout(alarm);
      return answer.ok ? answer.json() : Promise.reject(answer.status);
    })
    .then((modules) => {
      const imports = {};
      for (const [name, text] of Object.entries(modules)) {
        const whole = new Blob([text.replaceAll("%(base)s", base)], { type: "text/javascript" });
        imports[base + name] = URL.createObjectURL(whole);
      }
      const map = Object.assign(document.createElement("script"), { type: "importmap" });
      map.textContent = JSON.stringify({ imports });
      document.head.append(map);
    })
    .catch(() => {})
    .finally(asWritten);
})();
"""
