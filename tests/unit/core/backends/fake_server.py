"""An OpenAI-compatible server whose truth is known: so long for each token that is not cached, blocks of 16
words kept for ever; and ways to go wrong."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BLOCK = 16


class FakeServer(ThreadingHTTPServer):
    """``wrong``: how it misbehaves; ``tells``: whether its usage has the cached tokens; ``refuses``: names of
    fields or paths that it answers with 400; ``ms_per_word``: its only clock."""

    daemon_threads = True

    def __init__(
        self, wrong: str = "", tells: bool = True, refuses: tuple[str, ...] = (), ms_per_word: float = 0.0
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wrong, self.tells, self.refuses, self.ms_per_word = wrong, tells, refuses, ms_per_word
        self.known: set[tuple[str, ...]] = set()
        self.lock = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def cached(self, words: list[str]) -> int:
        """Whole blocks that were seen before, never the last word; remembers the new ones."""
        with self.lock:
            ends = range(BLOCK, len(words) + 1, BLOCK)
            prefixes = [tuple(words[:end]) for end in ends]
            hits = 0
            while hits < len(prefixes) and prefixes[hits] in self.known and ends[hits] < len(words):
                hits += 1
            self.known.update(prefixes)
            return hits * BLOCK


class _Handler(BaseHTTPRequestHandler):
    server: FakeServer

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.keys.append(self.headers.get("Authorization"))
        if self.server.wrong == "401":
            self._plain(401, {"error": {"message": "Incorrect key: sk-very-secret"}})
        elif self.server.wrong == "no models":
            self._plain(200, {"data": []})
        else:
            self._plain(200, {"data": [{"id": "/models/fake", "owned_by": "fakery"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        path = self.path.removeprefix("/v1")
        if {path, *body} & set(self.server.refuses):
            self._plain(400, {"error": {"message": "no such field, my key is sk-very-secret"}})
        elif self.server.wrong in ("", "hang", "cut", "end early", "rubbish", "no dict", "error", "empty"):
            self._stream(body)
        elif self.server.wrong == "not http":
            self.wfile.write(b"220 smtp.example ready\r\n")
            self.close_connection = True
        elif self.server.wrong == "no stream":
            self._plain(200, {"choices": [{"text": "all at once", "finish_reason": "stop"}]})
        elif self.server.wrong == "html":
            self._plain(200, None, b"<html>Welcome to nginx</html>")
        else:
            self._plain(int(self.server.wrong), {"error": {"message": "overloaded"}})

    def _stream(self, body: dict[str, Any]) -> None:
        chat = self.path.endswith("/chat/completions")
        text = body["messages"][0]["content"] if chat else body["prompt"]
        words = text.split() if isinstance(text, str) else [str(one) for one in text]
        cached = self.server.cached(words)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        wrong = self.server.wrong
        if wrong == "hang":
            self.server.stopped.wait(30)
            return
        if chat:
            self._event({"choices": [{"delta": {"role": "assistant", "content": ""}, "finish_reason": None}]})
        time.sleep(self.server.ms_per_word * (len(words) - cached) / 1e3)
        if wrong == "rubbish":
            self.wfile.write(b"data: {not json\n\n")
            return
        if wrong == "no dict":
            self.wfile.write(b"data: [1, 2]\n\n")
            return
        if wrong == "error":
            self._event({"error": {"message": "out of memory", "code": 500}})
            return
        content = {"delta": {"content": " soup"}} if chat else {"text": " soup"}
        if wrong != "empty":
            self._event({"choices": [{**content, "finish_reason": None}]})
        if wrong == "cut":
            self.wfile.write(b'data: {"cho')
            return
        if wrong == "end early":
            return
        self._event({"choices": [{"text": "", "delta": {}, "finish_reason": "length"}]})
        if "stream_options" in body:
            details = {"prompt_tokens_details": {"cached_tokens": cached}} if self.server.tells else {}
            self._event({"choices": [], "usage": {"prompt_tokens": len(words), **details}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, event: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _plain(self, status: int, said: object, text: bytes = b"") -> None:
        data = text or json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def fake_server(**options: Any) -> Iterator[FakeServer]:
    """One that runs, in threads of its own."""
    server = FakeServer(**options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
