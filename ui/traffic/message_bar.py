"""One message in tokens, as a bar: equal, changing, and behind that in turn equal but lost, and changing."""

from __future__ import annotations

from html import escape

from core.traffic.diagnosis.findings import Bar
from ui.traffic.aligned import Say
from ui.words.numbers import digits
from ui.words.palette import themed

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
    kinds = ["a", *("vz"[place % 2] for place in range(len(bar.parts) - 1))]
    parts = zip(kinds, bar.parts, strict=True)
    inner = "".join(f'<i class="{kind}" style="flex:{count} 0 0"></i>' for kind, count in parts if count)
    return f'{STYLE}<div class="broth-bar" role="img" aria-label="{escape(words)}">{inner}</div>'


def bar_words(bar: Bar, path: str, say: Say) -> str:
    """Which tokens of the message are what."""
    changes_end = bar.equal + bar.changes
    parts = [say("traffic.bar", path=path, n=digits(bar.num_tokens))]
    if bar.equal:
        parts.append(say("traffic.bar.equal", last=digits(bar.equal)))
    if bar.changes:
        one = "one" if bar.changes == 1 else "changes"
        numbers = {"first": digits(bar.equal + 1), "last": digits(changes_end)}
        parts.append(say(f"traffic.bar.{one}", **numbers))
    if bar.lost and not any(bar.changes_later):
        parts.append(say("traffic.bar.lost", first=digits(changes_end + 1)))
    elif bar.lost:
        more = [count for count in bar.changes_later if count]
        numbers = {"lost": digits(bar.lost), "changes": digits(sum(more)), "places": digits(len(more))}
        parts.append(say("traffic.bar.lost_and_changes", **numbers))
    return " · ".join(parts)
