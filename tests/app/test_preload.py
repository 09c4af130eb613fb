"""Before the first visitor all is imported: no page brings a library in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LATE = ("plotly.graph_objs.", "encodings.")
"""May come in later: a file each, which nobody looks for in ``sys.modules``."""

VISIT_ALL = """
import sys, app
from pages.navigation import PAGES
from pages.preload import warm
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
warm()
AppTest.from_string("").run()  # the test tool's own imports
known = set(sys.modules)
for page in PAGES:
    at = AppTest.from_file(app.__file__, default_timeout=60)
    at._page_hash = calc_hash("" if page == PAGES[0] else page)
    assert not at.run().exception
    print(*sorted(set(sys.modules) - known))
    known = set(sys.modules)
"""


def test_no_page_brings_a_library_in() -> None:
    done = subprocess.run([sys.executable, "-c", VISIT_ALL], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [name for name in done.stdout.split() if not name.startswith(LATE)] == []
