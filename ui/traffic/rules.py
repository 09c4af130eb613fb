"""By which provider's rule a log is judged: the dated rules of assets/providers.toml, or one's own
numbers."""

from __future__ import annotations

from functools import cache

from core.traffic.providers import Rule, WritePrices
from ui.traffic.judge import USUAL_RULE, Judge
from ui.words.i18n import Lang, t
from ui.words.numbers import digits
from ui.words.offers import Offer, offers

OWN = "own"
"""An engine of one's own: no minimum, nothing is paid for storing."""


@cache
def offers_by_id() -> dict[str, Offer]:
    """Those that say what storing and reading cost."""
    return {one.offer_id: one for one in offers()}


def rule_names() -> tuple[str, ...]:
    """What can be chosen: one's own engine last."""
    return (*offers_by_id(), OWN)


def rule_of(judge: Judge) -> Rule:
    """The rule that is meant; an unknown name is the usual one."""
    if judge.rule == OWN:
        minimum, step, usual, read_on = 0, 1, WritePrices(1.0, 0.0), ""
    else:
        offer = offers_by_id().get(judge.rule) or offers_by_id()[USUAL_RULE]
        minimum, step, usual, read_on = min(offer.minimums), offer.step, offer.prices, offer.read_on
    prices = WritePrices(
        usual.write if judge.write is None else judge.write, usual.read if judge.read is None else judge.read
    )
    name = judge.rule if judge.rule in rule_names() else USUAL_RULE
    return Rule(name, minimum if judge.minimum is None else judge.minimum, step, prices, read_on)


def rule_title(name: str, lang: Lang) -> str:
    """What a person knows it as."""
    if name == OWN:
        return t("traffic.rule.own", lang)
    offer = offers_by_id()[name]
    return t("traffic.rule.title", lang, provider=offer.provider, name=offer.words[lang]["name"])


def rule_words(rule: Rule, lang: Lang) -> str:
    """One line of what the verdict assumes, with the day it was read."""
    numbers = {"write": f"{rule.prices.write:g}", "read": f"{rule.prices.read:g}"}
    words = t("traffic.rule.words", lang, title=rule_title(rule.rule_id, lang), **numbers)
    parts = [words]
    if rule.minimum:
        parts.append(t("traffic.rule.minimum", lang, n=digits(rule.minimum)))
    if rule.step > 1:
        parts.append(t("traffic.rule.step", lang, n=rule.step))
    if rule.read_on:
        parts.append(t("traffic.rule.read_on", lang, day=rule.read_on))
    return " ".join(parts)
