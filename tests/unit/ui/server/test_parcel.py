"""One parcel for a first visitor: whole, with no way that leads nowhere; none for another Streamlit."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from pages.server import MIDDLEWARE
from ui.server.front_door import FrontDoor
from ui.server.parcel import BASE, PARTS, STATIC, Parcel, pack, unwrapped

PAGE = (STATIC / "index.html").read_text("utf-8")
MODULES = {
    "index.a1.js": 'import{a as b}from"./part.js";import"./side.js";'
    "const f=()=>import(`./Lazy.js`);b(import.meta.url)",
    "part.js": "export const a=console.log;",
    "side.js": "",
    "Lazy.js": 'import"./never.js"',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small Streamlit: an entry with two modules, and one that it loads later."""
    scripts = tmp_path / "static" / "js"
    scripts.mkdir(parents=True)
    (tmp_path / "index.html").write_text(
        '<head><script type="module" crossorigin src="./static/js/index.a1.js"></script>\n'
        '    <link rel="modulepreload" crossorigin href="./static/js/part.js">\n</head>'
    )
    for name, text in MODULES.items():
        (scripts / name).write_text(text)
    return tmp_path


def modules_of(parcel: Parcel | None) -> dict[str, str]:
    assert parcel is not None
    found: dict[str, str] = json.loads(parcel.text)
    return found


def test_what_is_imported_at_once_travels_and_what_comes_later_does_not(folder: Path) -> None:
    assert modules_of(pack(folder, ())) == {
        "index.a1.js": f'import{{a as b}}from"{BASE}part.js";import"{BASE}side.js";'
        f'const f=()=>import(`{BASE}Lazy.js`);b("{BASE}index.a1.js")',
        "part.js": MODULES["part.js"],
        "side.js": "",
    }


@pytest.mark.parametrize(
    "text",
    [
        "import('./part.js')",
        'import * as x from  "./part.js"',
        "export*from`./part.js`",
        'import"./gone.js"',
        f'const x="{BASE}"',
    ],
)
def test_a_module_that_is_not_understood_means_no_parcel(folder: Path, text: str) -> None:
    """Then the page loads as Streamlit wrote it: slower, never wrong."""
    (folder / "static" / "js" / "side.js").write_text(text)
    assert pack(folder, ()) is None


def test_another_page_means_no_parcel(folder: Path) -> None:
    (folder / "index.html").write_text("<head></head>")
    assert pack(folder, ()) is None
    assert pack(folder / "nowhere", ()) is None


def test_this_streamlit_is_understood() -> None:
    modules = modules_of(pack())
    kinds = {name.split(".")[0] for name in modules}
    assert kinds >= {*PARTS, "index", "StreamlitMarkdown", "protobuf"}
    assert kinds & {"PlotlyChart", "DataFrame", "embed"} == set()
    files = {file.name for file in (STATIC / "static" / "js").iterdir()}
    for text in modules.values():
        assert "import.meta.url" not in text
        named = re.findall(rf"{BASE}([\w.-]+\.js)", text)
        assert set(named) <= files
        now = re.findall(rf'(?:from|import)"{BASE}([\w.-]+\.js)"', text)
        assert set(now) <= set(modules), "a module travels without one that it imports at once"


def test_the_page_asks_for_the_parcel_and_for_nothing_beside_it(node: str) -> None:
    parcel = pack()
    assert parcel is not None
    page = unwrapped(PAGE, parcel, f"./app/static/{parcel.name}")
    assert "modulepreload" not in page
    assert 'type="module"' not in page
    assert f"./app/static/{parcel.name}" in page
    assert "index.C" in page or 'rel="stylesheet"' in page
    script = page.partition("<script>\n(() =>")[2].partition("</script>")[0]
    done = subprocess.run([node, "--check", "-"], input=f"(() =>{script}", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_another_content_is_another_name(folder: Path) -> None:
    before = pack(folder, ())
    (folder / "static" / "js" / "part.js").write_text("export const a=1;")
    after = pack(folder, ())
    assert before is not None
    assert after is not None
    assert before.name != after.name


def test_the_server_sends_it() -> None:
    door = next(one for one in MIDDLEWARE if one.cls is FrontDoor)
    assert "parcel-" in door.kwargs["rewrite"](PAGE)


STARTED_EARLY = """
const added = [], waits = [];
globalThis.HTMLScriptElement = { supports: () => false };
globalThis.document = {
  baseURI: "http://somewhere/", readyState: "loading", head: { append: (one) => added.push(one) },
  createElement: () => ({}), addEventListener: (name, call) => waits.push([name, call]),
};
%s
const soon = () => new Promise((go) => setTimeout(go, 20));
await soon();
const early = added.length;
for (const [name, call] of waits) if (name === "DOMContentLoaded") call();
await soon();
console.log(JSON.stringify([early, added.length]));
"""


def test_streamlit_starts_only_when_the_page_is_read_to_its_end(node: str) -> None:
    """A script that a script adds does not wait for the body, and Streamlit found no place to draw in."""
    parcel = pack()
    assert parcel is not None
    page = unwrapped(PAGE, parcel, "./parcel.json")
    script = "(() =>" + page.partition("<script>\n(() =>")[2].partition("</script>")[0]
    told = subprocess.run(
        [node, "--input-type=module", "-"], input=STARTED_EARLY % script, capture_output=True, text=True
    )
    assert json.loads(told.stdout) == [0, 1], told.stderr
