"""llama.cpp in a process of its own: ``python -I llama_child.py``, settings in one line of stdin, the address
in one line of stdout. It serves until stdin ends: when whoever started it is gone, so is it.

A crash in there is a crash of this process only. Nothing of Broth is imported here.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

MARK = "broth "
"""Before our line; llama.cpp may write lines of its own."""


def serve(settings: dict[str, Any]) -> tuple[Any, str]:
    """A server over one model, and its version. ``slots`` sequences at once, each of ``context`` tokens.

    Raises:
        Exception: whatever llama.cpp finds wrong with the model.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["name"]}
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]
    params.kv_unified = False
    params.cache_ram_mib = 512
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.n_gpu_layers = 0
    params.fit_params = params.ui = params.endpoint_slots = False
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings["key"]]
    params.verbosity = -1
    return xllamacpp.Server(params), str(xllamacpp.__version__)


def main() -> None:
    """Serve until nobody is left who could ask."""
    settings = json.loads(sys.stdin.readline())
    try:
        server, version = serve(settings)
        told = {"address": server.listening_address, "version": version}
    except Exception as problem:  # noqa: BLE001  the caller says it
        told = {"wrong": str(problem) or type(problem).__name__}
    sys.stdout.write(f"\n{MARK}{json.dumps(told)}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
