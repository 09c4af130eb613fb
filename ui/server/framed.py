"""Whether an upload can get through: inside another website a browser keeps Streamlit's cookie back.

Streamlit takes a file only with a token that stands in a cookie and in a header (XSRF protection). The cookie
is set with the first answers, before the page's own connection is opened, so that connection carries it, or
no upload will. It is missing where another site frames the page (cookies are `SameSite=Lax`) and where a
browser keeps no cookies; Streamlit then answers every upload with 403. docs/embedding.md says what helps.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.web.server.server_util import is_xsrf_enabled

XSRF_COOKIE = "_streamlit_xsrf"


def uploads_refused() -> bool:
    """Whether this visitor's uploads end in 403."""
    return lacks_cookie(st.context.headers, st.context.cookies) and is_xsrf_enabled()


def lacks_cookie(headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
    """Whether a browser opened the connection without the cookie. A visitor without a browser is no case."""
    from_browser = "origin" in {name.lower() for name in headers}
    return from_browser and XSRF_COOKIE not in cookies
