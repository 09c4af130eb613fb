"""How the stage's ES modules reach the browser: copied once into the folder that Streamlit serves.

Streamlit serves `static/` beside app.py under `app/static/`. The modules live in `assets/stage/`,
`assets/act/`, `assets/monitor/`, `assets/usage/`, `assets/attention/` and `assets/lecture/`, so at start-up
they are copied to `static/<hash of their content>/`. The hash stands in the *path*, so that the relative
imports between the modules carry it too: a browser can never mix an old fold.js with a new stage.js, and
another text of any file is another address. Nothing but modules and style sheets is copied.

The words that an entry shows lie beside it as one more module: every page needs the same ones, and a browser
keeps them. The loader hands them to the entry.

Beside the modules each entry lies joined with all it imports, its style sheet and its words: one request
instead of thirty, and a first picture a third of a second sooner. Where the folder cannot be written (a
read-only checkout) the loader has the module texts and the words itself, and links modules as blob:
addresses. The choice is explained in docs/adr/0002-static-modules.md.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from ui.frame.join import JoinError, join_modules
from ui.words.i18n import Lang, stage_texts, texts

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("assets")
FOLDERS = ("stage", "act", "monitor", "usage", "attention", "lecture")
SERVED = Path("static")
URL_PREFIX = "app/static"
SUFFIXES = (".css", ".js")
ENTRIES: dict[str, Callable[[], dict[Lang, dict[str, str]]]] = {
    "stage/stage.js": stage_texts,
    "act/act.js": partial(texts, ("act.", "path.")),
    "monitor/monitor.js": partial(texts, ("monitor.", "unit.")),
    "usage/usage.js": partial(texts, ("usage.",)),
    "attention/attention.js": partial(texts, ("prefill.map.",)),
    "lecture/lecture.js": partial(texts, ("lecture.",)),
}
"""Each with the words it shows, by language and key."""
WORDS = "texts.js"
JOINED = "/joined-"  # beside the entry, so that the style sheet stands beside both
HASH_LENGTH = 12
KEPT_VERSIONS = 8  # pages that are open, and other servers in the same folder, may still load older ones

JOINED_LOADER = """\
const stage = await import(new URL({address}, document.baseURI).href);
export default stage.default;
"""

DRESSED = """\
const joinedSheet = {css};
const joinedWords = {text};
export default (component) => {entry}({{ ...component, css: joinedSheet, text: joinedWords }});
"""

LINKED_LOADER = """\
const load = (path) => import(new URL(path, document.baseURI).href);
const [stage, words] = await Promise.all([{address}, {words}].map(load));
export default (component) => stage.default({{ ...component, text: words.default }});
"""

# Relative imports have no meaning inside a blob: address, so each is replaced by the address of its target.
INLINE_LOADER = """\
const sources = {sources};
const addresses = new Map();
function link(name) {{
  if (!addresses.has(name)) {{
    const imports = /\\b(from|import)\\s*(["'])(\\.{{1,2}}\\/[^"']+)\\2/g;
    const text = sources[name].replace(imports, (_, word, quote, path) => {{
      const target = new URL(path, "file:///" + name).pathname.slice(1);
      return `${{word}} "${{link(target)}}"`;
    }});
    addresses.set(name, URL.createObjectURL(new Blob([text], {{ type: "text/javascript" }})));
  }}
  return addresses.get(name);
}}
const stage = await import(link({entry}));
const css = {css};  // a module that came from a blob: address cannot find the sheet beside it
const text = {text};
export default (component) => stage.default({{ ...component, css, text }});
"""


def stage_files(root: Path = ROOT) -> dict[str, bytes]:
    """The files a browser may ask for: name relative to `assets/` -> content, sorted by name."""
    source = root / SOURCE
    found = (path for folder in FOLDERS for path in (source / folder).rglob("*"))
    paths = (path for path in found if path.suffix in SUFFIXES and path.is_file())
    return {path.relative_to(source).as_posix(): path.read_bytes() for path in sorted(paths)}


def joined_files(files: dict[str, bytes]) -> dict[str, bytes]:
    """The entries with all they import, sheet and words included, as one module each; none where the modules
    cannot be joined."""
    modules = {name: content.decode() for name, content in files.items() if name.endswith(".js")}
    joined: dict[str, bytes] = {}
    for entry in ENTRIES:
        exported = re.search(r"^export default (\w+);$", modules.get(entry, ""), re.M)
        with suppress(JoinError):
            if exported is not None:
                dressed = DRESSED.format(css=_sheet(files, entry), text=_words(entry), entry=exported[1])
                joined[entry.replace("/", JOINED)] = f"{join_modules(modules, entry)}{dressed}".encode()
    return joined


def _sheet(files: dict[str, bytes], entry: str) -> str:
    """The style sheet of an entry, as JavaScript writes a text."""
    return json.dumps(files.get(f"{entry.removesuffix('.js')}.css", b"").decode(), ensure_ascii=False)


def words_files() -> dict[str, bytes]:
    """The words of each entry, as a module beside it."""
    return {_beside(entry): f"export default {_words(entry)};\n".encode() for entry in ENTRIES}


def _beside(entry: str) -> str:
    return f"{entry.rpartition('/')[0]}/{WORDS}"


def _words(entry: str) -> str:
    return json.dumps(ENTRIES[entry](), ensure_ascii=False, separators=(",", ":"))


def content_hash(files: dict[str, bytes]) -> str:
    """One name for one content; lengths are framed so that moving a byte between files changes it."""
    digest = hashlib.blake2b(digest_size=HASH_LENGTH // 2)
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def ensure_static(root: Path = ROOT) -> str | None:
    """Publish the stage's files; the folder's address relative to the app, or None if it cannot be written.

    Safe when several servers start at once: the copy is made aside and takes its place by one rename.
    """
    files = stage_files(root)
    files |= joined_files(files) | words_files()
    served = root / SERVED
    name = content_hash(files)
    if not (served / name).is_dir() and not _publish(files, served, name):
        return None
    return f"{URL_PREFIX}/{name}"


def loader_js(entry: str = "stage/stage.js", root: Path = ROOT) -> str:
    """The inline module for `st.components.v2.component(js=...)`: fetches `entry` and its words."""
    folder = ensure_static(root)
    if folder is not None:
        joined = entry.replace("/", JOINED)
        if (root / SERVED / Path(folder).name / joined).is_file():
            return JOINED_LOADER.format(address=json.dumps(f"{folder}/{joined}"))
        module, words = f"{folder}/{entry}", f"{folder}/{_beside(entry)}"
        return LINKED_LOADER.format(address=json.dumps(module), words=json.dumps(words))
    files = stage_files(root)
    sources = json.dumps({name: text.decode() for name, text in files.items() if name.endswith(".js")})
    words = _words(entry)
    return INLINE_LOADER.format(
        sources=sources, entry=json.dumps(entry), css=_sheet(files, entry), text=words
    )


def _publish(files: dict[str, bytes], served: Path, name: str) -> bool:
    """Write the copy and prune old ones; False where the folder cannot be used."""
    if served.is_symlink():  # a link could serve, and be written to, anywhere
        return False
    try:
        served.mkdir(exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=served))
    except OSError:
        return False
    try:
        _write(files, aside)
        aside.chmod(0o755)  # mkdtemp is private to its user; another user's server may share the checkout
        aside.rename(served / name)
    except OSError:
        shutil.rmtree(aside, ignore_errors=True)
        return (served / name).is_dir()  # another server was faster, with the same content
    _prune(served, keep=name)
    return True


def _write(files: dict[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _prune(served: Path, keep: str) -> None:
    """Drop all but the newest copies, so that editing the stage does not fill the disk."""
    with suppress(OSError):
        copies = [path for path in served.iterdir() if path.is_dir() and path.name != keep]
        finished = [path for path in copies if not path.name.startswith(".")]
        finished.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in finished[KEPT_VERSIONS - 1 :]:
            doomed = path.with_name(f".old-{path.name}")
            path.rename(doomed)  # first out of the way: a half-deleted copy must never pass for a whole one
            shutil.rmtree(doomed, ignore_errors=True)
