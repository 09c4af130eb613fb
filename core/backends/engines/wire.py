"""Speaks HTTP with a server that may be slow, silent, broken or something else altogether.

Nothing that it says is trusted: lines, answers and patience have limits, and every way to go wrong is one
``BackendError``. The key is sent and never told.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.backends.engines.address import Address
from core.errors import BackendError

Json = dict[str, Any]
CONNECT_S = 5.0
LONGEST_LINE, LONGEST_ANSWER = 2**20, 2**24
_SAID = 160
"""Letters of a server's own words that are told."""


class Wire:
    """The way to one server. ``patience_s``: how long it may say nothing; a whole answer may take three
    times that. Several threads may ask at once."""

    def __init__(self, address: Address, patience_s: float = 60.0) -> None:
        self._address = address
        self._patience_s = patience_s
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def interrupt(self) -> None:
        """Cut all connections: whoever waits gets an error at once."""
        with self._lock:
            for sock in self._open:
                _cut(sock)

    def get(self, path: str) -> Any:
        """The JSON at a path below the address.

        Raises:
            BackendError: there is none.
        """
        with self._connected() as connection, self._told():
            connection.request("GET", self._address.path + path, headers=self._headers())
            with connection.getresponse() as response:
                self._refuse_status(response)
                return _json(response.read(LONGEST_LINE))

    def stream(self, path: str, body: Json) -> Iterator[tuple[float, Json]]:
        """Ask, and give each event of the answer with the seconds since the question was sent. The time to
        connect is not in them.

        Raises:
            BackendError: no stream of events, or one that breaks off.
        """
        data = json.dumps(body).encode()
        with self._connected() as connection, self._told():
            start = time.perf_counter()
            connection.request("POST", self._address.path + path, data, self._headers())
            with connection.getresponse() as response:
                self._refuse_status(response)
                if "text/event-stream" not in (response.getheader("Content-Type") or ""):
                    _json(response.read(LONGEST_LINE))  # rubbish is told as such
                    what = "answers in one piece, so its first token cannot be timed"
                    raise _problem("server_no_stream", what)
                yield from self._events(response, start)

    def _events(self, response: http.client.HTTPResponse, start: float) -> Iterator[tuple[float, Json]]:
        size = 0
        while True:
            line = response.readline(LONGEST_LINE)
            seconds = time.perf_counter() - start
            size += len(line)
            if not line:
                return
            if size > LONGEST_ANSWER or len(line) == LONGEST_LINE:
                raise rubbish()
            if not line.startswith(b"data:"):
                continue  # an empty line, a comment, the name of an event
            text = line[5:].strip()
            if text == b"[DONE]":
                return
            event = _json(text)
            if not isinstance(event, dict):
                raise rubbish()
            if "error" in event:
                raise self._status(500, event)
            yield seconds, event

    @contextmanager
    def _connected(self) -> Iterator[http.client.HTTPConnection]:
        known = self._address
        kind = http.client.HTTPSConnection if known.secure else http.client.HTTPConnection
        connection = kind(known.host, known.port, timeout=CONNECT_S)
        try:
            connection.connect()
            connection.sock.settimeout(self._patience_s)
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, http.client.HTTPException, ValueError) as problem:
            connection.close()
            reason = type(problem).__name__
            raise _problem(
                "server_unreachable", f"cannot be reached ({reason}). Is it running?", reason=reason
            ) from problem
        sock = connection.sock  # kept, for it leaves the connection once an answer begins that ends with it
        with self._lock:
            self._open.add(sock)
        limit = _Limit(sock, 3 * self._patience_s)
        try:
            yield connection
        finally:
            limit.end()
            with self._lock:
                self._open.discard(sock)
            connection.close()
            if limit.passed:  # what it broke off looks like something else
                raise self._silent()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What can go wrong on the way, as one of our errors."""
        try:
            yield
        except TimeoutError as problem:
            raise self._silent() from problem
        except (ConnectionError, http.client.IncompleteRead) as problem:
            raise cut_off() from problem
        except (http.client.HTTPException, OSError, ValueError) as problem:
            raise rubbish() from problem

    def _silent(self) -> BackendError:
        seconds = round(self._patience_s)
        return _problem("server_silent", f"said nothing for {seconds} s", seconds=seconds)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        return headers | ({"Authorization": f"Bearer {self._address.key}"} if self._address.key else {})

    def _refuse_status(self, response: http.client.HTTPResponse) -> None:
        if response.status == 200:
            return
        try:
            said = json.loads(response.read(LONGEST_LINE))
        except (ValueError, RecursionError):
            said = None
        raise self._status(response.status, said)

    def _status(self, status: int, said: object) -> BackendError:
        """A refusal, with the server's own words, but for those about a key: they may hold it."""
        if status in (401, 403):
            return _problem("server_key", f"refuses the key (status {status})", status=status)
        error = said.get("error", said) if isinstance(said, dict) else None
        found = error.get("message") if isinstance(error, dict) else error
        words = found[:_SAID] if isinstance(found, str) else "–"
        if self._address.key:
            words = words.replace(self._address.key, "…")
        return _problem(
            "server_status", f"refuses the question (status {status}: {words})", status=status, said=words
        )


class _Limit:
    """Cuts a connection after so many seconds, whatever drips from it: a byte now and then keeps every read
    patient, and no line ever ends."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self.passed = False
        self._sock = sock
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True
        self._timer.start()

    def _pass(self) -> None:
        self.passed = True
        _cut(self._sock)

    def end(self) -> None:
        """It is over in time."""
        self._timer.cancel()


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise rubbish() from problem


def _cut(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # cut already


def rubbish() -> BackendError:
    """What came is something else."""
    return _problem("server_rubbish", "answers with something that is no answer of OpenAI's protocol")


def cut_off() -> BackendError:
    """What came is not whole."""
    return _problem("server_cut", "broke off before its answer was whole")


def _problem(code: str, what: str, **values: object) -> BackendError:
    message = f"The server {what}. Look at BROTH_SERVER and at the server's own log, then measure again."
    return BackendError(f"backend.{code}", message, **values)
