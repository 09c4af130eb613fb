"""Every sentence a person reads, in English and Chinese, from `assets/i18n/{en,zh}.toml`.

A template is plain text with three kinds of holes:

    {name}              the argument `name`
    {n:token|tokens}    one of two words: the first if the argument `n` is 1, else the second
    {slots*, }          the items of the list `slots`, with what stands behind the star between them

`**strong**` marks words to draw bold; drawing is the caller's business, as is showing both languages at once.
A slot is written `#5` wherever it appears, so templates say `{slot}` and callers pass the number; in a list
of slots other items than numbers (an ellipsis) stay as they are. `{slots}` without a star is how many.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from core.errors import BrothError
from ui.words.phrases import PREFIX, translated
from ui.words.visible import visible_text

Lang = Literal["en", "zh"]
LangMode = Literal["en", "zh", "both"]

LANGS: tuple[Lang, ...] = get_args(Lang)
MODES: tuple[LangMode, ...] = get_args(LangMode)
FOLDER = Path(__file__).resolve().parents[2] / "assets" / "i18n"
STAGE_PREFIXES = ("stage.", "cap.")
SLOTS = frozenset(["slot", "slot2", "front"])
"""Arguments that name one slot."""
SLOT_LISTS = frozenset(["slots", "gone", "held"])
"""Arguments that name slots where they are lists; alone they are how many."""
WORD = "word"
"""What a model answered: the stage draws a frame around it, plain text puts it in quotes, as what is seen."""

_HOLE = re.compile(r"\{(?P<name>\w+)(?::(?P<one>[^{}|]*)\|(?P<many>[^{}|]*)|\*(?P<joint>[^{}]+))?\}")


class TextError(BrothError):
    """A sentence that is not in the tables, or that lacks an argument."""


@cache
def table(lang: Lang) -> Mapping[str, str]:
    """All templates of one language, read-only."""
    with (FOLDER / f"{lang}.toml").open("rb") as file:
        return MappingProxyType(cast("dict[str, str]", tomllib.load(file)))


def t(key: str, lang: Lang, **args: object) -> str:
    """The sentence `key` in `lang` with its holes filled.

    Raises:
        TextError: no such key, or an argument is missing.
    """
    template = table(lang).get(key)
    if template is None:
        raise TextError(
            "text.unknown_key",
            f"There is no text {key!r} in {lang}.toml; expected a key of the tables. Add it to both.",
            key=key,
            lang=lang,
        )
    return fill(template, args, key)


def fill(template: str, args: Mapping[str, object], key: str = "") -> str:
    """`template` with its holes filled; `key` only names it in an error."""

    def one(hole: re.Match[str]) -> str:
        name = hole["name"]
        if name not in args:
            raise TextError(
                "text.missing_argument",
                f"Text {key or template!r} needs the argument {name!r}. Pass it to t().",
                key=key,
                name=name,
            )
        value = args[name]
        if hole["one"] is not None:
            return hole["one"] if value == 1 else hole["many"]
        if hole["joint"] is not None:
            items = cast("Iterable[object]", value)
            return hole["joint"].join(_shown("slot" if name in SLOT_LISTS else name, item) for item in items)
        return _shown(name, value)

    return _HOLE.sub(one, template)


def _shown(name: str, value: object) -> str:
    if name == WORD:
        return f"“{visible_text(str(value))}”"
    return f"#{value}" if name in SLOTS and isinstance(value, int) else str(value)


def placeholders(template: str) -> frozenset[str]:
    """The argument names that `template` needs."""
    return frozenset(hole["name"] for hole in _HOLE.finditer(template))


def texts(prefixes: Iterable[str]) -> dict[Lang, dict[str, str]]:
    """All templates whose key starts with one of `prefixes`, by language (fresh, plain dictionaries)."""
    wanted = tuple(prefixes)
    return {
        lang: {key: text for key, text in table(lang).items() if key.startswith(wanted)} for lang in LANGS
    }


def stage_texts() -> dict[Lang, dict[str, str]]:
    """The part of the tables that travels to the stage."""
    return texts(STAGE_PREFIXES)


def error_text(error: BrothError, lang: Lang, *, remedy: bool = True) -> str:
    """What a person reads about `error`: the table's sentence, or the error's own where there is none.
    `remedy`: with what to do about it, which stands behind the first sentence.

    Settings of a kind may share one sentence (``error.load.any``). ``{where}`` is file and line, or as much
    of it as is known; what was expected and the reason are told in the reader's language.
    """
    own = table(lang)
    template = own.get(f"error.{error.code}") or own.get(f"error.{error.code.partition('.')[0]}.any")
    values = {"where": _where(error.values, lang), **error.values}
    if template is None or not placeholders(template) <= values.keys():
        return error.message
    if not remedy:
        template = _FIRST_SENTENCE.match(template + " ")[0].rstrip()  # type: ignore[index]  # it ends somewhere
    for name, prefix in _TRANSLATED.items():
        if name in values:
            values[name] = translated(str(values[name]), table("en"), own, prefix)
    return fill(_spaced(template, values), values)


def _spaced(template: str, values: Mapping[str, object]) -> str:
    """Chinese and Latin words stand apart, also where one is in the sentence and one in its hole."""

    def one(hole: re.Match[str]) -> str:
        return f" {hole[0]}" if _LATIN.match(str(values[hole[1]])) else hole[0]

    return _BEHIND_HAN.sub(one, template)


_LATIN = re.compile(r"[A-Za-z]")
_BEHIND_HAN = re.compile(r"(?<=[\u4e00-\u9fff])\{(\w+)\}")
_FIRST_SENTENCE = re.compile(r".*?(?:。|\.\s|\s$)", re.DOTALL)
_TRANSLATED = MappingProxyType({"expected": PREFIX, "reason": PREFIX, "value": f"{PREFIX}shown."})
"""Values that core writes as English phrases; of what stood in a file only its lists and objects."""


def _where(values: Mapping[str, object], lang: Lang) -> str:
    """File and line (a scenario's: file and command)."""
    if "file" not in values:
        return ""
    kind = next((name for name in ("command", "line") if values.get(name)), "file")
    return t(f"where.{kind}", lang, **values)


def listed(items: Iterable[str], lang: Lang) -> str:
    """One beside another, in one sentence."""
    return ("、" if lang == "zh" else ", ").join(items)


def run_on(sentences: Iterable[str], lang: Lang) -> str:
    """Sentences one behind another; Chinese puts nothing between them."""
    return ("" if lang == "zh" else " ").join(one for one in sentences if one)


# -- which language -----------------------------------------------------------------------------------


def resolve_mode(query: str | None, locale: str | None) -> LangMode:
    """What to show: the address bar decides, else the browser's language, else English."""
    for mode in MODES:
        if query == mode:
            return mode
    return "zh" if (locale or "").lower().replace("_", "-").split("-")[0] == "zh" else "en"


def languages(mode: LangMode) -> tuple[Lang, ...]:
    """The languages of a mode, the leading one first (both: Chinese above, English beneath)."""
    return ("zh", "en") if mode == "both" else (mode,)
