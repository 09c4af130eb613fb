"""What the picture is given: before the bet nothing that answers it; after it each block's verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.backends.decoders.loader import Model
from core.backends.experiments.prefix import why_prefix
from core.backends.experiments.report import Report
from core.backends.models.sources import ModelSource
from tests.unit.core.backends.tiny import TINY, weights_of
from ui.prefill.prefix_payload import digest, off_by, prefix_payload, verdict
from ui.stage.payload import to_bytes
from ui.words.i18n import LANGS, table

PROMPT = " ".join(f"w{number}" for number in range(22))


def report_of(word: str = "w9", instead: str = "other") -> Report:
    model = Model(ModelSource("random", "tiny"), TINY, "numpy", weights_of(TINY))
    return why_prefix(model, prompt=PROMPT, word=word, instead=instead, block_size=4)


def states(report: Report) -> list[str]:
    return [verdict(report, number)["state"] for number in range(-(-len(report.rows) // 4))]


def test_before_the_bet_nothing_answers_it() -> None:
    one, other = (prefix_payload(report_of(), shown, "en") for shown in (False, True))
    assert (one["errors"], one["verdicts"], one["hit"]) == (None, None, 0)
    assert other["hit"] == 8
    assert {block["readers"] for block in one["blocks"]} == {None}, "who reads on is what is computed again"
    same = {"errors", "verdicts", "hit", "blocks"}
    assert {k: v for k, v in one.items() if k not in same} == {
        k: v for k, v in other.items() if k not in same
    }
    assert json.loads(to_bytes(other))["key"] == digest(report_of())
    assert digest(report_of("w8")) != digest(report_of())


def test_cells_are_hundredths_of_a_percent_and_exact_ones_are_0() -> None:
    report = report_of()
    cells: dict[str, Any] = prefix_payload(report, True, "zh")["errors"]
    for part in ("key", "value"):
        assert all(row[:9] == [0] * 9 for row in cells[part]), "rounding is no error"
        assert all(row[9] == -1 for row in cells[part])
        assert cells[part][0][10:] == [0] * 12
        assert all(cell >= 1 for row in cells[part][1:] for cell in row[10:])
    assert cells["value"][2][12] == pytest.approx(1e4 * report.rows[12]["value"][2], abs=0.51)


def test_what_became_of_each_block() -> None:
    assert states(report_of()) == ["hit", "hit", "changed", "after", "after", "part"]
    assert states(report_of("w8")) == ["hit", "hit", "changed", "after", "after", "part"]
    assert states(report_of("w0")) == ["changed", "after", "after", "after", "after", "part"]
    assert states(report_of("w21")) == ["hit"] * 5 + ["changed"]
    assert states(report_of("w7", "two words")) == ["hit", "changed", "changed", "after", "after", "part"]
    assert states(report_of(" w20 w21", "")) == ["hit"] * 4 + ["last"], "the last token is always computed"


def test_a_verdict_in_numbers() -> None:
    report = report_of()
    change, last = verdict(report, 2), verdict(report, 5)
    assert (change["rights"], change["size"], change["was"], change["hit"]) == (1, 4, 3, False)
    assert last["was"] is None, "it was not full"
    assert change["kb"] == f"{4 * TINY.kv_bytes_per_token() / 1000:.2f} kB"
    assert all(
        f"prefill.map.verdict.{state}" in table(lang) for lang in LANGS for state in (*states(report), "last")
    )


def test_no_error_reads_more_than_a_hundred_percent() -> None:
    assert [off_by(error) for error in (0.0, 0.0042, 0.33, 1.0, 1.7)] == ["0", "0.4", "33", "100", "> 100"]
