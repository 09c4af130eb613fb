"""What every test shares: how hypothesis draws its examples."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import settings

# No deadline: two busy cores make single examples slow without anything being wrong.
settings.register_profile("default", deadline=None)
# The same examples on every run where a red light must mean the change, not the dice.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def node() -> str:
    """node's program, for the few tests that run the stage's JavaScript from here."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not on PATH")
    return found
