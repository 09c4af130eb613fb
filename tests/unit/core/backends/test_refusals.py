"""Every reason not to take a model has a sentence in both languages, with the same values."""

from __future__ import annotations

import string

import pytest

from core.backends.models.refusals import CAUSES, refusal
from ui.words.i18n import LANGS, error_text, placeholders, table

VALUES = {"part": "p", "found": "f", "supported": "s", "held": 2, "wanted": "w", "most": "m"}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_is_told_in_both_languages(cause: str) -> None:
    needed = {name for _, name, _, _ in string.Formatter().parse(CAUSES[cause]) if name} - {"file"}
    error = refusal(cause, "m.gguf", **{name: VALUES[name] for name in needed})
    for lang in LANGS:
        template = table(lang)[f"error.backend.model_{cause}"]
        assert placeholders(template) <= needed | {"file"}
        assert "m.gguf" in error_text(error, lang)
    assert str(error).endswith(".")
