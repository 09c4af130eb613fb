"""The one process that all visitors share: when sessions end, how much one may upload, how busy it is,
whose long computing comes next.

Where it leans on a name of Streamlit's or Starlette's that is not public, it does without where the name is
gone; tests/unit/ui/server holds the names against the pinned versions.
"""
