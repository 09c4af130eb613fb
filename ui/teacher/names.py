"""What an address opens, in words."""

from __future__ import annotations

from ui.teacher.address import CHAPTERS, Address
from ui.teacher.seq import Stop
from ui.words.i18n import Lang, t


def name_of(stop: Stop, lang: Lang) -> str:
    """Its title, or what it opens."""
    return stop.title or title_of_page(stop.address, lang)


def title_of_page(address: Address, lang: Lang) -> str:
    """What an address opens, as a title for a room: a chapter without its number."""
    if address.page in CHAPTERS:
        return t(f"course.{address.page}.title", lang)
    return page_name(address, lang)


def page_name(address: Address, lang: Lang) -> str:
    """What an address opens."""
    if address.request:
        return f"{t('nav.monitor', lang)} · {address.request}"
    if address.scenario and address.page == "execute":
        return t(f"scenario.{address.scenario}.title", lang)
    if address.page in CHAPTERS:
        return f"{int(address.page[2:])} · {t(f'course.{address.page}.title', lang)}"
    return t(f"nav.{address.page}", lang)


def where(address: Address, lang: Lang) -> str:
    """The same with its step, for a caption."""
    step = address.step
    return page_name(address, lang) + ("" if step is None else f" · {t('teacher.step', lang, n=step)}")
