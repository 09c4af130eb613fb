"""A visitor without a browser: speaks Streamlit's protocol over a websocket, as a page in a browser does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from ui.frame.session import BROKEN

TIMEOUT_S = 120
Value = tuple[str, Any]
"""What a widget is set to: the field of Streamlit's ``WidgetState``, and the value."""


@dataclass
class Answer:
    """What came after one wish. ``choices``: widgets that can be changed, by id, each with a few values;
    ``exceptions``: what red boxes say; ``again_s``: fragments that run again by themselves, and how often.
    """

    took_s: float = 0.0
    num_messages: int = 0
    num_bytes: int = 0
    choices: dict[str, list[Value]] = field(default_factory=dict)
    exceptions: list[str] = field(default_factory=list)
    again_s: dict[str, float] = field(default_factory=dict)


class Visitor:
    """One session. Keeps what the browser keeps: the widgets' values, and large messages by their hash."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._page = ""
        self._values: dict[str, Value] = {}
        self._cached: set[str] = set()

    async def go(self, page: str, query: str = "") -> Answer:
        """Open a page."""
        self._page, self._values = page, {}
        return await self._ask(query=query)

    async def change(self, widget: str, value: Value) -> Answer:
        """Set a widget."""
        self._values[widget] = value
        return await self._ask()

    async def run_fragment(self, fragment: str) -> Answer:
        """What the browser does by itself for a fragment with ``run_every``."""
        return await self._ask(fragment=fragment)

    async def _ask(self, query: str = "", fragment: str = "") -> Answer:
        wish = BackMsg()
        rerun = wish.rerun_script
        rerun.page_name, rerun.query_string = self._page, query
        rerun.fragment_id, rerun.is_auto_rerun = fragment, bool(fragment)
        rerun.cached_message_hashes.extend(self._cached)
        put_values(rerun, self._values)
        start = time.monotonic()
        await self._socket.send(wish.SerializeToString())
        async with asyncio.timeout(TIMEOUT_S):
            answer = await self._hear()
        answer.took_s = time.monotonic() - start
        return answer

    async def _hear(self) -> Answer:
        """All messages up to the end of the script; a script that asks to be run again is not at its end."""
        answer = Answer()
        while True:
            data = await self._socket.recv(decode=False)
            told = ForwardMsg.FromString(data)
            answer.num_messages += 1
            answer.num_bytes += len(data)
            kind = told.WhichOneof("type")
            if told.metadata.cacheable and told.hash:
                self._cached.add(told.hash)
            if kind == "delta" and told.delta.WhichOneof("type") == "new_element":
                _note(answer, told.delta.new_element)
            elif kind == "delta" and told.delta.add_block.id.endswith(f"-{BROKEN}"):
                answer.exceptions.append("the page says that it broke")
            elif kind == "auto_rerun":
                answer.again_s[told.auto_rerun.fragment_id] = told.auto_rerun.interval
            elif kind == "script_finished" and told.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return answer


def _note(answer: Answer, element: Any) -> None:
    kind = element.WhichOneof("type")
    one = getattr(element, kind)
    values: list[Value] = []
    if kind == "exception":
        answer.exceptions.append(f"{one.type}: {one.message}")
    elif kind in ("selectbox", "radio"):
        values = [("string_value", option) for option in one.options]
    elif kind == "button_group":
        values = [("string_array_value", [option.content]) for option in one.options]
    elif kind == "checkbox":
        values = [("bool_value", not one.default), ("bool_value", one.default)]
    elif kind == "slider" and one.options:  # a select slider says the texts of its options
        values = [("string_array_value", [option]) for option in one.options] if len(one.default) == 1 else []
    elif kind == "slider" and len(one.default) == 1:
        middle = one.min + one.step * round((one.max - one.min) / one.step / 2)
        values = [("double_array_value", [place]) for place in (one.min, one.max, middle)]
    if len(values) > 1 and not one.disabled:
        answer.choices[one.id] = values


def put_values(rerun: Any, values: Mapping[str, Value]) -> None:
    """Write widgets' values into a wish to run the script; lists and messages of the protocol as they are."""
    for widget, (kind, value) in values.items():
        state = rerun.widget_states.widgets.add(id=widget)
        if isinstance(value, list):
            getattr(state, kind).data.extend(value)
        elif isinstance(value, Message):
            getattr(state, kind).CopyFrom(value)
        else:
            setattr(state, kind, value)


def socket_of(url: str, patience_s: float = TIMEOUT_S) -> connect:
    """The websocket of a new tab at this address."""
    return connect(
        url.replace("http", "ws", 1) + "/_stcore/stream",
        subprotocols=["streamlit"],  # type: ignore[list-item]
        max_size=None,
        open_timeout=patience_s,
        ping_interval=None,  # a server that is busy for long is slow, not gone
    )


@asynccontextmanager
async def visiting(url: str) -> AsyncIterator[Visitor]:
    """A new visitor of the server at this address, gone at the end."""
    async with socket_of(url) as socket:
        yield Visitor(socket)
