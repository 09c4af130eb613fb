"""What a sheet says follows from its cells, counted here once more."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from core.decision import SEEDS, Work, gather, next_work, plan
from tests.unit.ui.decision.made_up import SIZES, asked, made_up, wait_s
from ui.decision.asked import Asked
from ui.decision.html import grid_html, kinds_html, numbers_html, sizes_html
from ui.decision.paper import paper_html
from ui.decision.said import behind, numbers, verdict
from ui.decision.setup import GPUS, Choice
from ui.decision.tables import _on_its_side, _value, grid_rows, sheet_csv
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


def early(ms: int, runs: int) -> Asked:
    """As the page computes it: what decides comes first."""
    told = at_level(ms, runs=0)
    spec, found = told.sheet.spec, {}
    for _ in range(runs):
        work = next_work(spec, found, ms / 1000, gather(spec, found.values()).leading(ms / 1000))
        assert work is not None
        found[work] = made_up(spec, work)
    return replace(told, sheet=gather(spec, found.values()))


@pytest.mark.parametrize("ms", [90, 300])
def test_nothing_is_decided_before_it_stands_and_nothing_said_is_taken_back(ms: int) -> None:
    whole = at_level(ms)
    final = {cell.words: cell for _, row in grid_rows(whole) for cell in row}
    stands = []
    for runs in range(0, 60, 3):
        part = early(ms, runs)
        cells = [cell for _, row in grid_rows(part) for cell in row]
        marked = [cell for cell in cells if cell.state != "open"]
        stands.append(part.decided)
        assert (verdict(part) == verdict(whole)) == part.decided
        if not part.decided:
            assert verdict(part) == t("decision.verdict.open", "en", level=f"{ms} ms")
            assert marked == []
            assert [number.value for number in numbers(part)] == ["…"] * 4
            assert kinds_html(part) == ""
            assert 'class="on"' not in grid_html(part) + sizes_html(part)
        assert all(final[cell.words] == cell for cell in marked)
        assert not any(mark in cell.text for cell in cells if cell.state == "open" for mark in "✓✕")
        assert (part.seeds_so_far == "") == all(len(one.outcomes) == 5 for one in part.points)
    assert stands == sorted(stands)
    assert {False, True} == set(stands)


def test_numbers_curves_and_tables_are_of_the_same_gpus() -> None:
    """As found for this level or that one, or as chosen: everything follows."""
    for choice in (Choice(sizes_gib=SIZES), Choice(sizes_gib=SIZES, level_ms=2000), Choice(150, gpus=5)):
        told = asked(choice=choice)
        place = f"{told.gpus} {'GPU' if told.gpus == 1 else 'GPUs'}"
        assert told.gpus == (choice.gpus or told.found.gpus)
        assert all(place in number.words for number in numbers(told)[:3])
        for part in (sizes_html(told), kinds_html(told)):
            assert place in part.split("</h2>")[0]
        assert numbers(told)[3].words.startswith(f"a month: {told.gpus} ×")


@pytest.mark.parametrize(
    ("value", "level_ms", "text"),
    [(1.04, 1000, "1.04 s"), (2.46, 2500, "2.5 s"), (2.54, 2500, "2.54 s"), (10.4, 10_000, "10.4 s"),
     (0.8983, 898, "898.3"), (0.1224, 122, "122.4"), (0.12, 300, "120"), (12.0, 300, "12 s")],
)  # fmt: skip
def test_a_printed_time_stands_on_the_side_of_its_mark(value: float, level_ms: int, text: str) -> None:
    assert _on_its_side(at_level(level_ms), value) == text


def test_the_more_than_sign_is_of_the_run_that_was_left() -> None:
    """The fastest seed ran to its end at 8.684 s, another was left at 10.2: the cell says 8.7, not more."""
    told = at_level(300)
    cell = told.sheet.cells[0]
    ended, left = (replace(one, ttft_s=np.full(50, wait), stopped=wait > 9) for one, wait in zip(
        cell.outcomes, (8.684, 10.17), strict=False))  # fmt: skip
    assert _value(told, replace(cell, outcomes=(ended, left)), holds=False) == "✕ 8.7 s"
    assert _value(told, replace(cell, outcomes=(left,)), holds=False) == "✕ >10 s"


def test_a_size_too_small_for_a_request_is_said_also_without_a_cache() -> None:
    told = asked(choice=Choice(sizes_gib=(0.25,)))
    small = [replace(made_up(told.sheet.spec, work), too_small=99) for work in plan(told.sheet.spec)]
    told = replace(told, sheet=gather(told.sheet.spec, small))
    assert sizes_html(told).count("too small") == 2
    assert "too_small" in sheet_csv(told)
    assert "–: too small" in paper_html(told, "", "")


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
                mark, text = cell.text.split(" ", 1)
                value, read = (
                    max(waits) if held else min(waits),
                    float(text.removesuffix(" s").replace(",", "")),
                )
                assert mark == ("✓" if held else "✕")
                assert read == pytest.approx(value if text.endswith(" s") else 1000 * value, rel=0.05)


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
    about = {(row["requests_per_s_all_gpus"], row["model"], row["gpu"], row["seed_numbers"]) for row in rows}
    assert about == {("12.0", "Llama-2-7B", "A100", "1 2 3 4 5")}
    assert not any(row["measure"] == "hit_rate" and not row["gib_per_gpu"] for row in rows)
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
    assert "shared beginnings of 512 tokens, answers of 32 tokens. Blocks of 16" in text
    assert "Seeds 1, 2, 3, 4 and 5" in text or "Seeds 1, 2, 3, 4, 5" in text
    assert f"first {told.sheet.spec.num_warm} fill" in text
    assert all(asked("zh").say(f"kind.{kind}") for kind in told.sheet.spec.load.mix)
