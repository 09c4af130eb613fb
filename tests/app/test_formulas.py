"""A modelled number is one click away from its formula, in symbols and in words, in both languages."""

from __future__ import annotations

import pytest

from core.cost import FORMULAS, PUBLISHED
from tests.app.visit import choose, visit
from ui.words import formula_words
from ui.words.formula_words import OF_A_LOG, PREFILL, SAVINGS, error_words, legend
from ui.words.i18n import LANGS, Lang, t, table

PAGES = {"traffic": OF_A_LOG, "tradeoffs": (*SAVINGS, *PREFILL), "ch07": (*SAVINGS, *PREFILL)}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", FORMULAS)
def test_every_formula_has_a_sentence(name: str, lang: Lang) -> None:
    assert table(lang)[name].strip()


def test_every_formula_stands_in_a_group() -> None:
    names = ("PREFILL", "KV", "SAVINGS", "MONEY", "HELD", "SERVING", "LOOP", "DECISION", "COUNTED")
    groups: list[tuple[str, ...]] = [getattr(formula_words, name) for name in names]
    assert sorted(name for group in groups for name in group) == sorted(FORMULAS)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("page", PAGES)
def test_pages_with_modelled_numbers_lead_there(page: str, lang: Lang) -> None:
    at = visit(page, lang=lang)
    panel = next(one for one in at.expander if one.label == t("formula.title", lang))
    said = "\n".join(str(one.value) for one in (*panel.markdown, *panel.caption))
    for name in PAGES[page]:
        assert f"`{FORMULAS[name]}` · {t(name, lang)}" in said
    assert legend(PAGES[page], lang).split("、" if lang == "zh" else ", ")[0] in said
    assert error_words(lang) in said
    assert str(len(PUBLISHED)) in error_words(lang)


@pytest.mark.parametrize("lang", LANGS)
def test_own_numbers_for_model_and_gpu(lang: Lang) -> None:
    at = visit("traffic", lang=lang)
    choose(at, "widget_machine_model", "my-model")
    choose(at, "widget_machine_gpu", "my-GPU")
    choose(at, "widget_machine_num_layers", 16)
    assert at.session_state["machine"].cost().model.num_layers == 16
    assert "my" in at.query_params
    choose(at, "widget_machine_num_kv_heads", 5)
    assert at.error.len == 1
    assert at.number_input(key="widget_machine_num_kv_heads").value == 8


@pytest.mark.parametrize("lang", LANGS)
def test_a_legend_has_the_symbols_of_its_formulas_and_no_others(lang: Lang) -> None:
    """L is the service level in one formula and the number of layers in another."""
    told = legend(("formula.kv_bytes",), lang)
    assert [one.split()[0] for one in told.split("、" if lang == "zh" else ", ")] == [
        "K",
        "H_kv",
        "d",
        "s",
        "L",
    ]
    assert t("formula.symbol.layers", lang) in told
    assert t("formula.symbol.level", lang) in legend(("formula.late",), lang)
    assert t("formula.symbol.number_bytes", lang) not in legend(("formula.money_hours",), lang)


def test_every_symbol_is_told_somewhere() -> None:
    told = legend(tuple(FORMULAS), "en")
    keys = [key for key in table("en") if key.startswith("formula.symbol.")]
    assert all(table("en")[key] in told for key in keys if not key.endswith((".layers", ".level")))
