"""What Broth runs without and does more with: optional packages, and the command that adds each.

The one table of them: ``run.py add`` installs from it, ``run.py test`` installs all of it, and what misses
a package shows ``how_to_add``: the command for the very environment that the app runs in.

``run.py`` reads this file before anything is installed, so it needs nothing but the standard library.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAMP = "installed-requirements"
"""The file by which ``run.py`` knows the environment that it made (in ``.venv``)."""

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""On Linux the usual index has torch's CUDA build only."""


@dataclass(frozen=True, slots=True)
class Extra:
    """``name``: what is typed. ``file``: its pins. ``megabytes``: to download and on the disk, with all
    that it brings and the app has not, on Linux for x86-64. ``alone``: what it says it needs is not needed.
    """

    name: str
    what: str
    megabytes: tuple[int, int]
    alone: bool = False
    file_name: str = ""

    @property
    def file(self) -> str:
        """Its file of requirements, beside ``run.py``."""
        return f"requirements-{self.file_name or self.name}.txt"


EXTRAS = {
    extra.name: extra
    for extra in (
        Extra("torch", "real prefill with torch beside numpy; needed for a GPU", (203, 865)),
        Extra("model", "SmolLM2-135M-Instruct, a small model that talks", (93, 99), alone=True),
        Extra("tokenizers", "every tokenizer.json of a model directory", (4, 12), alone=True),
        Extra("tokens", "Qwen's tokenizer, for the texts of your own logs", (6, 15)),
        Extra("gguf", "fourteen more packed forms of GGUF files (Q2_K, IQ…, TQ…)", (1, 5)),
        Extra("llama", "llama.cpp, as a second engine for the same prompts", (34, 102)),
        Extra("redis", "a store of KV blocks on a Valkey or Redis server", (1, 6)),
        Extra("excel", "logs in Excel files", (1, 3), file_name="xlsx"),
        Extra("msgpack", "event streams in the bytes that vLLM sends", (1, 2)),
    )
}
CUDA_MEGABYTES = (2740, 4900)
"""Of torch's CUDA build, to download and on the disk."""


def pins(extra: Extra) -> list[str]:
    """``name==version`` of each package in its file; none where the app was copied without it."""
    if not (ROOT / extra.file).exists():
        return []
    lines = (ROOT / extra.file).read_text("utf-8").splitlines()
    return [line for line in (one.partition("#")[0].strip() for one in lines) if line]


def has_nvidia_gpu() -> bool:
    """By NVIDIA's own program, which its driver brings along; nothing is started."""
    return shutil.which("nvidia-smi") is not None


def made_by_run_py() -> bool:
    """Whether this Python is that of the environment which ``run.py`` makes and adds to."""
    here = Path(sys.prefix)
    return here.resolve() == (ROOT / ".venv").resolve() and (here / STAMP).exists()


def how_to_add(name: str) -> str:
    """The command that adds an extra to the environment which runs this: ``run.py``'s word for it, or, in an
    environment that somebody made otherwise, pip's (uv's, where pip is not in it)."""
    extra = EXTRAS[name]
    if made_by_run_py():
        return f"python3 run.py add {name}"
    what = ["-r", _shown(ROOT / extra.file)]
    if name == "torch" and sys.platform.startswith("linux") and not has_nvidia_gpu():
        what = ["--extra-index-url", CPU_INDEX, *(f"{pin}+cpu" for pin in pins(extra))]
    return pip_line(*(["--no-deps"] if extra.alone else []), *what)


def pip_line(*what: str) -> str:
    """What to type to install into the environment that runs this, whichever is active in the terminal."""
    python = _shown(Path(sys.executable))
    if importlib.util.find_spec("pip") is None:
        return " ".join(["uv pip install --python", python, *what])
    return " ".join([python, "-m pip install", *what])


def _shown(path: Path) -> str:
    """A path as a terminal takes it. A person's home has their name, which no page shows."""
    if sys.platform == "win32":
        return f'& "{path}"' if path.suffix == ".exe" else f'"{path}"'
    home = Path.home()
    if home != Path("/") and path.is_relative_to(home):
        return f"~/{shlex.quote(str(path.relative_to(home)))}"
    return shlex.quote(str(path))
