"""Where a server is. The address is the choice of whoever starts the app, never a visitor's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.errors import BackendError


@dataclass(frozen=True, slots=True)
class Address:
    """An OpenAI-compatible server. ``path``: what stands before ``/completions``, such as ``/v1``. The key
    goes to the server in a header and nowhere else: it is in no text of this object."""

    secure: bool
    host: str
    port: int
    path: str = "/v1"
    key: str = field(default="", repr=False)


def server_address(text: str, key: str = "") -> Address:
    """Read ``http://host:port`` or ``https://host/path``; without a path it is ``/v1``.

    Raises:
        BackendError: ``backend.server_address``: it is no such address, or it holds a password (which would
            be seen wherever an address is), or the key cannot stand in a header.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _no_address() from None
    fits = parts.scheme in ("http", "https") and host and re.fullmatch(r"[A-Za-z0-9.:_-]+", host)
    if not fits or "@" in parts.netloc or parts.query or parts.fragment or not _plain(parts.path + key):
        raise _no_address()
    secure = parts.scheme == "https"
    path = parts.path.rstrip("/") or "/v1"
    return Address(secure, str(host), port or (443 if secure else 80), path, key)


def _plain(text: str) -> bool:
    """Printable ASCII without spaces: nothing that could end a line of the request."""
    return all("!" <= letter <= "~" for letter in text)


def _no_address() -> BackendError:
    return BackendError(
        "backend.server_address",
        "BROTH_SERVER holds no address of a server. Write it as http://host:port or https://host/v1, without "
        "name, password or question mark; a key goes into BROTH_SERVER_KEY.",
    )
