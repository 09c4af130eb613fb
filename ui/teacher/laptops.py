"""Thirty laptops on one server: which line starts it, which address to give, as a link and as a QR code."""

from __future__ import annotations

import re
from io import BytesIO
from urllib.parse import urlsplit

import streamlit as st

from ui.frame.session import lang_mode, say
from ui.teacher.address import LOOPBACK, Address
from ui.teacher.rehearsal import BUSY, ENOUGH_S, Rehearsal
from ui.teacher.rehearsal import last as last_rehearsal
from ui.teacher.stops import text
from ui.words.i18n import languages

HOST, OPENS = "teacher-host", "teacher-opens"
KEPT = (HOST, OPENS)
PORT = 8501
REHEARSE = "python3 run.py rehearse --visitors 40"
COMMANDS = (
    "python3 run.py --class",
    "streamlit run app.py --server.address 0.0.0.0 --server.headless true",
)
MAX_QR = 300
"""Characters up to which a code on a projector can be read from the back row."""

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL}){{0,10}}|\[[0-9A-Fa-f:]{{2,45}}\])(?::\d{{1,5}})?")


def class_panel(from_form: Address) -> None:
    """Start, address, code, and how many fit. ``from_form``: what the link form of the page makes."""
    with st.container(border=True):
        _tell("class_start")
        st.code(COMMANDS[0], language=None)
        _tell("class_line2")
        st.code(COMMANDS[1], language=None)
        _tell("class_fire", port=urlsplit(own_url()).port or PORT)
    with st.container(border=True):
        _address(from_form)
    with st.container(border=True):
        _how_many(last_rehearsal())
    _tell("class_reload")


def _tell(name: str, **args: object) -> None:
    for one in languages(lang_mode()):
        st.markdown(text(name, one, **args))


def _how_many(found: Rehearsal | None) -> None:
    """What this machine's last rehearsal says, or that there was none; and how to make one."""
    if found is None:
        _tell("class_hold_none")
    else:
        _tell("class_hold", carries=found.carries, day=found.day)
        _tell(
            "class_hold_seen",
            visitors=found.visitors,
            minutes=f"{found.minutes:g}",
            think=f"{found.think_s:g}",
            answers=found.num_answers,
            p50=f"{found.p50_s:.2f}",
            p95=f"{found.p95_s:.2f}",
            limit=f"{ENOUGH_S:g}",
        )
        if found.cpu_s is not None and found.mib is not None:
            cost = {"cpu": f"{found.cpu_s:.3f}", "each": f"{found.mib:.1f}", "busy": f"{BUSY * 100:.0f}"}
            _tell("class_hold_cost", **cost)
        else:
            _tell("class_hold_tried")
    _tell("class_rehearse")
    st.code(REHEARSE, language=None)
    _tell("class_steps")


def _address(from_form: Address) -> None:
    local = urlsplit(own_url()).hostname in LOOPBACK
    words, code = st.columns([3, 2], gap="large")
    with words:
        if local:
            _tell("class_local", host=urlsplit(own_url()).netloc)
        typed = st.text_input(
            say("teacher.class.host"),
            key=HOST,
            placeholder="192.168.1.23",
            max_chars=120,
            help=say("teacher.class.host.help"),
        )
        choices = {name: say(f"teacher.class.opens.{name}") for name in ("start", "sheet", "form")}
        opens = st.selectbox(
            say("teacher.class.opens"), list(choices), format_func=choices.__getitem__, key=OPENS
        )
        if typed.strip() and read_host(typed) is None:
            st.error(say("teacher.class.host.wrong"))
        address = from_form if opens == "form" else Address(opens)
        link = server_base() + address.link(lang_mode()).removeprefix("./")
        st.caption(say("teacher.class.link"))
        st.code(link, language=None, wrap_lines=True)
    with code:
        if is_local():
            st.info(say("teacher.class.no_code"))
        else:
            _draw_code(link)


def _draw_code(link: str) -> None:
    drawn = qr_svg(link)
    if drawn is None:
        st.info(say("teacher.class.code.long"))
        return
    st.image(drawn, width=300, alt=say("teacher.class.code"))
    if len(link) > MAX_QR:
        st.caption(say("teacher.class.code.dense"))


def qr_svg(link: str) -> str | None:
    """The link as a QR code, black on white in every theme so that phones read it; None if it is too long."""
    import segno  # only who draws a code needs it

    try:
        code = segno.make_qr(link, error="m")
    except segno.DataOverflowError:
        return None
    drawn = BytesIO()
    code.save(drawn, kind="svg", scale=8, border=4, dark="#000", light="#fff", xmldecl=False)
    return drawn.getvalue().decode()


# -- addresses ----------------------------------------------------------------------------------------


def own_url() -> str:
    """The address by which this visitor reached the page."""
    return st.context.url or f"http://localhost:{PORT}/teacher"


def server_base() -> str:
    """Where others reach this server: the host that was typed, else the visitor's own way here; ends in /."""
    return base_of(own_url(), str(st.session_state.get(HOST) or ""))


def is_local() -> bool:
    """Whether links of this page work on this machine only: opened as localhost, no other address written."""
    return urlsplit(server_base()).hostname in LOOPBACK


def typed_host() -> str:
    """The host that was typed under "own laptops", or ""."""
    return read_host(str(st.session_state.get(HOST) or "")) or ""


def local_hint() -> None:
    """Says so under a link."""
    if is_local():
        st.caption(say("teacher.local"))


def base_of(url: str, typed: str = "") -> str:
    """The folder of our pages in ``url``, at the typed host if that is one."""
    parts = urlsplit(url)
    host = read_host(typed)
    netloc = parts.netloc
    if host is not None:
        has_port = re.search(r":\d+$", host) is not None
        netloc = host if has_port or parts.port is None else f"{host}:{parts.port}"
    return f"{parts.scheme}://{netloc}{parts.path.rpartition('/')[0]}/"


def read_host(typed: str) -> str | None:
    """Host name or IP, with a port or without, out of what people paste; None if there is none."""
    bare = re.sub(r"^https?://", "", typed.strip()).split("/")[0]
    return bare if len(bare) <= 120 and _HOST.fullmatch(bare) else None


def keep_widgets(keys: tuple[str, ...]) -> None:
    """Streamlit forgets a widget that is not drawn; touching its value keeps it."""
    for key in keys:
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]
