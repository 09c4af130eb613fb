"""Prompts as rows of tokens: where a line may end, and what a token shows of itself."""

from __future__ import annotations

import re

from ui.course.token_rows import TokenRow, row_html


def shown(html: str) -> str:
    return re.sub(r"<(?!wbr)[^>]*>", "", html.split('class="tr-row">')[1])


def test_a_line_ends_between_tokens_and_never_behind_a_blank_or_a_number() -> None:
    row = TokenRow("R0", ["11", ":", "58", " Is", " it"], ["open"] * 5, 4)
    text = shown(row_html(row))
    assert text == "0\u206011<wbr>:<wbr>58<wbr>\u00a0Is 1\u2060\u00a0it"


def test_what_cannot_be_seen_is_shown() -> None:
    text = shown(row_html(TokenRow("R0", [" ", "\n\n", "a\tb", "<b>"], ["hit"] * 4)))
    assert text == "␣<wbr>⏎⏎<wbr>a⇥b<wbr>&lt;b&gt;"
