"""By whose prices a log is billed: a provider's dated rules, for each model by its own name. No Streamlit."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from core.traces.model import Trace
from core.traffic.usage.rules import Rules
from ui.words.offers import PRICES as FILE
from ui.words.offers import Offer, offers, plain_name

USUAL = "usual"
_BEHIND = re.compile(
    r"(-(latest|preview|exp|beta|thinking|1m|20\d{6}|20\d\d-\d\d-\d\d|\d\d-(20)?\d\d|v\d(-\d)?|00\d))+$"
)
"""What stands behind a model's name and changes no price: dates, versions of one model."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Price:
    """One model's price, and how it was come by.

    ``model``: as the log writes it, "" where it names none. ``listed``: a price for just this model was
    found; ``guessed``: nothing in the log says whose it is; ``source``: "" where the price rests on memory.
    ``long``: (prompt tokens, per million): beyond, the list is dearer; ``peak``: so it is in some hours.
    """

    model: str
    rules: Rules
    provider: str
    listed: bool
    guessed: bool
    source: str
    long: tuple[int, float] | None = None
    peak: bool = False


@dataclass(frozen=True)
class Priced:
    """The prices of all models of a log, the one with most tokens first; at least one."""

    prices: tuple[Price, ...]

    @cached_property
    def _by_model(self) -> dict[str, Price]:
        return {one.model: one for one in self.prices}

    @property
    def rules(self) -> Rules:
        """Those of the model with most tokens."""
        return self.prices[0].rules

    def __call__(self, model: str | None, num_tokens: int) -> Rules:
        """The rules of a turn with this model and a prompt of so many tokens."""
        price = self.of(model)
        if price.long is None or num_tokens <= price.long[0]:
            return price.rules
        return replace(price.rules, per_million=price.long[1])

    def of(self, model: str | None) -> Price:
        """The price of a model of the log."""
        return self._by_model.get(model or "", self.prices[0])

    def edited(self, edits: Mapping[str, float]) -> Priced:
        """With a person's own numbers: the price of a token is the first model's, the rest is everybody's.

        A second time to live has a price only where it is sold; a time to live of one's own is a sharp one.
        """
        found = []
        for place, one in enumerate(self.prices):
            mine: dict[str, Any] = {k: v for k, v in edits.items() if not place or k != "per_million"}
            if one.rules.write_1h is None:
                mine.pop("write_1h", None)
            if "ttl_s" in mine:
                mine["usual_s"] = None
            long = None if "per_million" in mine else one.long
            found.append(replace(one, rules=replace(one.rules, **mine), long=long))
        return Priced(tuple(found))


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def rule_ids() -> tuple[str, ...]:
    """Names of all rules, in the order of the file."""
    return tuple(row["id"] for row in _file()["rule"])


def offers_of(rule_id: str) -> list[Offer]:
    """What is sold under a rule: the usual offer, perhaps one that lives longer."""
    by_id = {one.offer_id: one for one in offers()}
    return [by_id[name] for name in _row(rule_id)["offers"]]


def priced(trace: Trace, rule_id: str | None = None) -> Priced:
    """Prices for each model of a log; ``rule_id``: a person's choice instead of what the log suggests."""
    weights: Counter[str] = Counter()
    for request in trace.requests:
        weights[request.model or ""] += max(request.num_tokens, 1)
    names = [name for name, _ in weights.most_common()] or [""]
    shapes = Counter(one.usage.shape for one in trace.requests if one.usage is not None)
    shape = shapes.most_common(1)[0][0] if shapes else ""
    chosen = _row(rule_id) if rule_id in rule_ids() else None
    return Priced(tuple(_priced(name, trace.format, shape, chosen) for name in names))


def _priced(model: str, format_name: str, shape: str, chosen: Mapping[str, Any] | None) -> Price:
    row, guessed = (chosen, False) if chosen is not None else _suggested(model, format_name, shape)
    price, listed = _price(row, model)
    found = offers_of(row["id"])
    usual, longer = found[0], found[1] if len(found) > 1 else None
    rules = Rules(
        id=row["id"],
        read_on=_file()["read_on"],
        per_million=price["per_million"],
        read=price.get("read", usual.prices.read),
        write_5m=usual.prices.write,
        write_1h=None if longer is None else longer.prices.write,
        minimum=price.get("minimum", min(usual.minimums)),
        ttl_s=row["ttl_s"][0] or None,
        usual_s=tuple(row["usual_s"]) if "usual_s" in row else None,
        step=usual.step,
        automatic=row["automatic"],
    )
    source = _file()["sources"].get(price.get("from", row["from"]), "")
    long = tuple(price["long"]) if "long" in price else None
    return Price(model, rules, row["provider"], listed, guessed, source, long, price.get("peak", False))


def _row(rule_id: str | None) -> Mapping[str, Any]:
    rows: list[Mapping[str, Any]] = _file()["rule"]
    return next((row for row in rows if row["id"] == rule_id), rows[0])


def _suggested(model: str, format_name: str, shape: str) -> tuple[Mapping[str, Any], bool]:
    """By the model's name, else by the format or the words of the counts, else the first rule: a guess."""
    rows: list[Mapping[str, Any]] = _file()["rule"]
    name = plain_name(model)
    by_model = [row for row in rows if name and re.search(row["models"], name)]
    by_format = [row for row in rows if format_name in row["formats"]]
    by_shape = [row for row in rows if shape in row["shapes"]]
    found = [*by_model, *by_format, *by_shape]
    return (found[0], False) if found else (rows[0], True)


def _price(row: Mapping[str, Any], model: str) -> tuple[Mapping[str, Any], bool]:
    """The row whose pattern is the whole name, with or without what stands behind it; else the usual one."""
    name = plain_name(model)
    names = {name, _BEHIND.sub("", name)} - {""}
    for price in row["price"]:
        whole = re.compile(rf"(?:^|-)(?:{price['model']})$")
        if price["model"] != USUAL and any(whole.search(one) for one in names):
            return price, True
    return row["price"][-1], False


def with_prices(usage: Json, found: Priced, edited: bool = False) -> Json:
    """The summary's bill with how each model's price was come by: for the report, its JSON and the page."""
    bill = usage["bill"]
    models = [one | _told(found.of(one["model"]), one, usage) for one in bill["models"]]
    return usage | {"bill": bill | {"models": models, "edited": edited}}


def _told(price: Price, entry: Json, usage: Json) -> Json:
    long = None
    if price.long is not None:
        turns = (turn for one in usage["sessions"] for turn in one["turns"])
        above = sum(turn["total"] > price.long[0] for turn in turns if turn["model"] == entry["model"])
        long = {"above": price.long[0], "per_million": price.long[1], "turns": above}
    return {
        "provider": price.provider,
        "listed": price.listed,
        "guessed": price.guessed,
        "source": price.source,
        "long": long,
        "peak": price.peak,
    }
