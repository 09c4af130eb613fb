"""By which provider's rule a log is judged: the dated rules of assets/providers.toml, or one's own
numbers."""

from __future__ import annotations

from collections import Counter
from functools import cache

from core.traces.model import Trace
from core.traffic.providers import Rule, WritePrices
from ui.traffic.judge import Judge
from ui.words.i18n import Lang, run_on, t
from ui.words.numbers import digits
from ui.words.offers import Offer, offers, seller_of

OWN = "own"
"""An engine of one's own: no minimum, nothing is paid for storing."""
_OF_ENGINES = ("vllm_log", "sglang_log", "engine_log", "kv_events", "text_lines", "token_ids")
_OF_ANYBODY = ("openai_chat", "openai_batch")
"""Forms that every engine speaks too: only a model's name says whose it was."""


@cache
def offers_by_id() -> dict[str, Offer]:
    """Those that say what storing and reading cost."""
    return {one.offer_id: one for one in offers()}


def rule_names() -> tuple[str, ...]:
    """What can be chosen: one's own engine last."""
    return (*offers_by_id(), OWN)


def suggested_rule(trace: Trace) -> str:
    """The provider's whose model or tools the log names; a log of an engine, or of nobody we know, is judged
    as one of an engine of one's own: a provider's minimum would say nothing about it."""
    if trace.format in _OF_ENGINES or any(request.block_ids is not None for request in trace.requests):
        return OWN
    weights: Counter[str] = Counter()
    for request in trace.requests:
        weights[request.model or ""] += max(request.num_tokens, 1)
    model = weights.most_common(1)[0][0] if weights else ""
    return seller_of(model, "" if trace.format in _OF_ANYBODY else trace.format) or OWN


def rule_of(judge: Judge, suggested: str = OWN) -> Rule:
    """The rule that is meant; an unknown name is the one that the log suggests."""
    name = judge.rule if judge.rule in rule_names() else suggested
    if name == OWN:
        minimum, step, usual, read_on = 0, 1, WritePrices(1.0, 0.0), ""
    else:
        offer = offers_by_id()[name]
        minimum, step, usual, read_on = min(offer.minimums), offer.step, offer.prices, offer.read_on
    prices = WritePrices(
        usual.write if judge.write is None else judge.write, usual.read if judge.read is None else judge.read
    )
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
    return run_on(parts, lang)
