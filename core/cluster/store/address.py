"""Which store: chosen by an address, the choice of whoever starts a program, never a visitor's."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from core.cluster.store.base import Clock, Layout, Parts
from core.cluster.store.in_sqlite import SqliteParts
from core.cluster.store.on_server import ServerParts
from core.cluster.store.said import bad_address, bad_setting

SERVERS = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss", "unix": "unix"}
"""Schemes -> what the client calls them; the protocol is one."""
MOST_RANKS = 30
"""A server's scripts count shards in the bits of 32."""


def open_parts(
    address: str = "", layout: Layout | None = None, deadline_s: float = 1.0, clock: Clock | None = None
) -> Parts:
    """``sqlite:///path``; nothing, or ``sqlite://``: a file of its own that goes when it is closed;
    ``redis://host:port[/db]``, ``valkey://`` the same, ``rediss://`` with TLS.

    Raises:
        StoreError: ``store.address``, ``store.setting``; whatever opening that store raises.
    """
    layout = layout or Layout()
    _check(layout)
    try:
        parts = urlsplit(address.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise bad_address() from None
    if not address.strip() or (parts.scheme == "sqlite" and not parts.netloc and parts.path in ("", "/")):
        return SqliteParts(None, layout, deadline_s, clock)
    if parts.scheme == "sqlite" and not parts.netloc:
        return SqliteParts(Path(unquote(parts.path.removeprefix("/"))), layout, deadline_s, clock)
    if parts.scheme in SERVERS and (host or parts.scheme == "unix"):
        scheme, _, rest = address.strip().partition("://")
        return ServerParts(f"{SERVERS[scheme.lower()]}://{rest}", layout, deadline_s, clock)
    raise bad_address()


def _check(layout: Layout) -> None:
    fits = {
        "capacity": layout.capacity >= 1,
        "ranks": 1 <= layout.ranks <= MOST_RANKS,
        "lease_s": layout.lease_s > 0,
    }
    for name, good in fits.items():
        if not good:
            raise bad_setting(name, getattr(layout, name))
