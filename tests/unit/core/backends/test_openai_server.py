"""A server that is asked over HTTP: what it tells, how it may be asked, and every way to go wrong."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from core.backends.engines.address import Address, server_address
from core.backends.engines.base import First, Prompt
from core.backends.engines.openai_server import OpenAiEngine, _counts
from core.backends.engines.opening import opened
from core.backends.engines.wire import Wire
from core.errors import BackendError
from tests.unit.core.backends.fake_server import FakeServer, fake_server

KEY = "sk-very-secret"


def engine_of(server: FakeServer, **options: object) -> OpenAiEngine:
    return OpenAiEngine(server_address(server.url, KEY), patience_s=1.0, **options)  # type: ignore[arg-type]


def words(count: int, start: int = 0) -> Prompt:
    return Prompt(tuple(range(count)), "".join(f" w{start + i}" for i in range(count)))


def code_of(server: FakeServer) -> BackendError:
    with pytest.raises(BackendError) as caught:
        engine_of(server).ask(words(8))
    return caught.value


@pytest.mark.parametrize(
    ("text", "host", "port", "path", "secure"),
    [
        ("http://localhost:8000", "localhost", 8000, "/v1", False),
        (" http://localhost:8000/v1/ ", "localhost", 8000, "/v1", False),
        ("https://api.example.com/openai/v1", "api.example.com", 443, "/openai/v1", True),
        ("http://[::1]:9", "::1", 9, "/v1", False),
    ],
)
def test_an_address_is_read(text: str, host: str, port: int, path: str, secure: bool) -> None:
    found = server_address(text, KEY)
    assert (found.host, found.port, found.path, found.secure) == (host, port, path, secure)
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    "text",
    ["", "localhost:8000", "ftp://a", "http://", "http://me:secret@a", "http://a/v1?key=1", "http://a:99999",
     "http://a/v1\r\nX: y", "http://a b", "file:///etc/passwd", "http://a/#x"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(BackendError) as caught:
        server_address(text)
    assert caught.value.code == "backend.server_address"
    assert "secret" not in caught.value.message


def test_a_key_that_would_end_the_header_is_refused() -> None:
    with pytest.raises(BackendError):
        server_address("http://a", "x\r\nHost: b")


def test_the_known_truth_comes_out() -> None:
    with fake_server(ms_per_word=2.0) as server:
        engine = engine_of(server)
        assert engine.about.name == "fakery (server)"
        assert engine.about.model == "fake", "a path on the server is nobody's business"
        cold = engine.ask(words(64))
        again = engine.ask(Prompt((), words(48).text + words(16, 900).text))
        assert (cold.prompt_tokens, cold.cached_tokens, cold.text) == (64, 0, " soup")
        assert (again.prompt_tokens, again.cached_tokens, again.cached_share) == (64, 48, 0.75)
        assert cold.wall_s >= 0.128
        assert 0.032 <= again.wall_s < cold.wall_s
        assert set(server.keys) == {f"Bearer {KEY}"}


def test_a_server_that_does_not_tell_is_unknown_and_not_zero() -> None:
    with fake_server(tells=False) as server:
        first = engine_of(server).ask(words(32))
        assert first.cached_tokens is None
        assert first.cached_share is None


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        ({"prompt_tokens": 8, "prompt_tokens_details": {"cached_tokens": 9}}, (8, None)),
        ({"prompt_tokens": 8, "prompt_tokens_details": {"cached_tokens": True}}, (8, None)),
        ({"prompt_tokens": -8, "prompt_tokens_details": {"cached_tokens": 0}}, (None, None)),
        ({"prompt_tokens": 8, "prompt_tokens_details": None, "prompt_cache_hit_tokens": 4}, (8, 4)),
        ("none", (None, None)),
    ],
)
def test_counts_that_cannot_be_true_are_unknown(usage: object, told: object) -> None:
    assert _counts(usage) == told


@pytest.mark.parametrize(
    ("refuses", "path", "field"),
    [
        (("/completions",), "/v1/chat/completions", "max_tokens"),
        (("/completions", "max_tokens"), "/v1/chat/completions", "max_completion_tokens"),
        (("stream_options",), "/v1/completions", "max_tokens"),
    ],
)
def test_it_is_asked_as_it_wants(refuses: tuple[str, ...], path: str, field: str) -> None:
    with fake_server(refuses=refuses) as server:
        first = engine_of(server).ask(words(32))
        assert field in server.asked[-1]
        assert ("messages" in server.asked[-1]) == ("chat" in path)
        assert first.text == " soup"
        assert (first.cached_tokens is None) == ("stream_options" in refuses)


def test_a_role_without_letters_is_no_first_token_and_an_end_without_letters_is_one() -> None:
    with fake_server(refuses=("/completions",), ms_per_word=2.0) as server:
        assert engine_of(server).ask(words(64)).wall_s >= 0.128
    with fake_server(wrong="empty", ms_per_word=2.0) as server:
        assert engine_of(server).ask(words(64)).wall_s >= 0.128


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("hang", "server_silent"),
        ("cut", "server_rubbish"),
        ("end early", "server_cut"),
        ("rubbish", "server_rubbish"),
        ("no dict", "server_rubbish"),
        ("not http", "server_rubbish"),
        ("html", "server_rubbish"),
        ("error", "server_status"),
        ("no stream", "server_no_stream"),
        ("no models", "server_models"),
        ("401", "server_key"),
        ("503", "server_status"),
    ],
)
def test_every_way_to_go_wrong_is_one_sentence_without_the_key(wrong: str, code: str) -> None:
    with fake_server(wrong=wrong) as server:
        error = code_of(server)
    assert error.code == f"backend.{code}"
    assert KEY not in f"{error.message} {error.values}"


def test_a_server_that_repeats_the_key_is_not_repeated() -> None:
    with fake_server(refuses=("/completions", "/chat/completions")) as server:
        error = code_of(server)
    assert error.code == "backend.server_status"
    assert error.values["said"] == "no such field, my key is …"


def test_nobody_at_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(BackendError) as caught:
        Wire(Address(False, "127.0.0.1", port)).get("/models")
    assert caught.value.code == "backend.server_unreachable"


def test_stop_does_not_wait_for_a_server_that_hangs() -> None:
    with fake_server() as server:
        engine = OpenAiEngine(server_address(server.url), patience_s=20.0)
        server.wrong = "hang"
        failed: list[object] = []

        def ask() -> None:
            try:
                failed.append(engine.ask(words(8)))
            except BackendError as error:
                failed.append(error.code)

        thread = threading.Thread(target=ask)
        thread.start()
        while len(server.asked) < 2:
            time.sleep(0.01)
        start = time.monotonic()
        engine.interrupt()
        thread.join(10)
        assert failed
        assert not isinstance(failed[0], First)
        assert time.monotonic() - start < 5


DRIPS = {
    "an endless header": (b"HTTP/1.1 200 OK\r\n", b"X"),
    "many headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "a body that never ends": (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" "),
    "the words of a refusal": (b"HTTP/1.1 500 X\r\n\r\n", b" "),
    "a line without end": (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ", b"x"),
    "comments": (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b": ping\n\n"),
}


@pytest.mark.parametrize("what", DRIPS)
def test_a_server_that_drips_is_cut_off_all_the_same(what: str) -> None:
    """A byte now and then kept every single read patient: the one clock was held for good."""
    begins, drop = DRIPS[what]
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drips() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(begins)
                for _ in range(200):
                    time.sleep(0.05)
                    try:
                        connection.sendall(drop)
                    except OSError:
                        return

        threading.Thread(target=drips, daemon=True).start()
        wire = Wire(server_address(f"http://127.0.0.1:{listening.getsockname()[1]}"), patience_s=0.2)
        with pytest.raises(BackendError) as caught:
            list(wire.stream("/completions", {}))
    assert caught.value.code == "backend.server_silent"


@pytest.mark.parametrize("told", [10**400, 10**16, -1, True, 1.5])
def test_absurd_counts_are_unknown(told: object) -> None:
    assert _counts({"prompt_tokens": told}) == (None, None)


def test_stop_is_heard_while_a_server_is_silent() -> None:
    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = server_address(f"http://127.0.0.1:{listening.getsockname()[1]}")

        def start() -> OpenAiEngine:
            asked.set()
            return OpenAiEngine(address, patience_s=30)

        begun = time.monotonic()
        with pytest.raises(BackendError) as caught:
            opened(start, asked.is_set)
    assert caught.value.code == "backend.cancelled"
    assert time.monotonic() - begun < 15, "not after the server's patience"


def test_an_engine_that_nobody_waits_for_is_closed_when_it_comes() -> None:
    closed, stop, go = threading.Event(), threading.Event(), threading.Event()

    class Late:
        def close(self) -> None:
            closed.set()

    def start() -> Late:
        stop.set()
        assert go.wait(20)
        return Late()

    with pytest.raises(BackendError):
        opened(start, stop.is_set)  # type: ignore[arg-type, return-value]
    go.set()
    assert closed.wait(20)
