"""llama.cpp beside ours: the package that brings it compiled, a process of its own, its own HTTP server."""

from __future__ import annotations

import json
import queue
import secrets
import subprocess
import sys
import threading
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.backends.decoders.loader import Model
from core.backends.engines.address import server_address
from core.backends.engines.base import About, First, Prompt
from core.backends.engines.llama_child import MARK
from core.backends.engines.openai_server import OpenAiEngine
from core.backends.memory import refuse_if_short
from core.backends.models.refusals import LONGEST
from core.backends.progress import Cancelled, never_cancelled, stopped
from core.errors import BackendError

PACKAGE = "xllamacpp"
CHILD = Path(__file__).with_name("llama_child.py")
LOAD_S = 120.0
_LOOK_S = 0.1
_BESIDE = 700 * 2**20
"""Bytes besides weights and K/V: buffers, and 512 MB for prompts that left their slot."""


def llama_available() -> bool:
    """Whether the package is installed. It is imported in the child only."""
    return find_spec(PACKAGE) is not None


def can_compute(model: Model) -> bool:
    """llama.cpp reads GGUF files; random weights and model directories are none."""
    return model.source.kind == "gguf"


class LlamaEngine:
    """Takes the same token ids as ours, from the same file. Its weights stay packed, ours are unpacked to
    float32; its K/V is float16."""

    def __init__(
        self,
        model: Model,
        num_tokens: int,
        *,
        slots: int = 1,
        threads: int = 1,
        cancelled: Cancelled = never_cancelled,
        child: Path = CHILD,
    ) -> None:
        """Start it and wait until it has loaded the model. ``num_tokens``: of each of the ``slots``
        sequences that it computes at once.

        Raises:
            BackendError: too little memory, or llama.cpp does not take the model, or it was stopped.
        """
        path = Path(model.source.where)
        name = model.spec.name
        kv = slots * num_tokens * model.spec.kv_bytes_per_token(2)
        refuse_if_short(path.stat().st_size + kv + _BESIDE, f"llama.cpp, {name}")
        key = secrets.token_hex(16)
        settings = {"path": str(path), "name": name, "slots": slots, "context": num_tokens, "key": key}
        self._child = _Child(child, settings | {"threads": threads})
        try:
            told = self._child.first_line(cancelled)
            address = server_address(str(told["address"]), key)
            self._server = OpenAiEngine(address, model=name, takes="tokens", more={"temperature": 0})
        except BaseException:
            self._child.end()
            raise
        self._about = replace(
            self._server.about,
            name="llama.cpp",
            version=f"{PACKAGE} {told.get('version', '')}".strip(),
            threads=threads,
        )

    @property
    def about(self) -> About:
        """llama.cpp, and the package that brought it."""
        return self._about

    def ask(self, prompt: Prompt) -> First:
        """Ask over HTTP, as any server."""
        try:
            return self._server.ask(prompt)
        except BackendError as error:
            code = self._child.ended()
            raise error if code is None else _ended(f"exit code {code}") from error

    def interrupt(self) -> None:
        """Cut what is under way."""
        self._server.interrupt()

    def close(self) -> None:
        """End the process."""
        self._child.end()


class _Child:
    """The process: one line in, one line out, and it lives as long as its stdin is open."""

    def __init__(self, program: Path, settings: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, name="llama.cpp", daemon=True).start()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(settings) + "\n")
            self._process.stdin.flush()
        except OSError:
            return  # it died at once; the missing line says so

    def first_line(self, cancelled: Cancelled) -> dict[str, Any]:
        """What it says of itself once the model is loaded.

        Raises:
            BackendError: it refuses, it died, it takes too long, or somebody asked to stop.
        """
        end = time.monotonic() + LOAD_S
        while time.monotonic() < end:
            if cancelled():
                raise stopped()
            try:
                line = self._lines.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            if line is None:
                raise _ended(f"exit code {self._process.wait(timeout=5)}")
            if line.startswith(MARK):
                told = json.loads(line.removeprefix(MARK))
                if "address" not in told:
                    raise _ended(str(told.get("wrong", "–"))[:LONGEST])
                return dict(told)
        raise _ended(f"{LOAD_S:.0f} s")

    def ended(self) -> int | None:
        """Its exit code, once it is over. A connection breaks a moment before the process is gone."""
        try:
            return self._process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Close its stdin, which it takes as the end; then insist."""
        for pipe in (self._process.stdin,):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass  # it is gone already
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=5)

    def _read(self) -> None:
        """Take all lines, so that the pipe never fills."""
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


def _ended(why: str) -> BackendError:
    return BackendError(
        "backend.llama_ended",
        f"llama.cpp ended or does not take this model ({why}). Choose another model, or measure without it.",
        why=why,
    )
