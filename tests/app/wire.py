"""A visitor at the other end of the wire: Streamlit's own protocol against a real server, without a browser.

Like a browser it knows which widgets stand on the page, sends only what was changed, goes to a page by its
hash with an empty query, runs a fragment alone where the widget belongs to one, and ticks where told to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

from ui.frame.session import BROKEN

ANSWER_S = 120


@dataclass(frozen=True)
class Widget:
    """One of a page. ``kind``: its name in the protocol; ``fragment``: the part of the page that runs alone;
    ``tabs``: what they are called, where it has some."""

    kind: str
    proto: Any
    fragment: str
    tabs: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What the page's code calls it; "None" where it has no name there."""
        return str(self.proto.id).split("-", 2)[2]


@dataclass
class Visitor:
    """What a browser knows of the page it shows. ``errors``: what broke, each as its text."""

    socket: ClientConnection
    page: str = ""
    query: str = ""
    hashes: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, Widget] = field(default_factory=dict)
    ticks: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    """Warnings and errors in the page's own words, of the last answer."""
    _opened: Widget | None = None

    def open(self, page: str, query: str = "") -> None:
        """The first page by its address, any later one as the navigation goes there."""
        wish = BackMsg()
        if page in self.hashes:
            wish.rerun_script.page_script_hash = self.hashes[page]
        else:
            wish.rerun_script.page_name = page
        self.query, self.widgets, self.ticks = query, {}, set()
        self._ask(wish)

    def change(self, state: WidgetState, fragment: str = "") -> None:
        """A widget stands otherwise than before."""
        wish = self._wish(fragment)
        wish.rerun_script.widget_states.widgets.append(state)
        self._ask(wish)

    def tick(self, fragment: str) -> None:
        """A fragment that runs by the clock."""
        wish = self._wish(fragment)
        wish.rerun_script.is_auto_rerun = True
        self._ask(wish)

    def _wish(self, fragment: str) -> BackMsg:
        wish = BackMsg()
        wish.rerun_script.page_script_hash = self.hashes[self.page]
        wish.rerun_script.fragment_id = fragment
        return wish

    def _ask(self, wish: BackMsg) -> None:
        """Send it, take in what comes until the script's end. Who is sent on to another page follows."""
        wish.rerun_script.query_string = self.query
        self.socket.send(wish.SerializeToString())
        kept = self.widgets if wish.rerun_script.fragment_id else {}
        fresh = {name: one for name, one in kept.items() if one.fragment != wish.rerun_script.fragment_id}
        self.texts = []
        while True:
            told = ForwardMsg()
            told.ParseFromString(self.socket.recv(ANSWER_S, decode=False))
            what = told.WhichOneof("type")
            if what == "delta":
                self._see(told.delta, fresh)
            elif what == "new_session" and not wish.rerun_script.fragment_id:
                fresh.clear()
            elif what == "navigation":
                self.hashes = {one.url_pathname: one.page_script_hash for one in told.navigation.app_pages}
                names = {one: name for name, one in self.hashes.items()}
                self.page = names[told.navigation.page_script_hash]
            elif what == "page_info_changed":
                self.query = told.page_info_changed.query_string
            elif what == "auto_rerun":
                self.ticks.add(told.auto_rerun.fragment_id)
            elif what == "stop_auto_rerun":
                self.ticks.discard(told.stop_auto_rerun.fragment_id)
            elif what == "page_not_found":
                self.errors.append("no such page")
            elif what == "script_finished":
                if told.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    wish, fresh = BackMsg(), {}  # the whole script runs anew, whatever was asked for
                    continue
                self.widgets = fresh
                return

    def _see(self, delta: Any, fresh: dict[str, Widget]) -> None:
        self._see_block(delta.add_block, delta.fragment_id, fresh)
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "alert":
            self.texts.append(element.alert.body)
        elif kind is not None:
            proto = getattr(element, kind)
            if getattr(proto, "id", "") and not getattr(proto, "disabled", False):
                fresh[proto.id] = Widget(kind, proto, delta.fragment_id)

    def _see_block(self, block: Any, fragment: str, fresh: dict[str, Widget]) -> None:
        kind = block.WhichOneof("type")
        if block.id.endswith(f"-{BROKEN}"):
            self.errors.append(f"{self.page} broke")
        if kind in ("popover", "tab_container", "expandable") and getattr(block, kind).id:
            proto = getattr(block, kind)
            fresh[proto.id] = self._opened = Widget(kind, proto, fragment)
        elif kind == "tab" and self._opened is not None:
            self._opened.tabs.append(block.tab.label)


@contextlib.contextmanager
def arrive(url: str) -> Iterator[Visitor]:
    """A new visitor of the server, until it leaves."""
    address = url.replace("http://", "ws://") + "/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
        yield Visitor(socket)
