"""One message in tokens, as a bar: equal, changing, equal again and lost."""

from __future__ import annotations

from html import escape

from core.traffic.diagnosis.findings import Bar
from ui.traffic.aligned import Say, themed
from ui.words.numbers import digits

STYLE = f"""<style>
.broth-bar{{display:flex;height:26px;overflow:hidden;margin:4px 0}}
.broth-bar{{border:1px solid {themed("line")};border-radius:6px}}
.broth-bar i{{display:block;min-width:2px}}
.broth-bar .a{{background:{themed("hit")}}} .broth-bar .v{{background:{themed("miss")}}}
.broth-bar .z{{background:repeating-linear-gradient(135deg,transparent 0 6px,{themed("line")} 6px 8px)}}
</style>"""


def bar_html(bar: Bar, path: str, say: Say) -> str:
    """The sentence above it holds the same numbers, for who sees no bar."""
    words = bar_words(bar, path, say)
    parts = zip("avz", (bar.equal, bar.changes, bar.lost), strict=True)
    inner = "".join(f'<i class="{kind}" style="flex:{count} 0 0"></i>' for kind, count in parts if count)
    return f'{STYLE}<div class="broth-bar" role="img" aria-label="{escape(words)}">{inner}</div>'


def bar_words(bar: Bar, path: str, say: Say) -> str:
    """Which tokens of the message are what."""
    changes_end = bar.equal + bar.changes
    parts = [say("traffic.bar", path=path, n=digits(bar.num_tokens))]
    if bar.equal:
        parts.append(say("traffic.bar.equal", last=digits(bar.equal)))
    if bar.changes:
        parts.append(say("traffic.bar.changes", first=digits(bar.equal + 1), last=digits(changes_end)))
    if bar.lost:
        parts.append(say("traffic.bar.lost", first=digits(changes_end + 1)))
    return " · ".join(parts)
