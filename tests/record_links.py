"""Links and what each one opens, recorded: ``tests/data/links.json``.

An entry has a name, a page and a query; ``opens`` is what a visitor finds there. To add a link, write its
first three fields into the file; ``python -m tests.record_links`` then fills in, or renews, what all of them
open. ``needs`` names an optional package without which a link opens otherwise: where that lacks, its entry
stays as it is. Look at the difference before you keep it: a link that somebody saved yesterday must open on
the same state tomorrow.

Recorded is what can be seen from outside: the query that the app writes back, notices, what the stage and the
monitor are told, and the lines of the page (headings, widgets by their label, sentences). Of a link that says
more than a language, only those lines are kept that the bare page in the same language does not have. Tabs
and drawers that are drawn while they stand open count as open.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import PropertyMock, patch

from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.elements.lib.mutable_tab_container import TabContainer
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Widget
from streamlit.util import calc_hash

Query = Mapping[str, str | list[str]]
Opened = dict[str, Any]

TESTS = Path(__file__).resolve().parent
LINKS = TESTS / "data" / "links.json"
SAME = "as it was opened"
TIMEOUT_S = 60
LONGEST = 80
"""Characters of a line that are kept."""

_NOTICES = ("error", "warning", "info", "success")
_HEADINGS = ("title", "header", "subheader")
_SENTENCES = ("markdown", "caption", "text", "code")
_HOLD_NOTHING = ("button", "download_button", "file_uploader")
_NOT_RECORDED = ("go", "forget", "card")  # flags of the stage: two are other every time, one is long


def recorded() -> list[dict[str, Any]]:
    """All entries of the file."""
    entries: list[dict[str, Any]] = json.loads(LINKS.read_text("utf-8"))
    return entries


def lacks(entry: Mapping[str, Any]) -> bool:
    """Whether the link opens on something that is not installed here."""
    return "needs" in entry and find_spec(entry["needs"]) is None


def opened(page: str, query: Query) -> Opened:
    """What a visitor finds who comes by that link, and the query that the app writes at the next change."""
    at = open_link(page, query)
    if query:
        kept = at.query_params == query or page == "sheet"  # that page has no stage, and keeps its numbers
        assert kept, f"{page}: an opened link is left alone: a step behind # would be lost"
    found: Opened = {"notices": [node.value for node in at.main if node.type in _NOTICES]}
    found |= _told(at)
    lines = list(_lines(at))
    after = dict(_run(at).query_params)
    if "pr" in after:
        after["pr"] = "packed anew"  # the same results, in bytes that differ from time to time
    bare = set(query) <= {"lang"}
    shown = Counter(line for kind, line in lines if not (bare and kind in _SENTENCES))
    known = Counter() if bare else _lines_of_bare_page(page, after["lang"])
    found["lines"] = list((shown - known).elements())
    found["query"] = SAME if after == query else dict(sorted(after.items()))
    return {name: part for name, part in found.items() if part}


def open_link(page: str, query: Query) -> AppTest:
    """The whole app at that page, as the first thing of a visit."""
    at = AppTest.from_file(str(TESTS.parent / "app.py"), default_timeout=TIMEOUT_S)
    if page.startswith("ch") or page == "sheet":
        at.session_state["bet_dice"] = 7  # which questions the course puts
    at._page_hash = calc_hash("" if page == "start" else page)  # its own way leads past the front page
    at.query_params.update(query)
    return _run(at)


def _run(at: AppTest) -> AppTest:
    with ExitStack() as stack:
        for part in (ExpanderContainer, TabContainer):  # what is drawn only while it stands open
            stack.enter_context(patch.object(part, "open", new_callable=PropertyMock, return_value=True))
        stack.enter_context(patch("pages.sheet.fresh_seed", return_value=9507))  # else of every visitor's own
        stack.enter_context(
            patch("ui.decision.job.SheetJob.tick")
        )  # how far it gets is a matter of the machine
        stack.enter_context(patch.dict(os.environ))
        for name in [name for name in os.environ if name.startswith("BROTH_")]:
            del os.environ[name]  # what one server offers on top would be in no other one's record
        at.run()
    assert [error.value for error in at.exception] == []
    return at


@cache
def _lines_of_bare_page(page: str, lang: str) -> Counter[str]:
    return Counter(line for _, line in _lines(open_link(page, {"lang": lang})))


# -- what is on the page ----------------------------------------------------------------------------------


def _lines(at: AppTest) -> Iterator[tuple[str, str]]:
    """Kind and text of everything that says or holds something, from above."""
    for node in at.main:
        if node.type in _HEADINGS:
            yield node.type, _short(f"# {node.value}")
        elif node.type in _SENTENCES:
            for line in filter(str.strip, str(node.value).splitlines()):
                yield node.type, _short(line)
        elif node.type == "metric":
            yield node.type, f"{node.label}: {node.value}"
        elif node.type == "link_button":
            yield node.type, _short(f"{node.label} -> {node.url}")
        elif node.type in ("expander", "progress"):
            yield node.type, _short(f"{node.type} {getattr(node, 'label', '') or node.proto.text}")
        elif isinstance(node, Widget) and node.type not in _HOLD_NOTHING:
            yield node.type, _short(f"{node.proto.label}: {json.dumps(node.value, ensure_ascii=False)}")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)})"


def _told(at: AppTest) -> Opened:
    """What the page's components get, in short."""
    told: Opened = {}
    for one in at.get("bidi_component"):
        data = json.loads(one.proto.bytes or "{}")
        if "a" in data:
            told["stage"] = _stage(data)
        elif "samples" in data:
            told["load"] = _load(data)
        elif "stops" in data:
            told["lecture"] = _lecture(data)
    return told


def _stage(data: Opened) -> Opened:
    flags = [
        f"{name} {value}" for name, value in data["flags"].items() if value and name not in _NOT_RECORDED
    ]
    found: Opened = {"lang": data["lang"], "flags": ", ".join(flags), "a": _run_on_stage(data["a"])}
    if data["b"]:
        found["b"] = [line for line in _run_on_stage(data["b"]) if line not in found["a"]]
    return found


def _run_on_stage(log: Opened) -> list[str]:
    """What it is called, how it is set, what was sent, and how often each thing happened."""
    if "z" in log:
        log = json.loads(zlib.decompress(base64.b64decode(log["z"])))
    meta, prompts = log["meta"], ["".join(pieces) for pieces in log["pieces"].values()]
    happened = Counter(step["op"] for step in log["events"])
    return [
        f"{meta['scenario']}: {meta['title']}",
        f"{meta['slots']} slots of {meta['block_size']}, seed {meta['seed']}",
        f"version {log['init']['version']!r}",
        f"{len(prompts)} prompts: {' | '.join(map(_ends, prompts[:3]))}",
        f"{meta['num_steps']} steps: {', '.join(f'{name} {n}' for name, n in sorted(happened.items()))}",
    ]


def _ends(prompt: str) -> str:
    return prompt if len(prompt) <= 40 else f"{prompt[:15]}…{prompt[-20:]} ({len(prompt)})"


def _lecture(data: Opened) -> list[str]:
    """Which lecture it is, in which window, and what its stops are."""
    told = f"{data['key']} in {', '.join(data['langs'])}, {data['minutes']} min, notes {data['notes']}"
    lang = data["langs"][0]
    kinds = ((stop, stop["scene"][lang]["kind"]) for stop in data["stops"])
    return [told, *(f"{stop['title'][lang]}: {kind}, {len(stop['options'])} options" for stop, kind in kinds)]


def _load(data: Opened) -> Opened:
    """How the monitor is set, and what was done by now. How far it has come is the clock's affair."""
    machine = "{model} on {gpu}, {pool} slots".format_map(data["machine"])
    done = [f"{flag['name']} {flag['value']} at {flag['at_s']:g}" for flag in data["samples"]["flags"]]
    return {"lang": data["lang"], "bet": data["bet"], "machine": machine, "done": done}


def main() -> None:
    """Open every link of the file and write down anew what it opens."""
    entries = [
        one if lacks(one) else {**one, "opens": opened(one["page"], one["query"])} for one in recorded()
    ]
    LINKS.write_text(json.dumps(entries, ensure_ascii=False, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
