"""Start the server with all that is heavy imported before, so that the first visitor need not wait for it.

    python -m pages.preload run app.py [streamlit options]

The same as ``streamlit run app.py``, where numpy, the engine and the string tables are read when the first
page is asked for. Only modules that define something may stand here: no session and no component exists yet.
"""

from __future__ import annotations

import streamlit.emojis  # every row of buttons needs it, and it takes a tenth of a second
from streamlit.web import cli

import core.load
import core.scenario.reader
import ui.stage.payload
from ui.words.i18n import LANGS, table

PRELOADED = (streamlit.emojis, core.load, core.scenario.reader, ui.stage.payload)


def main() -> None:
    """Read the tables, then become Streamlit's command line."""
    for lang in LANGS:
        table(lang)
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
