"""What holds for every page that a test opens: its figures are built both ways."""

from __future__ import annotations

import pytest

from tests.app.twin_figures import TWINS
from ui.frame import plain_figure


@pytest.fixture(autouse=True)
def twin_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain figures and Plotly's own must be equal, whatever page and state the test looks at."""
    for name, twin in TWINS.items():
        monkeypatch.setattr(plain_figure, name, twin)
