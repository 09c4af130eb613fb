"""Our ``cache_aware`` beside SGLang's own router: the same prompts, the same requests in flight, worker by
worker.

    python -m benchmarks.against_sglang_router --python INTERPRETER [--requests N] [--seed S] [--keep OUT]

Starts sglang-router (that interpreter has it: pip install sglang-router) before three made-up workers on
this machine that hold each answer until they are told, so that it is known how many requests are where.
Prompts share beginnings, thresholds are small, so that every rule has its turn. Then our router gets the
same, and the first decision that differs is told. ``--keep`` writes the recording that
tests/unit/core/cluster replays."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np

from core.cluster.router import Ask, Worker
from core.cluster.routers.sglang import CacheAware, Settings
from core.types import Request

SETTINGS = Settings(0.3, 2, 1.5)
MOST_HELD = 9
WAIT_S = 20.0


class Held:
    """A request on its way: which worker has it, and when that one may answer."""

    def __init__(self) -> None:
        self.worker: int | None = None
        self.come, self.go, self.over = threading.Event(), threading.Event(), threading.Event()


def start_worker(place: int, held: dict[int, Held]) -> ThreadingHTTPServer:
    """A worker that answers when its request may go; the number of a request is its count of new tokens."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Nothing."""

        def answer(self, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            self.answer({"status": "ok", "model_path": "m", "data": [{"id": "m"}], "is_generation": True})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            one = held[body["sampling_params"]["max_new_tokens"]]
            one.worker = place
            one.come.set()
            one.go.wait(WAIT_S)
            self.answer({"text": "x", "meta_info": {"id": "1"}})

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def prompts(num: int, seed: int) -> list[str]:
    """Prompts made of a few common pieces, some with an end of their own."""
    dice = np.random.default_rng(seed)

    def letters(of: str, low: int, high: int) -> str:
        return "".join(dice.choice(list(of), int(dice.integers(low, high))))

    pieces = [letters("abcdefgh", 10, 60) for _ in range(10)]
    found = []
    for _ in range(num):
        chosen = dice.choice(len(pieces), int(dice.integers(1, 4)), replace=False)
        text = "".join(pieces[at][: int(dice.integers(5, len(pieces[at]) + 1))] for at in chosen)
        found.append(text + (letters("xyz", 1, 90) if dice.random() < 0.3 else ""))
    return found


def record(url: str, texts: Sequence[str], held: dict[int, Held], seed: int) -> list[list[Any]]:
    """["send", number, text, worker] and ["end", number], in the order in which they were."""
    dice, told, live = np.random.default_rng([seed, 1]), list[list[Any]](), list[int]()

    def send(number: int, text: str) -> None:
        body = {"text": text, "sampling_params": {"max_new_tokens": number}}
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{url}/generate", json.dumps(body).encode(), headers)
        urllib.request.urlopen(request, timeout=10 * WAIT_S).read()
        held[number].over.set()

    for number, text in enumerate(texts, 1):
        held[number] = Held()
        threading.Thread(target=send, args=(number, text), daemon=True).start()
        held[number].come.wait(WAIT_S)
        told.append(["send", number, text, held[number].worker])
        live.append(number)
        while live and (len(live) > MOST_HELD or dice.random() < 0.45):
            gone = live.pop(int(dice.integers(len(live))))
            held[gone].go.set()
            held[gone].over.wait(WAIT_S)
            sleep(0.01)  # until the router has counted it off
            told.append(["end", gone])
    for number in live:
        held[number].go.set()
    return told


def first_difference(told: Sequence[Sequence[Any]]) -> tuple[int | None, Counter[str]]:
    """The first request that our router sends elsewhere, and by which rules it decided up to there."""
    router = CacheAware(SETTINGS, first_of_equals=True)
    workers = [Worker(f"W{place}") for place in range(3)]
    at, why = dict[int, int](), Counter[str]()
    for kind, number, *rest in told:
        if kind == "end":
            workers[at[number]].load -= 1
            continue
        text, worker = rest
        choice = router.choose(Ask(number, 0.0, Request("R", (1,)), None, text), workers)
        why[choice.why] += 1
        if choice.worker != worker:
            return number, why
        at[number] = worker
        workers[worker].load += 1
        workers[worker].processed += 1
    return None, why


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, compare, say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--port", type=int, default=18640)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    given = parser.parse_args(arguments)
    version = subprocess.run(
        [given.python, "-c", "import importlib.metadata as m; print(m.version('sglang-router'))"],
        capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    if not version:
        print(
            f"{given.python} has no sglang-router. Install it there: pip install sglang-router",
            file=sys.stderr,
        )
        return 2
    held: dict[int, Held] = {}
    servers = [start_worker(place, held) for place in range(3)]
    urls = [f"http://127.0.0.1:{server.server_address[1]}" for server in servers]
    command = [given.python, "-m", "sglang_router.launch_router", "--worker-urls", *urls]
    command += ["--policy", "cache_aware", "--host", "127.0.0.1", "--port", str(given.port)]
    command += ["--prometheus-port", str(given.port + 1), "--cache-threshold", str(SETTINGS.threshold)]
    command += ["--balance-abs-threshold", str(SETTINGS.abs), "--balance-rel-threshold", str(SETTINGS.rel)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(f"http://127.0.0.1:{given.port}/health")
            told = record(
                f"http://127.0.0.1:{given.port}", prompts(given.requests, given.seed), held, given.seed
            )
        finally:
            process.terminate()
    order = first_seen(told)
    told = [[*one[:3], order[one[3]]] if one[0] == "send" else one for one in told]
    differs, why = first_difference(told)
    print(f"sglang-router {version}, {given.requests} requests, seed {given.seed}: {dict(why)}")
    print("every decision is the same" if differs is None else f"request {differs} goes elsewhere")
    if given.keep:
        kept = {
            "sglang_router": version,
            "settings": [SETTINGS.threshold, SETTINGS.abs, SETTINGS.rel],
            "told": told,
        }
        Path(given.keep).write_text(json.dumps(kept, separators=(",", ":")) + "\n", "utf-8")
    return differs is not None


def first_seen(told: Sequence[Sequence[Any]]) -> dict[int, int]:
    """The router's own order of workers is not that of its command line: in the order of their first
    request."""
    workers = dict.fromkeys(one[3] for one in told if one[0] == "send")
    return {worker: place for place, worker in enumerate([*workers, *({0, 1, 2} - set(workers))])}


def wait_for(url: str) -> None:
    """Until the router is there and has found its workers."""
    for _ in range(100):
        try:
            urllib.request.urlopen(url, timeout=1).read()
            break
        except OSError:
            sleep(0.2)
    sleep(3)


if __name__ == "__main__":
    sys.exit(main())
