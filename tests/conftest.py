"""What every test shares: how hypothesis draws its examples."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from streamlit import config

EXAMPLES = 100 * int(os.environ.get("BROTH_EXAMPLES", "1"))
"""Of a property that says nothing else (``tests/strategies.py``)."""

# No deadline: two busy cores make single examples slow without anything being wrong.
settings.register_profile("default", deadline=None, max_examples=EXAMPLES)
# The same examples on every run where a red light must mean the change, not the dice.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=EXAMPLES)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# Visitors read a sentence where a page broke; a test wants to say what broke.
config.set_option("client.showErrorDetails", "full")

# Left out by ``run.py test --fast``, to keep pytest near a minute: whole pages, models, long properties.
SLOW_FOLDERS = frozenset({"app", "backends", "benchmarks", "properties"})
SLOW_MODULES = frozenset(
    f"test_{name}"
    for name in (
        *("monitor", "replay", "load", "revisit", "stream", "policies", "fork", "curve", "steps"),
        *("traffic", "hit_definitions", "export", "questions", "report_cli", "payload", "report", "setup"),
        *("eviction_orders", "own_prompts", "ch13", "ch05", "finish", "held_blocks", "stage"),
        *("handout", "formats", "fuzz", "tradeoffs", "vectors"),
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes long by where it stands, so that no test has to say it for itself. Browser tests come
    last: from the first of them on the browser's event loop runs, and nobody else can begin one."""
    here = Path(__file__).parent
    items.sort(key=lambda item: item.path.relative_to(here).parts[0] == "e2e")
    for item in items:
        path = item.path.relative_to(here)
        if SLOW_FOLDERS & set(path.parts) or path.stem in SLOW_MODULES:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="module")
def little_to_look_through() -> Iterator[None]:
    """What thousands of collected tests and their imports hold is no garbage. Streamlit has all of it looked
    through after each run of a page, and benchmarks before each measurement: half a second a time."""
    gc.freeze()
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def no_real_tokenizer_for_logs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pages and reports say is the same wherever tests run, whatever is installed there; a test about
    a real tokenizer puts one in."""
    place = request.node.path.relative_to(Path(__file__).parent).parts
    if place[0] == "app" or place[:2] == ("unit", "ui"):
        for module in ("core.backends.models.log_tokenizers", "ui.traffic.tokenizers"):
            monkeypatch.setattr(f"{module}.has_qwen", lambda: False)
        monkeypatch.setattr("core.backends.models.log_tokenizers.small_model_path", lambda: None)


@pytest.fixture(scope="session")
def node() -> str:
    """node's program, for the few tests that run the stage's JavaScript from here."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not on PATH")
    return found
