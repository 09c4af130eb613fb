"""The stage's modules reach the served folder whole, under one hash, and nothing else does."""

from __future__ import annotations

import graphlib
import json
import posixpath
import re
import subprocess
from pathlib import Path

import pytest

from ui.frame import static_files
from ui.frame.static_files import (
    ENTRIES,
    ROOT,
    content_hash,
    ensure_static,
    joined_files,
    loader_js,
    stage_files,
    words_files,
)
from ui.words.i18n import LANGS, table


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A small project: two modules and a style sheet, beside things that must stay private."""
    stage = tmp_path / "assets" / "stage"
    (stage / "parts").mkdir(parents=True)
    (stage / "stage.js").write_text(
        'import { twice } from "./parts/math.js";\n'
        'export default ({ css, text }) => [twice(21), css, text.en["stage.measured"]];\n'
    )
    (stage / "parts" / "math.js").write_text("export const twice = (x) => 2 * x;\n")
    (stage / "stage.css").write_text(":host { color: black; }\n")
    (stage / "notes.md").write_text("not for the browser\n")
    (tmp_path / "assets" / "scenarios").mkdir()
    (tmp_path / "assets" / "scenarios" / "own.json").write_text("{}\n")
    return tmp_path


def served(app: Path) -> set[str]:
    return {
        path.relative_to(app / "static").as_posix() for path in (app / "static").rglob("*") if path.is_file()
    }


def test_modules_and_style_sheets_are_served_and_nothing_else(app: Path) -> None:
    folder = ensure_static(app)
    assert folder is not None
    name = folder.removeprefix("app/static/")
    files = {f"stage/{file}" for file in ("stage.js", "parts/math.js", "stage.css")}
    assert served(app) == {f"{name}/{file}" for file in files | set(words_files())}
    source = app / "assets" / "stage" / "stage.js"
    assert (app / "static" / name / "stage" / "stage.js").read_bytes() == source.read_bytes()


def test_second_call_writes_nothing(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ensure_static(app)
    monkeypatch.setattr(static_files, "_publish", lambda *_: pytest.fail("published twice"))
    assert ensure_static(app) == first


def test_another_text_is_another_address(app: Path) -> None:
    """A browser that kept parts/math.js must not mix it with a newer stage.js: both addresses change."""
    before = ensure_static(app)
    (app / "assets" / "stage" / "parts" / "math.js").write_text("export const twice = (x) => x + x;\n")
    after = ensure_static(app)
    assert before != after
    assert len({name.split("/")[0] for name in served(app)}) == 2


def test_old_copies_are_pruned(app: Path) -> None:
    for number in range(static_files.KEPT_VERSIONS + 3):
        (app / "assets" / "stage" / "stage.js").write_text(f"export default () => {number};\n")
        newest = ensure_static(app)
    folders = [path.name for path in (app / "static").iterdir()]
    assert len(folders) == static_files.KEPT_VERSIONS
    assert newest is not None
    assert Path(newest).name in folders


def test_a_byte_that_moves_between_files_changes_the_hash() -> None:
    assert content_hash({"a.js": b"12", "b.js": b"3"}) != content_hash({"a.js": b"1", "b.js": b"23"})


def test_another_server_that_published_first_is_no_error(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers start at once: the slower one finds the finished copy when it renames its own."""
    write = static_files._write

    def slower(files: dict[str, bytes], folder: Path) -> None:
        write(files, folder)
        monkeypatch.setattr(static_files, "_write", write)
        ensure_static(app)

    monkeypatch.setattr(static_files, "_write", slower)
    folder = ensure_static(app)
    assert folder is not None
    assert [path.name for path in (app / "static").iterdir()] == [Path(folder).name]


def test_linked_loader_runs_and_brings_the_words(app: Path, node: str) -> None:
    (app / "app").symlink_to(app)  # the server serves static/ under app/static/
    (app / "loader.mjs").write_text(loader_js(root=app))
    (app / "main.mjs").write_text(
        f'globalThis.document = {{ baseURI: "{app.as_uri()}/" }};\n'
        'const run = (await import("./loader.mjs")).default;\nconsole.log(...run({ css: 1 }));\n'
    )
    done = subprocess.run([node, "main.mjs"], cwd=app, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == (f"42 1 {table('en')['stage.measured']}\n", 0), done.stderr


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_words_are_served_for_each_entry(entry: str) -> None:
    folder = ensure_static()
    assert folder is not None
    served_words = ROOT / "static" / Path(folder).name / entry.split("/")[0] / "texts.js"
    text = served_words.read_text("utf-8")
    words = json.loads(text.removeprefix("export default ").removesuffix(";\n"))
    assert words == ENTRIES[entry]()
    assert set(words) == set(LANGS)


def test_linked_loader_names_the_served_entry(app: Path) -> None:
    folder = ensure_static(app)
    text = loader_js(root=app)
    assert json.dumps(f"{folder}/stage/stage.js") in text
    assert "\n" in text  # one line without a newline would be taken for a file's name by Streamlit


@pytest.mark.parametrize("obstacle", ["file", "link"])
def test_a_folder_that_cannot_be_used_gives_the_inline_loader(app: Path, obstacle: str) -> None:
    """A file in the way stands for every folder that cannot be written, whoever the tests run as."""
    if obstacle == "file":
        (app / "static").write_text("assets\n")
    else:
        (app / "static").symlink_to(app / "assets")
    assert ensure_static(app) is None
    text = loader_js(root=app)
    for content in stage_files(app).values():
        assert json.dumps(content.decode()) in text
    assert not (app / "assets" / content_hash(stage_files(app))).exists()


def test_inline_loader_runs(app: Path, node: str) -> None:
    """node imports data: addresses but no blob: ones, so the one call that makes them is exchanged."""
    (app / "static").write_text("in the way\n")
    (app / "main.mjs").write_text('import run from "./loader.mjs";\nconsole.log(...run({ data: 1 }));\n')
    text = loader_js(root=app).replace(
        'URL.createObjectURL(new Blob([text], { type: "text/javascript" }))',
        '"data:text/javascript," + encodeURIComponent(text)',
    )
    assert "createObjectURL" not in text
    (app / "loader.mjs").write_text(text)
    done = subprocess.run([node, "main.mjs"], cwd=app, capture_output=True, text=True)
    said = f"42 :host {{ color: black; }}\n {table('en')['stage.measured']}\n"
    assert (done.stdout, done.stderr, done.returncode) == (said, "", 0)


def imports_of(name: str, text: str) -> set[str]:
    """The modules that one module imports, as names inside the served folder."""
    found = re.findall(r"""\b(?:from|import)\s*["']([^"']+)["']""", text)
    return {posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in found}


def test_the_real_stage_is_whole() -> None:
    """Every import finds its file, and there are no circles: modules linked as blob: cannot have any."""
    modules = {name: text.decode() for name, text in stage_files().items() if name.endswith(".js")}
    assert set(ENTRIES) <= set(modules)
    graph = {name: imports_of(name, text) for name, text in modules.items()}
    assert {target for targets in graph.values() for target in targets} <= set(modules)
    order = list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError on a circle
    assert sorted(order) == sorted(modules)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_joined_modules_are_served(entry: str, node: str) -> None:
    """One request instead of thirty; node reads the joined module and finds its default."""
    folder = ensure_static()
    assert folder is not None
    name = entry.replace("/", "/joined-")
    assert json.dumps(f"{folder}/{name}") in loader_js(entry)
    joined = ROOT / "static" / Path(folder).name / name
    assert re.findall(r"^import\b.*", joined.read_text("utf-8"), re.M) == []
    script = f'import("{joined.as_uri()}").then((module) => console.log(typeof module.default))'
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("function\n", 0), done.stderr


def test_the_joined_module_brings_its_sheet_and_its_words(app: Path, node: str) -> None:
    """Joined or not, the entry gets the same: a file less to ask for, nothing less to wear and to say."""
    stage = app / "assets" / "stage" / "stage.js"
    stage.write_text(
        'import { twice } from "./parts/math.js";\n'
        'function draw({ css, text, data }) {\n  return [twice(data), css, text.en["stage.measured"]];\n}\n'
        "export default draw;\n"
    )
    (app / "app").symlink_to(app)
    text = loader_js(root=app)
    assert "joined-stage.js" in text
    (app / "loader.mjs").write_text(text)
    (app / "main.mjs").write_text(
        f'globalThis.document = {{ baseURI: "{app.as_uri()}/" }};\n'
        'const run = (await import("./loader.mjs")).default;\nconsole.log(...run({ data: 4 }));\n'
    )
    done = subprocess.run([node, "main.mjs"], cwd=app, capture_output=True, text=True)
    said = f"8 :host {{ color: black; }}\n {table('en')['stage.measured']}\n"
    assert (done.stdout, done.returncode) == (said, 0), done.stderr


def test_modules_that_cannot_be_joined_are_linked(app: Path) -> None:
    assert joined_files(stage_files(app)) == {}
    assert "joined-stage.js" not in loader_js(root=app)
