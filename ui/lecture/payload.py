"""What travels to the lecture's component: one JSON value with all stops, both languages in it.

A stop has three beats: look, guess, know. Whatever the know beat adds stands in fields of its own
(``know``, ``right``, ``verdicts``, ``*_after``, ``links``) or behind an ``*_open`` that is false, so that who
draws can leave it out of the page until then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from ui.words.i18n import LANGS, Lang

Text = dict[Lang, str]
Verdict = Literal["hit", "miss", "reserved"]
State = Literal["empty", "reserved", "computed", "reused", "cached", "dirty"]


class Lane(TypedDict):
    """One request. ``mark``: indexes of tokens that differ, or that are meant. ``tags`` and ``verdicts`` go
    by block; a block that is not full has no tag. ``gone``: it is done."""

    rid: str
    note: str
    gone: bool
    tokens: list[str]
    size: int
    mark: list[int]
    tags: list[str | None] | None
    tags_open: bool
    verdicts: list[Verdict | None]


class Slot(TypedDict):
    """One slot at one moment."""

    id: int
    state: State
    tag: str | None
    ref: int
    rids: list[str]


class RunScene(TypedDict):
    """Requests, slots and free queue, before and after. ``links``: [lane, block, slot] of each hit;
    ``brace``: [first block, last block, words] over the last lane."""

    kind: Literal["run"]
    lanes: list[Lane]
    slots: list[Slot] | None
    slots_open: bool
    slots_after: list[Slot] | None
    links: list[list[int]]
    queue: list[int] | None
    queue_after: list[int] | None
    queue_open: bool
    note: str | None
    brace: NotRequired[list[int | str]]


class TotalRow(TypedDict):
    """The prompt tokens of one request."""

    rid: str
    tokens: int
    reused: int
    computed: int


class TotalScene(TypedDict):
    """All prompt tokens of a run, to be sorted into one bar. ``computed_note``: which were computed."""

    kind: Literal["total"]
    rows: list[TotalRow]
    computed_note: str


class CountScene(TypedDict):
    """A product: its factors and signs in a row. ``value`` is closed until the know beat."""

    kind: Literal["count"]
    value: str
    parts: list[str]


class CurveScene(TypedDict):
    """[slots, percent of the requests that hit]; closed until the know beat. ``asked``: slots that count;
    ``x`` and ``y``: names of the axes. Open from the start: ``orders``, two rounds of what is asked
    for, a letter for each recipe, and ``slots``, how many slots there are."""

    kind: Literal["curve"]
    x: str
    y: str
    points: list[list[int]]
    asked: list[int]
    orders: list[str]
    slots: int


class WordsScene(TypedDict):
    """Nothing but the question and its options."""

    kind: Literal["words"]


class PageScene(TypedDict):
    """A page of ours that is no run."""

    kind: Literal["page"]
    address: str


Scene = RunScene | TotalScene | CountScene | CurveScene | WordsScene | PageScene


class Join(TypedDict):
    """Where the room's own devices find the sheet: drawn in the look beat in place of the scene. ``svg``: the
    QR code, "" where none helps; ``local``: the address works on this machine only."""

    url: str
    svg: str
    local: bool


class LectureStop(TypedDict):
    """One stop. ``right``: index of the right option, None where there is none or it comes later. ``keep``:
    its hands are a bet that no answer follows; ``bet_of``: whose hands are shown again. ``link``: where the
    stage stands on it. ``minutes``: 0 where nobody planned any. ``know_empty``: what a bet says in place of
    ``know`` when no hand was counted. ``optional``: may be left out when time runs short."""

    id: str
    minutes: int
    title: Text
    see: Text
    ask: Text
    options: list[Text]
    right: int | None
    know: Text
    know_empty: Text
    hear: Text
    truth: Text
    point: Text
    optional: bool
    join: Join | None
    keep: bool
    bet_of: str | None
    link: str
    scene: dict[Lang, Scene]


class _Said(TypedDict):
    hear: Text
    truth: Text
    point: Text


class Lecture(TypedDict):
    """The whole. ``key`` tells lectures apart in the browser's storage; ``minutes``: 0 without a plan."""

    key: str
    langs: list[Lang]
    minutes: int
    notes: bool
    demo: bool
    stops: list[LectureStop]


NO_TEXT: Text = {"en": "", "zh": ""}
_UNSAID: _Said = {"hear": NO_TEXT, "truth": NO_TEXT, "point": NO_TEXT}


def for_window(lecture: Lecture) -> Lecture:
    """What its window needs: to the projector's, nothing travels that is for the lecturer alone."""
    if lecture["notes"]:
        return lecture
    return {**lecture, "stops": [{**stop, **_UNSAID} for stop in lecture["stops"]]}


def in_each_language(options: Mapping[Lang, Sequence[str]]) -> list[Text]:
    """The same options, each in every language."""
    return [dict(zip(options, both, strict=True)) for both in zip(*options.values(), strict=True)]


def each_language(say: Callable[[Lang], str]) -> Text:
    """The same sentence in every language."""
    return {lang: say(lang) for lang in LANGS}
