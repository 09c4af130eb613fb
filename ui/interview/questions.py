"""Chapter 12's questions: order and themes, their words in both languages, and where the stage shows them.

The words lie in ``assets/interview/{en,zh}.toml``: a table ``[question.<name>]`` with what is asked, the
answer in a breath and the answer at length; ``must``: what a good answer names; ``next``: what is asked then;
``then``: a good answer to that; ``trap``: a plausible wrong answer; ``fails``: why it fails.
``[wrong.<name>]`` and ``[true.<name>]`` hold what one hears and why it is so. ``show`` is what the link
promises to be seen, ``none`` says why no step of a run shows it. ``ui.interview.numbers`` fills the holes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ui.interview.numbers import numbers
from ui.stage.show_me import Show
from ui.words.i18n import Lang, TextError, fill

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "interview"
_BREAK = re.compile(r"\s*\n\s*")
_WIDE, _POINT = r"[\u3000-\u9fff\uff00-\uffef“”]", r"[\u3000-\u303f\uff00-\uffef]"
_WIDE_BREAK = re.compile(rf"(?<={_WIDE})\n(?={_WIDE})|(?<={_POINT})\n|\n(?={_POINT})")

SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "kv_what": Show("P0", "compute", "R0", 4),
        "kv_q": Show(page="ch02", place="query"),
        "kv_size": Show(page="ch01", place="size"),
        "kv_slow": Show(page="ch02", place="time"),
        "kv_memory": Show("P0", "alloc", "R0", 4),
        "kv_paged": Show("three", "touch", "R1", 0),
        "kv_phases": Show("P0", "append", "R0"),
        "kv_heads": Show(page="ch02", place="sizes"),
        "kv_sampling": Show(page="ch02", place="sampling"),
        "match_prefix": Show("P3", "miss", "R1", 0),
        "match_chain": Show("P9d", "miss", "R1", 6),
        "match_exact": Show("P6", "plan", "R1"),
        "match_verify": Show(page="ch04", place="weak"),
        "match_key": Show("P11", "miss", "R1", 0),
        "match_size": Show("P7", "plan", "R1", knobs=(("block_size", 16),)),
        "match_radix": Show("P0", "miss", "R1", 2),
        "pool_evict": Show("P0", "evict"),
        "pool_ref": Show("T10", "touch", args=(("ref", 10),)),
        "pool_finished": Show("P1", "match", "R1", 0),
        "pool_generated": Show("P4", "miss", "R1", 4),
        "pool_parallel": Show("T10", "match", "R1", 0),
        "pool_preempt": Show("P8", "preempt", knobs=(("num_slots", 6),)),
        "pool_cliff": Show("P9", "evict", knobs=(("num_slots", 4),)),
        "work_prompt": Show("P3b", "match", "R1", 2),
        "work_change": Show("P2b", "miss", "R1", 2),
        "work_four": Show(page="ch09", place="four"),
        "work_think": Show(page="ch11", place="turns"),
        "work_route": Show(page="ch08", place="cards"),
        "work_price": Show(page="ch09", place="sold"),
        "work_tenant": Show("P11", "match", "R2", 0),
        "work_low": Show(page="traffic"),
        "work_speed": Show("L640s", "plan", "R1"),
        "work_metric": Show("P1", "plan", "R1"),
        "scale_chunked": Show(page="ch05"),
        "scale_disagg": Show(page="ch08", place="cards"),
        "scale_tiers": Show("P9", "miss", "R4", 0, knobs=(("num_slots", 4),)),
        "scale_tensor": Show("P0", "alloc", "R0", 0),
        "scale_spec": Show("P0", "append", "R0", 4),
        "scale_cascade": Show("T10", "touch", args=(("ref", 10),)),
        "scale_window": Show(page="ch02"),
        "scale_closed": Show(page="ch06"),
        "wrong_merge": Show("P6", "dup", "R1"),
        "wrong_prompt": Show(page="ch11", place="turns"),
        "wrong_linear": Show(page="ch02", place="time"),
        "wrong_output": Show(page="prefill", place="breaks"),
        "wrong_units": Show(page="ch09", place="sold"),
        "wrong_full": Show("P6", "plan", "R1"),
        "wrong_copy": Show("three", "touch", "R1", 0),
        "wrong_page": Show("P9", "miss", "R4", 0, knobs=(("num_slots", 4),)),
        "wrong_decode": Show("P1", "append", "R1"),
        "wrong_stored": Show("P6", "compute", "R1"),
        "true_step": Show("T10", "match", "R1", 0),
        "true_double": Show("P7", "plan", "R1", knobs=(("block_size", 16),)),
        "true_zero": Show("P1", "match", "R1", 0),
    }
)


# -- words -----------------------------------------------------------------------------------------------


@cache
def table(lang: Lang) -> Mapping[str, Mapping[str, str]]:
    """All entries of one language by name; claims begin with ``wrong_`` or ``true_``.

    What a good answer must name is a list in the file and ``must_1``, ``must_2`` … here.
    """
    data = tomllib.loads((FOLDER / f"{lang}.toml").read_text("utf-8"))
    entries = {name: words for kind in ("question", "wrong", "true") for name, words in data[kind].items()}
    return MappingProxyType({name: MappingProxyType(_flat(words)) for name, words in entries.items()})


def _flat(words: Mapping[str, str | list[str]]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, text in words.items():
        if isinstance(text, str):
            flat[key] = _joined(text)
        else:
            flat |= {f"{key}_{place}": _joined(one) for place, one in enumerate(text, 1)}
    return flat


@cache
def num_must(name: str) -> int:
    """How many things a good answer to this question must name."""
    return sum(key.startswith("must_") for key in table("en")[name])


def _joined(text: str) -> str:
    """On one line. A line break between two Chinese characters, or at a Chinese comma, is no blank."""
    return _BREAK.sub(" ", _WIDE_BREAK.sub("", text.strip()))


def words(name: str, key: str, lang: Lang) -> str:
    """One text of an entry, numbers filled in.

    Raises:
        TextError: no such entry or text, or a number is missing.
    """
    text = table(lang).get(name, {}).get(key)
    if text is None:
        raise TextError(
            "text.unknown_part", f"The interview ({lang}) has no {name}.{key}.", key=f"{name}.{key}"
        )
    return fill(text, numbers(name), f"{name}.{key}")
