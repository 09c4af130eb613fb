"""A server that was started with a damaged model: the page stands, and says what is wrong when asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.test_prefill import begun, finish
from tests.app.visit import press, texts
from tests.unit.core.backends.damage.whole import KINDS, TENSORS, write_folder
from tests.unit.core.backends.files import gguf_bytes
from ui.prefill.models import OWN, VARIABLE, Choice
from ui.traffic.tokenizers import resolved
from ui.words.i18n import LANGS, Lang, t


def cut_file(folder: Path) -> Path:
    path = folder / "cut.gguf"
    path.write_bytes(gguf_bytes(KINDS["byte pairs"], TENSORS)[:900])
    return path


def many_layers(folder: Path) -> Path:
    path = folder / "layers.gguf"
    path.write_bytes(gguf_bytes({**KINDS["byte pairs"], "llama.block_count": 3_000_000}, TENSORS))
    return path


def deep_config(folder: Path) -> Path:
    (write_folder("llama", folder) / "config.json").write_bytes(b"[" * 100_000)
    return folder


def broken_tokenizer(folder: Path) -> Path:
    path = write_folder("qwen2", folder) / "tokenizer.json"
    tokenizer = json.loads(path.read_bytes())
    tokenizer["model"] = {"type": "BPE", "vocab": 3, "merges": [[1]]}
    path.write_text(json.dumps(tokenizer), "utf-8")
    return folder


def name_of_no_text(folder: Path) -> Path:
    """A name that is no UTF-8, as the system gives it to Python."""
    return folder / "m\udcff.gguf"


def name_too_long(folder: Path) -> Path:
    return folder / ("m" * 300)


DAMAGED = (cut_file, many_layers, deep_config, broken_tokenizer, name_of_no_text, name_too_long)


@pytest.mark.parametrize("damaged", DAMAGED, ids=lambda damaged: damaged.__name__)
@pytest.mark.parametrize("lang", LANGS)
def test_a_damaged_model_is_refused_in_words_and_the_page_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: Lang, damaged: Callable[[Path], Path]
) -> None:
    monkeypatch.setenv(VARIABLE, str(damaged(tmp_path)))
    at = begun("pair", Choice("numpy", OWN), lang)
    assert not at.exception
    at = finish(press(at, "prefill_measure_pair"))
    assert not at.exception
    (error,) = (str(one.value) for one in at.error)
    assert "\n" not in error
    assert t("prefill.pair.intro", lang) in texts(at)
    begun("chat", Choice("numpy", OWN), lang)


@pytest.mark.parametrize("damaged", DAMAGED, ids=lambda damaged: damaged.__name__)
def test_logs_are_cut_by_another_tokenizer_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: Callable[[Path], Path]
) -> None:
    monkeypatch.setenv(VARIABLE, str(damaged(tmp_path)))
    assert resolved("auto") != "own"
