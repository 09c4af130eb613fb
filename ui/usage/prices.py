"""By whose prices a log is billed: a provider's dated rules, picked by models and format. No Streamlit."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.traces.model import Trace
from core.traffic.usage.rules import Rules
from ui.words.offers import Offer, offers

FILE = Path(__file__).resolve().parents[2] / "assets" / "prices.toml"
USUAL = "usual"


@dataclass(frozen=True, slots=True)
class Priced:
    """The rules for a log, and how they were come by.

    ``model``: the log's most used one, "" if it names none; ``listed``: whether a price for just that model
    was read; ``guessed``: nothing in the log says whose it is.
    """

    rules: Rules
    provider: str
    model: str
    listed: bool
    guessed: bool
    source: str
    num_models: int
    num_rows: int


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
    """Rules and prices for a log; ``rule_id``: a person's choice instead of what the log suggests."""
    weights: Counter[str] = Counter()
    for request in trace.requests:
        if request.model:
            weights[request.model] += max(request.num_tokens, 1)
    model = weights.most_common(1)[0][0] if weights else ""
    row, guessed = (_row(rule_id), False) if rule_id in rule_ids() else _suggested(model, trace)
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
        step=usual.step,
        automatic=row["automatic"],
    )
    counts = (len(weights), len(trace.requests))
    return Priced(rules, row["provider"], model, listed, guessed, row["source"], *counts)


def priced_as(rule_id: str) -> Priced:
    """The same for no log in particular: whose rules they are, and where they were read."""
    return priced(Trace("", "", (), frozenset()), rule_id)


def _row(rule_id: str | None) -> Mapping[str, Any]:
    rows: list[Mapping[str, Any]] = _file()["rule"]
    return next((row for row in rows if row["id"] == rule_id), rows[0])


def _suggested(model: str, trace: Trace) -> tuple[Mapping[str, Any], bool]:
    """By the model's name, else by the format or the words of the counts, else the first rule: a guess."""
    rows: list[Mapping[str, Any]] = _file()["rule"]
    name = plain_name(model)
    shapes = Counter(one.usage.shape for one in trace.requests if one.usage is not None)
    shape = shapes.most_common(1)[0][0] if shapes else ""
    by_model = [row for row in rows if name and re.search(row["models"], name)]
    by_format = [row for row in rows if trace.format in row["formats"]]
    by_shape = [row for row in rows if shape in row["shapes"]]
    found = [*by_model, *by_format, *by_shape]
    return (found[0], False) if found else (rows[0], True)


def _price(row: Mapping[str, Any], model: str) -> tuple[Mapping[str, Any], bool]:
    name = plain_name(model)
    for price in row["price"]:
        if price["model"] != USUAL and name and re.search(price["model"], name):
            return price, True
    return row["price"][-1], False


def plain_name(model: str) -> str:
    """A model's name as the file writes it: "us.Claude-Opus-4.5" is "us-claude-opus-4-5"."""
    return re.sub(r"[._:/@ ]", "-", model.lower())
