"""What the server does before the first visitor: it imports all that is heavy, and every page.

Nobody waits for imports then, and no two visitors import at once: plotly and Streamlit ask ``sys.modules``
whether pandas is there, and find half of it while another thread still reads it. Pages may be imported only
once there is a server, for a component made before would be nobody's.
"""

from __future__ import annotations

import gc
from importlib import import_module

from pages.navigation import PAGES
from ui.words.i18n import LANGS, table

HEAVY = (
    "pandas",
    "pyarrow.pandas_compat",
    "pyarrow.vendored.version",
    "PIL.ImageFile",
    "plotly.graph_objects",
    "plotly.animation",
    "plotly.io._json",
    "plotly.offline",
    "plotly.tools",
    "streamlit.components.v2.manifest_scanner",
    "streamlit.emojis",
    "streamlit.material_icon_names",
)
"""What libraries import at their first use; tests/app/test_preload.py visits all pages to find them. Not
torch and tokenizers: they take seconds, few ask for them, and no library looks whether they are there.
"""


def warm() -> None:
    """Import and read it all. What is there now stays for good, so the collector need not look at it."""
    for name in (*HEAVY, *(f"pages.{page}" for page in PAGES)):
        import_module(name)
    for lang in LANGS:
        table(lang)
    gc.collect()
    gc.freeze()
