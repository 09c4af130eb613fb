"""A visitor without a browser: Streamlit's own protocol over a websocket, against a real server.

Many of them fit into one test, and all of them can come in the same instant, which no browser can.
"""

from __future__ import annotations

import asyncio
import http.client
import uuid
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection

from benchmarks.visitor import put_values, socket_of
from ui.frame.session import BROKEN

T = TypeVar("T")

TIMEOUT_S = 300
"""For one answer: thirty first visitors on two busy cores wait long, and that is not what a test is about."""

BOUNDARY = "----visitor"
Values = Mapping[str, tuple[str, Any]]


@dataclass
class Visitor:
    """One tab. ``elements``: what the last answer drew; ``query``: what stands in the address bar."""

    url: str
    socket: ClientConnection
    page: str = ""
    session: str = ""
    query: str = ""
    broke: bool = False
    elements: list[Element] = field(default_factory=list)
    tabs: list[str] = field(default_factory=list)
    values: dict[str, tuple[str, Any]] = field(default_factory=dict)

    async def open(self, page: str, query: str = "lang=en") -> None:
        """Go to a page, as by its address; widgets of the page before are gone."""
        self.page, self.values = page, {}
        await self._ask(query, {})

    async def set(self, **values: tuple[str, Any]) -> None:
        """Change widgets, found by the beginning of their key; each value with its name in the protocol."""
        self.values |= {self.widget(key): value for key, value in values.items()}
        await self._ask(self.query, self.values)

    async def press(self, key: str) -> None:
        """Press a button."""
        await self._ask(self.query, {**self.values, self.widget(key): ("trigger_value", True)})

    async def _ask(self, query: str, values: Values) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.page_name, asked.query_string = self.page, query
        put_values(asked, values)
        await self.socket.send(message.SerializeToString())
        self.query = query
        async with asyncio.timeout(TIMEOUT_S):
            await self._hear_out()

    async def _hear_out(self) -> None:
        self.elements, self.tabs, self.broke = [], [], False
        while True:
            heard = ForwardMsg.FromString(await self.socket.recv(decode=False))
            kind = heard.WhichOneof("type")
            if kind == "new_session":
                self.session = heard.new_session.initialize.session_id or self.session
                self.elements = []  # a rerun began: what was drawn before is not the answer
            elif kind == "page_info_changed":
                self.query = heard.page_info_changed.query_string
            elif kind == "delta" and heard.delta.add_block.id.endswith(f"-{BROKEN}"):
                self.broke = True
            elif kind == "delta" and heard.delta.add_block.tab_container.id:
                self.tabs.append(heard.delta.add_block.tab_container.id)
            elif kind == "delta" and heard.delta.WhichOneof("type") == "new_element":
                self.elements.append(heard.delta.new_element)
            elif kind == "script_finished" and heard.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def all_of(self, kind: str) -> Iterator[Any]:
        """The elements of one kind that stand on the page."""
        return (getattr(one, kind) for one in self.elements if one.WhichOneof("type") == kind)

    def widget(self, key: str) -> str:
        """The id of the widget with that key.

        Raises:
            LookupError: there is none on the page.
        """
        of_elements = (getattr(one, one.WhichOneof("type") or "") for one in self.elements)
        for name in [*self.tabs, *(str(getattr(one, "id", "")) for one in of_elements)]:
            if name.endswith(f"-{key}"):
                return name
        raise LookupError(f"no widget {key} on {self.page or 'the front page'}")

    @property
    def exceptions(self) -> list[str]:
        """What broke on the page."""
        found = [f"{self.page}: {one.type}: {one.message}" for one in self.all_of("exception")]
        return [*found, f"{self.page}: its own words"] if self.broke else found

    @property
    def words(self) -> str:
        """Every sentence and label on the page."""
        found = []
        for element in self.elements:
            one = getattr(element, element.WhichOneof("type") or "")
            found += [str(getattr(one, name, "")) for name in ("body", "label", "value")]
        return "\n".join(found)


@asynccontextmanager
async def visitor(url: str) -> AsyncGenerator[Visitor]:
    """A new visitor of the server at ``url``; leaves at the end."""
    async with socket_of(url, TIMEOUT_S) as socket:
        yield Visitor(url, socket)


def see(visit: Coroutine[Any, Any, T]) -> T:
    """What a visit finds. In a thread of its own, for Playwright keeps a loop running in the test's."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, visit).result()


# -- uploads ------------------------------------------------------------------------------------------


def envelope(name: str, data: bytes) -> bytes:
    """A file as the browser wraps it."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()


@dataclass(frozen=True)
class Upload:
    """A file on its way; the server has read its head and waits for ``send``."""

    connection: http.client.HTTPConnection
    file_id: str

    def send(self, part: bytes) -> None:
        """Some more of its body."""
        self.connection.send(part)

    def end(self) -> tuple[int, str]:
        """Status and words of the answer."""
        answer = self.connection.getresponse()
        said = answer.status, answer.read().decode()
        self.connection.close()
        return said


def begin_upload(url: str, session: str, size: int) -> Upload:
    """Say that a body of ``size`` bytes comes: the envelope with the file in it."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("GET", "/_stcore/health")
    answer = connection.getresponse()
    answer.read()
    cookie = (answer.getheader("Set-Cookie") or "").split(";")[0]
    file_id = uuid.uuid4().hex
    connection.putrequest("PUT", f"/_stcore/upload_file/{session}/{file_id}")
    connection.putheader("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
    connection.putheader("Content-Length", str(size))
    if cookie:
        connection.putheader("Cookie", cookie)
        connection.putheader("X-Xsrftoken", cookie.partition("=")[2])
    connection.endheaders()
    return Upload(connection, file_id)


def upload(url: str, session: str, name: str, data: bytes) -> tuple[str, int, str]:
    """A whole file at once: its id, the status and the words of the answer."""
    body = envelope(name, data)
    under_way = begin_upload(url, session, len(body))
    under_way.send(body)
    return under_way.file_id, *under_way.end()


def picked(file_id: str, name: str, size: int) -> tuple[str, FileUploaderState]:
    """What the widget says about an uploaded file."""
    state = FileUploaderState()
    info = state.uploaded_file_info.add(file_id=file_id, name=name, size=size)
    info.file_urls.file_id = file_id
    return "file_uploader_state_value", state
