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
    """The name; where it has no number (behind a hypervisor every EPYC is an "AMD EPYC"), with the family and
    model that the processor itself tells."""
    try:
        lines = _CPUINFO.read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    told: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        told.setdefault(name.strip(), value.strip())
    name, family, model = (told.get(key, "") for key in ("model name", "cpu family", "model"))
    if not name:
        return platform.processor()
    bare = not any(letter.isdigit() for letter in name)
    return f"{name} (family {family}, model {model})" if bare and family and model else name


def versions() -> dict[str, str]:
    """What computed: Python, numpy, and torch where it is loaded."""
    found = {"python": platform.python_version(), "numpy": np.__version__, "system": platform.system()}
    torch = sys.modules.get("torch")
    if torch is not None:
        found["torch"] = str(torch.__version__)
    return found
