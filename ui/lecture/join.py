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
    """``base``: the folder of our pages as others reach it, ends in /. The code names the language; what
    has to be typed is short, and opens in the language of the device."""
    code = base + Address(SHEET).link(mode)
    local = urlsplit(base).hostname in LOOPBACK
    return {"url": base + SHEET, "svg": "" if local else qr_svg(code) or "", "local": local}
