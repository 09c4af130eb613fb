"""Addresses inside Broth as a teacher collects them: pasted, checked, kept without a host.

Only the page, what decides its run, and the place on the stage are kept. What a person did there (bet,
answers, cards, a sequence) is left out, and anything unknown is refused: a pasted link is somebody's text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from core.errors import BrothError
from ui.frame.link import Parts
from ui.moment.link import MOMENT, OF_A_LOG
from ui.stage.setup import Setup, to_query
from ui.words.i18n import LangMode

CHAPTERS = tuple(f"ch{number:02}" for number in range(1, 14))
PAGES = (
    *("start", "execute", "monitor", "finish"),
    *CHAPTERS,
    *("glossary", "sheet", "traffic", "decision", "tradeoffs", "prefill"),
)
"""Pages a stop may open: all but the teacher's own."""

MAX_ADDRESS = 4_000
OF_BEFORE = frozenset(["at"])
"""Parameters of older links that mean nothing any more: the stop of a sequence, once a page of its own."""

LOOPBACK = frozenset(["localhost", "127.0.0.1", "::1"])

_RUN_PAGES = frozenset(["start", "execute", "finish"])
_STAGE_PAGES = frozenset(["execute"])
_RELATIVE = re.compile(r"[a-z0-9]*", re.ASCII)
_PLACE = {
    "step": re.compile(r"\d{1,6}", re.ASCII),
    "lvl": re.compile(r"block|request"),
    "pin": re.compile(r"(?:slot|tag|req|blk|ev):[\w:.-]{1,40}", re.ASCII),
    "bm": re.compile(r"\d{1,6}(?:,\d{1,6}){0,60}", re.ASCII),
}


class AddressError(BrothError):
    """A link that a sequence cannot take; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Address:
    """A page of ours, its parameters, and the part behind ``#``."""

    page: str
    query: str = ""
    place: str = ""

    @property
    def text(self) -> str:
        """How it is kept: ``execute?v=1&s=P3#step=38``."""
        return self.page + (f"?{self.query}" if self.query else "") + (f"#{self.place}" if self.place else "")

    def link(self, mode: LangMode) -> str:
        """As a link on any page of ours, in that language. The front page has no name in an address."""
        page = "./" if self.page == "start" else self.page
        query = f"{self.query}&lang={mode}" if self.query else f"lang={mode}"
        return f"{page}?{query}" + (f"#{self.place}" if self.place else "")

    @property
    def scenario(self) -> str:
        """The scenario it opens, or "" where the page has none."""
        return dict(parse_qsl(self.query)).get("s", "") if self.page in _RUN_PAGES else ""

    @property
    def request(self) -> str:
        """The request of a load that it puts on the stage, or ""."""
        return dict(parse_qsl(self.query)).get("lq", "").split("~")[0] if self.page == "execute" else ""

    @property
    def step(self) -> int | None:
        """The step it opens on, if it names one."""
        step = dict(parse_qsl(self.place)).get("step")
        return None if step is None else int(step)


def run_address(setup: Setup, step: int | None = None, page: str = "execute") -> Address:
    """A run of ours at a step."""
    return Address(page, urlencode(to_query(setup)), "" if step is None else f"step={step}")


def read_address(text: str, parts: Parts, own: str | None = None) -> Address:
    """A link as somebody pasted or saved it. ``parts``: all that a link may have; ``own``: the address of the
    page that asks.

    Raises:
        AddressError: another host, another page, unknown or damaged parameters, or no address at all.
    """
    text = text.strip()
    if not text or len(text) > MAX_ADDRESS or not text.isprintable() or "\\" in text or " " in text:
        raise AddressError("teacher.address", "This is no address.", limit=MAX_ADDRESS)
    try:
        url = urlsplit(text)
        pairs = parse_qsl(url.query, keep_blank_values=True, max_num_fields=60)
        behind = dict(parse_qsl(url.fragment, max_num_fields=60))
    except ValueError:
        raise AddressError("teacher.address", "This is no address.", limit=MAX_ADDRESS) from None
    page = _page(url, own)
    place = (
        _place(behind) if page in _STAGE_PAGES else ""
    )  # elsewhere a step is a picture's, and opens nothing
    return Address(page, _query(dict(pairs), page, parts), place)


def _page(url: SplitResult, own: str | None) -> str:
    path = url.path
    if url.scheme or url.netloc:
        here = urlsplit(own or "")
        if not here.netloc or not _same_server(url, here):
            host = url.netloc[:80]
            raise AddressError("teacher.host", f"{host} is not this server.", host=host)
        base = here.path.rpartition("/")[0] + "/"
        if not (path + "/").startswith(base):
            raise AddressError("teacher.page", f"{path[:80]} is no page of ours.", page=path[:80])
        path = path[len(base) :]
    page = path.strip("/.") or "start"
    if not _RELATIVE.fullmatch(page) or page not in PAGES:
        raise AddressError("teacher.page", f"{page[:80]} is no page of ours.", page=page[:80])
    return page


def _same_server(url: SplitResult, here: SplitResult) -> bool:
    """The same host and port; the machine's own names for itself are one."""
    if url.scheme not in ("http", "https") or "@" in url.netloc:
        return False
    try:
        one, other = (url.hostname, url.port), (here.hostname, here.port)
    except ValueError:
        return False
    both_local = one[0] in LOOPBACK and other[0] in LOOPBACK
    return (one[0] == other[0] or both_local) and one[1] == other[1]


def _query(found: Mapping[str, str], page: str, parts: Parts) -> str:
    """The parameters anew from what they mean, so that nothing else is kept."""
    unknown = sorted(set(found).difference(OF_BEFORE, *(part.names for part in parts)))
    if unknown:
        names = ", ".join(unknown)[:80]
        raise AddressError("teacher.unknown", f"Unknown in this link: {names}.", names=names)
    personal = {name for part in parts for name in part.personal}
    kept = {name: value for name, value in found.items() if name not in personal}
    if MOMENT.read(kept)[0] == OF_A_LOG:
        raise AddressError("teacher.log", "A request of a log cannot be a stop: the log is in no link.")
    query: dict[str, str] = {}
    damaged: list[str] = []
    for part in parts:
        if personal.issuperset(part.names):
            continue
        value, lost = part.read(kept)
        damaged += lost
        worth_saying = value != part.usual() or page in ("execute", "finish")  # there even the usual run
        if worth_saying and part.only_on in (None, page):
            query |= part.write(value)
    if damaged:
        names = ", ".join(damaged)[:80]
        raise AddressError("teacher.damaged", f"Damaged in this link: {names}.", names=names)
    return urlencode(query)


def _place(found: Mapping[str, str]) -> str:
    """The part behind ``#`` that the stage writes; whatever else stands there is left out."""
    return "&".join(
        f"{name}={found[name]}"
        for name, wanted in _PLACE.items()
        if name in found and wanted.fullmatch(found[name])
    )
