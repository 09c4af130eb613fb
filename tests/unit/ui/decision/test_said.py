"""What a sheet says follows from its cells, counted here once more."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from core.decision import SEEDS, Work
from tests.unit.ui.decision.made_up import SIZES, asked, wait_s
from ui.decision.asked import Asked
from ui.decision.html import grid_html, kinds_html, numbers_html
from ui.decision.paper import paper_html
from ui.decision.said import behind, numbers, verdict
from ui.decision.setup import GPUS, Choice
from ui.decision.tables import grid_rows, sheet_csv
from ui.words.i18n import LANGS, t

LEVELS = (10, 90, 150, 300, 700, 1000, 5000)


def at_level(ms: int, lang: str = "en", runs: int | None = None) -> Asked:
    return asked(lang, runs=runs, choice=Choice(level_ms=ms, sizes_gib=SIZES))  # type: ignore[arg-type]


def needed(gib: float | None, ms: int) -> int | None:
    """The fewest GPUs with which every seed's slowest wait is short enough."""
    for gpus in GPUS:
        if all(wait_s(Work(gpus, gib, seed)) <= ms / 1000 for seed in SEEDS):
            return gpus
    return None


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("ms", LEVELS)
def test_the_finding_is_what_the_cells_say(ms: int, lang: str) -> None:
    told = at_level(ms, lang)
    holding = {gib: needed(gib, ms) for gib in SIZES if needed(gib, ms)}
    bare = needed(None, ms)
    level = f"{ms:,} {t('decision.ms', told.lang)}"
    if not holding:
        expected = t("decision.verdict.none", told.lang, level=level, most=6)
        assert bare is None
        assert verdict(told) == expected
        return
    least = min(holding.values())
    gib = min(size for size, gpus in holding.items() if gpus == least)
    name = "only_with" if bare is None else "same" if bare == least else "fewer"
    said = t(f"decision.verdict.{name}", told.lang, level=level, n=least, m=bare, gib=f"{gib:g}", most=6)
    assert verdict(told) == said
    month = numbers(told)[3].value
    assert month == f"${least * 2 * 730:,}"


def test_every_kind_of_finding_was_met() -> None:
    kinds = {("none" if not any(needed(g, ms) for g in SIZES) else needed(None, ms) is None) for ms in LEVELS}
    assert kinds == {"none", True, False}


def test_half_of_the_seeds_are_no_finding() -> None:
    """150 ms: the first seed alone would say so, another seed does not hold."""
    whole = at_level(300)
    for runs in range(0, whole.sheet.num_runs, 7):
        part = at_level(300, runs=runs)
        assert verdict(part) in (verdict(whole), t("decision.verdict.open", "en", level="300 ms"))
    assert verdict(at_level(300, runs=40)) == t("decision.verdict.open", "en", level="300 ms")
    assert "first" not in {cell.state for _, row in grid_rows(at_level(300, runs=40)) for cell in row}


@pytest.mark.parametrize("ms", LEVELS)
def test_a_cell_is_drawn_as_its_seeds_are(ms: int) -> None:
    for gib, row in grid_rows(at_level(ms)):
        for gpus, cell in zip(GPUS, row, strict=True):
            waits = [wait_s(Work(gpus, gib, seed)) for seed in SEEDS]
            held = sum(wait <= ms / 1000 for wait in waits)
            first = gpus == needed(gib, ms)
            assert cell.state == ("first" if first else "holds" if held == 5 else "some" if held else "fails")
            if cell.state == "some":
                assert cell.text == f"{held}/5"
            else:
                value = max(waits) if held else min(waits)
                text = f"{1000 * value:,.0f}" if value < 0.9995 else f"{float(f'{value:.2g}'):g} s"
                assert cell.text == f"{'✓' if held else '✕'} {text}"


def test_some_cells_hold_with_some_seeds_only() -> None:
    states = {cell.state for ms in range(80, 400, 10) for _, row in grid_rows(at_level(ms)) for cell in row}
    assert states == {"first", "holds", "some", "fails"}


def test_numbers_carry_their_basis_and_the_size_asked_for() -> None:
    told = numbers(asked(choice=Choice(sizes_gib=SIZES, size=16.0)))
    assert [one.basis for one in told] == ["counted", "modelled", "modelled", "yours"]
    assert told[0].value == f"{100 * 333 / 1000:.1f} %"
    assert "16 GiB" in told[0].words
    gpus = needed(16.0, 300)
    assert gpus is not None
    waits = [round(1000 * wait_s(Work(gpus, 16.0, seed))) for seed in SEEDS]
    assert told[1].value == f"{min(waits)}–{max(waits)} ms"
    assert told[2].value == "0 %"


@pytest.mark.parametrize("lang", LANGS)
def test_the_paper_says_the_same_as_the_screen(lang: str) -> None:
    told = at_level(300, lang)
    page = paper_html(told, "http://x/decision?dl=300&lm=chat", "2026-01-02")
    for part in (numbers_html(told), grid_html(told), kinds_html(told)):
        assert part in page
    assert "dl=300&amp;lm=chat" in page
    assert "2026-01-02" in page
    assert page.count('role="img"') == 2
    assert "warn" not in page.split("</style>")[1]
    assert 'class="warn"' in paper_html(at_level(300, lang, runs=60), "", "")


def test_a_csv_has_every_number_with_unit_and_basis() -> None:
    rows = list(csv.DictReader(io.StringIO(sheet_csv(at_level(300)))))
    assert all(row["basis"] in ("counted", "modelled", "yours") and row["unit"] for row in rows)
    cells = [row for row in rows if row["measure"] == "grid_ttft_p95"]
    assert len(cells) == len(GPUS) * (len(SIZES) + 1)
    for row in cells:
        gib = float(row["gib_per_gpu"]) if row["gib_per_gpu"] else None
        waits = [wait_s(Work(int(row["gpus"]), gib, seed)) for seed in SEEDS]
        assert float(row["low"]) == pytest.approx(min(waits))
        assert float(row["high"]) == pytest.approx(max(waits))


def test_a_machine_of_several_gpus_counts_them_all() -> None:
    one = asked(choice=Choice(sizes_gib=SIZES))
    two = replace(
        one,
        sheet=replace(one.sheet, spec=replace(one.sheet.spec, cost=replace(one.sheet.spec.cost, num_gpus=2))),
    )
    assert two.cards(3) == 6
    assert two.money(3) == 2 * one.money(3)


def test_what_stands_behind_it_names_seeds_requests_and_policies() -> None:
    told = asked(cache_cap=500)
    text = " ".join(behind(told))
    assert "5 seeds" in text
    assert "1,500" in text
    assert f"first {told.sheet.spec.num_warm} fill" in text
    assert all(asked("zh").say(f"kind.{kind}") for kind in told.sheet.spec.load.mix)
