"""Where a room's own devices find the sheet: its address, and a QR code where others can use it."""

from __future__ import annotations

from urllib.parse import urlsplit

from ui.lecture.payload import Join
from ui.teacher.address import LOOPBACK, Address
from ui.teacher.laptops import qr_svg
from ui.teacher.places import SHEET
from ui.words.i18n import LangMode

HERE = "http://localhost:8501/"
"""Where the server is if nobody says otherwise."""


def join_sheet(base: str, mode: LangMode) -> Join:
    """``base``: the folder of our pages as others reach it, ends in /."""
    url = base + Address(SHEET).link(mode)
    local = urlsplit(base).hostname in LOOPBACK
    return {"url": url, "svg": "" if local else qr_svg(url) or "", "local": local}
