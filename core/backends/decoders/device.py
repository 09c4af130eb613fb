"""Which machine a result was measured on, in words."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import numpy as np

_CPUINFO = Path("/proc/cpuinfo")


def cpu_name() -> str:
    """The processor's name and how many cores this program may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{_model() or platform.machine()}, {cores} core{'s' if cores != 1 else ''}"


def _model() -> str:
    try:
        lines = _CPUINFO.read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def versions() -> dict[str, str]:
    """What computed: Python, numpy, and torch where it is loaded."""
    found = {"python": platform.python_version(), "numpy": np.__version__, "system": platform.system()}
    torch = sys.modules.get("torch")
    if torch is not None:
        found["torch"] = str(torch.__version__)
    return found
