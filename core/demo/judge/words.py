"""The judge's own sentences, in both languages (assets/judge). A terminal needs none of the pages' tables."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from core.demo.judge.cases import Lang

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "judge"
_PLURAL = re.compile(r"\{(\w+):((?:[^{}|]|\{\w+\})*)\|((?:[^{}|]|\{\w+\})*)\}")


@cache
def table(lang: Lang) -> dict[str, str]:
    """All sentences of a language; keys as in "rule.chain"."""
    data = tomllib.loads((FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))
    return {f"{part}.{name}": text for part, texts in data.items() for name, text in texts.items()}


def words(key: str, lang: Lang, **values: Any) -> str:
    """A sentence, filled. ``{n:token|{n} tokens}``: the first for 1, the second for all others."""
    text = _PLURAL.sub(lambda found: found[2] if values[found[1]] == 1 else found[3], table(lang)[key])
    return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), text)


def skeleton(lang: Lang) -> str:
    """The file to begin with: rules and signatures, comments in one language."""
    return (FOLDER / f"my_cache.{lang}.py").read_text(encoding="utf-8")
