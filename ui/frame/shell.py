"""The frame around every page: a low top margin, and one toolbar inside the navigation bar.

The stage is 16:9; every row of widgets above it costs the picture twice as much width. So scenario, set-up
and language stand in the bar that is there anyway; on narrow screens they flow above the page instead.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui.frame.link import LOST
from ui.frame.session import choose_language, lang_mode, say
from ui.frame.speak import speak
from ui.server.pressure import BUSY_S, PRESSURE
from ui.words.i18n import MODES
from ui.words.numbers import digits
from ui.words.palette import PALETTE

NAMES = {"en": "English", "zh": "中文", "both": "中 + En"}

_STYLE = """
[data-testid="stBaseButton-primary"],[data-testid="stBaseLinkButton-primary"]{color:light-dark(#FFFFFF,#12161C)}
[data-testid="stCaptionContainer"]{opacity:1;color:light-dark(#4A5868,#B3BECB)}
.stMainBlockContainer{padding:3.9rem 1.5rem 2rem}
.stMainBlockContainer:has(.st-key-stage-whole){padding:3.75rem 0 0}
@media (min-width:1240px){
.st-key-toolbar{position:fixed;top:.55rem;right:3.5rem;width:auto;max-width:62vw;z-index:1000000}
:has(.st-key-stage-whole)>[data-testid=stLayoutWrapper]:has(>.st-key-toolbar){margin-bottom:-1rem}
.st-key-toolbar .stSelectbox{width:min(22rem,24vw)}
}
@media (min-width:760px){.st-key-stage-frame{aspect-ratio:1280/656}}
[data-testid="stElementToolbarButton"] [aria-label^="Download as CSV"]{display:none}
.st-key-reserve-metric{min-height:6.75rem}
.stElementContainer:has(#speaks){display:none}
[data-testid="stApp"]:not([data-test-connection-state="CONNECTED"])::after{content:var(--broth-trying);
position:fixed;inset:auto 1rem 1rem auto;z-index:1000001;padding:.5rem 1rem;border-radius:.5rem;
color:#16202B;background:#FFE9B8;opacity:0;animation:broth-trying 0s 2s forwards}
.stFileUploader [role=alert]{position:static!important;width:auto!important;height:auto!important;
margin:0 .5rem!important;clip:auto!important;clip-path:none!important;white-space:normal!important}
.stPrintGraphic>[data-testid=stSkeleton]{height:16rem}
.stPrintGraphic>[data-testid=stSkeleton]::after{content:var(--broth-drawing);display:block;padding:.8rem 1rem}
[data-testid="stCaptionContainer"]{opacity:1}
[data-testid="stCaptionContainer"],[data-testid="stCaptionContainer"] :is(p,li){color:var(--broth-muted)}
[data-testid="stPopoverBody"] [data-testid="stCaptionContainer"]{opacity:.8}
[data-testid="stPopoverBody"] [data-testid="stCaptionContainer"],
[data-testid="stPopoverBody"] [data-testid="stCaptionContainer"] :is(p,li){color:inherit}
[class*="st-key-table-"]{overflow-x:auto}
.stMetric .stMarkdownEllipsis,.stMetric .stMarkdownEllipsis p{white-space:normal}
.st-key-stage-frame{max-width:max(920px,calc((100vh - 4rem)*1280/656));margin-inline:auto}
.st-key-stage-whole{max-width:max(920px,calc((100vh - 3.75rem)*1280/656));margin-inline:auto}
.stMainBlockContainer:has(.st-key-road){max-width:80rem;margin-inline:auto}
:has(.st-key-road) .stMarkdown :is(p,li){max-width:32rem;font-size:1.0625rem}
:has(.st-key-road) .stMarkdown [data-testid="stCaptionContainer"] p{font-size:.875rem}
[class*="st-key-bet-"]{max-width:44rem}
.st-key-road{flex-wrap:wrap}
:has(.st-key-road) .stButtonGroup [role=radiogroup]{flex-wrap:wrap;row-gap:.25rem}
.st-key-road a{min-height:2rem}
.stColumn:has([class*="st-key-picture-"]){align-self:stretch}
.stColumn:has([class*="st-key-picture-"])>div{position:sticky;top:4rem;flex:none;height:fit-content;
max-height:calc(100vh - 4.5rem);overflow:hidden auto;padding:0 .5rem 1rem}
[class*="st-key-picture-"] img{max-height:max(20rem,calc(100vh - 16rem));object-fit:contain;
object-position:left top}
:is(.st-key-traffic-head,.st-key-prefill-head) h2{font-size:1.5rem;padding:0 0 .75rem}
.st-key-prefill-head h2{padding:0}
.st-key-prefill-astray h3{font-size:1.25rem}
@media (min-width:1000px){
.st-key-prefill-head :is(.stSelectbox,.stButtonGroup){display:flex;flex-direction:row;align-items:center;
gap:.5rem}
.st-key-prefill-head :is(.stSelectbox,.stButtonGroup) [data-testid=stWidgetLabel]{margin:0;flex:0 1 auto}
.st-key-prefill-head .stButtonGroup>:last-child{flex:none}
[class*="st-key-prefill-measure-"] .stHorizontalBlock:has(>:nth-child(2):last-child){flex-wrap:nowrap}
.st-key-prefill-head .stSelectbox>:last-child{flex:1}
}
[class*="st-key-prefill-measure-"]{min-height:3.75rem;justify-content:center}
[class*="st-key-table-prefill"] table{width:max-content;min-width:100%}
[class*="st-key-table-prefill"] :is(td,th):not(:first-child){white-space:nowrap}
[class*="st-key-table-prefill"] :is(td,th):first-child{min-width:8rem;max-width:20rem;word-break:keep-all}
[class*="st-key-table-prefill"]{background:
linear-gradient(to left,light-dark(#FFFFFF,#12161C) 1rem,#0000) right/2rem 100% no-repeat local,
linear-gradient(to left,light-dark(#0004,#FFF5),#0000) right/.75rem 100% no-repeat scroll}
[data-testid=stLayoutWrapper]:has(>[class*="st-key-traffic-panel-"]){display:none}
.stApp [data-testid=stLayoutWrapper]:has(>.st-key-traffic-panel-other):has(.stFileUploader [role=alert]){
display:flex}
.st-key-traffic_panel button::after{content:"▾" / "";margin-inline-start:.4rem;font-size:1.2em}
.st-key-traffic_panel button[aria-checked="true"]::after{content:"▴" / ""}
:is(.st-key-traffic-loud,[class*="st-key-prefill-other-"]) .stAlertContainer{padding:.3rem .75rem}
.st-key-traffic-verdict [data-testid=stMetricValue]{font-size:1.5rem;line-height:2.25rem;padding-block:.4rem}
[class*="st-key-told-"]{border-left:4px solid currentColor;padding-left:1rem}
@media (max-width:640px){
.stPlotlyChart .modebar-container{display:none}
[class*="st-key-table-prefill"] :is(td,th){padding:.4rem .5rem}
[class*="st-key-table-prefill"] :is(td,th):first-child{min-width:6.5rem;max-width:9rem}
.st-key-prefill-head>*>.stHorizontalBlock{gap:.5rem}
.st-key-prefill-head .stColumn{min-width:0;width:auto}
.st-key-prefill-head>*>.stHorizontalBlock>.stColumn:nth-child(1){flex:1 1 9rem}
.st-key-prefill-head>*>.stHorizontalBlock>.stColumn:nth-child(2){order:3;flex:1 1 100%}
.st-key-prefill-head>*>.stHorizontalBlock>.stColumn:nth-child(3){flex:0 1 auto}
.st-key-prefill-head .stColumn .stColumn:first-child{flex:0 0 auto}
.st-key-prefill-head .stColumn .stColumn:last-child{flex:1 1 8rem}
.st-key-road a{min-height:2.75rem}
[class*="st-key-reading-"] .stHorizontalBlock:has(>.stColumn [class*="st-key-picture-"]){gap:1rem}
.stColumn:first-child:has(+.stColumn [class*="st-key-picture-"]),
.stColumn:first-child:has(+.stColumn [class*="st-key-picture-"])>.stVerticalBlock{display:contents}
.stColumn:first-child:has(+.stColumn [class*="st-key-picture-"])>.stVerticalBlock>*{order:2}
.stColumn:first-child:has(+.stColumn [class*="st-key-picture-"])>.stVerticalBlock>:first-child{order:0}
.stColumn:has([class*="st-key-picture-"]){order:1}
.stColumn:has([class*="st-key-picture-"])>div{position:static;max-height:none;overflow:visible;padding-inline:0}
}
@media (max-width:699px){
:is(.st-key-traffic-row,.st-key-traffic-views,.st-key-traffic-finding) button{min-height:2.75rem}
.stMain :is(.stNumberInput,.stButtonGroup,.stExpander summary,.stDownloadButton,.stButton) button,
.stMain .stExpander summary{min-height:2.75rem}
.stMain .stNumberInput button{min-width:2.75rem}
.stMain [data-testid=stNumberInputContainer]{min-height:2.75rem}
.stMain [data-testid=stFullScreenFrame]:has(>.stDataFrame){padding-top:2.75rem}
.stApp:has(.st-key-stage-whole) .stMainBlockContainer{padding:2.25rem 0 0}
.stApp:has(.st-key-stage-whole) .stAppHeader{height:3.25rem;min-height:3.25rem}
.stApp:has(.st-key-stage-whole) .st-key-toolbar{position:fixed;top:.4rem;left:6.5rem;right:.5rem;width:auto;
z-index:1000000;flex-wrap:nowrap}
.st-key-toolbar>*{min-width:0}
.st-key-toolbar :is(button,[data-baseweb=select]>div){min-height:2.75rem}
.st-key-toolbar [data-baseweb=select]{font-size:1rem}
[data-testid=stExpandSidebarButton]{width:auto!important;min-height:44px;padding-inline:.5rem!important}
[data-testid=stExpandSidebarButton]>*{display:none}
[data-testid=stExpandSidebarButton]::before{content:"\\2630\\00a0" var(--broth-menu);
font-size:1rem;white-space:nowrap}
.stApp:has(.st-key-stage-whole) .st-key-toolbar .stSelectbox{min-width:0;width:100%}
.stApp:has(.st-key-stage-whole) .st-key-toolbar .st-key-widget_lang{display:none}
.st-key-stage-frame{max-width:none;margin-inline:-1.5rem;width:calc(100% + 3rem)}
}
"""
"""Rules for every page."""


def head_style() -> str:
    """For the head: it is there before anything is drawn that it would move. Nested in ``body`` it counts for
    more than Streamlit's own rules, which come later."""
    muted = f"{PALETTE['light']['muted']},{PALETTE['dark']['muted']}"  # Streamlit's falls short of 4.5
    root = f":root{{--broth-muted:light-dark({muted})}}"
    return f"<style>{root}body{{{_STYLE}}}@keyframes broth-trying{{to{{opacity:1}}}}</style>"


def toolbar(*parts: Callable[[], None]) -> None:
    """Draw the page's own tools, then the language switch, in the navigation bar; below it, once, what of an
    opened link could not be used."""
    if (wait_s := PRESSURE.wait_s()) >= BUSY_S:
        st.toast(say("server.busy", seconds=digits(wait_s)))
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="toolbar", gap="small"
    ):
        for part in parts:
            part()
        _language_switch()
        speak()
    if names := [say(name) for name in LOST.tell() or ()]:
        st.warning(say("page.link_lost", names=", ".join(names)))


def _language_switch() -> None:
    """Chinese, English or both."""

    def changed() -> None:
        choose_language(st.session_state["widget_lang"])

    st.session_state["widget_lang"] = lang_mode()
    st.segmented_control(
        say("lang.label"),
        MODES,
        format_func=NAMES.__getitem__,
        key="widget_lang",
        on_change=changed,
        label_visibility="collapsed",
    )
