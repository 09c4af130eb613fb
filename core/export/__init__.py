"""A load taken along: its requests as JSONL and CSV, its curves as CSV, its counters as vLLM's metrics.

snapshot.py       a copy of what a run has written down, so that the run may go on meanwhile
requests.py       one line a request
curves.py         one row a time bin
metrics.py        vLLM's metrics as a run knows them
openmetrics.py    the same as text, over the run's time
dashboard.py      panels for Grafana on those metrics
"""

from core.export.curves import curves_csv
from core.export.dashboard import dashboard_json
from core.export.openmetrics import openmetrics
from core.export.requests import requests_csv, requests_jsonl
from core.export.snapshot import Snapshot, snapshot

__all__ = [
    "Snapshot",
    "curves_csv",
    "dashboard_json",
    "openmetrics",
    "requests_csv",
    "requests_jsonl",
    "snapshot",
]
