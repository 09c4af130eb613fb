// One visit of a page is one entry of the browser's history, so that one press of Back leaves it; and a server that is new to a page hears of it.

/** Streamlit writes the query as a new entry each time it changes, right behind the entry of the page itself. A new query of the same page takes the old one's place instead. And a new page begins at its top, which Streamlit does not always see to; where the menu lies over the page, it closes. */
export function onePageOneEntry({ document, history, location, innerWidth }) {
  const push = history.pushState;
  history.pushState = function (state, unused, url) {
    const same = url !== undefined && url !== null && new URL(url, location.href).pathname === location.pathname;
    (same ? history.replaceState : push).call(history, state, unused, url);
    if (same) return;
    document?.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
    if (innerWidth < 768) document?.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  };
}

/** Behind a gap in the connection there may be a server that does not know this page: its first click would only introduce it, and be lost. So the page introduces itself, in the one way that Streamlit leaves to it: as if Back had led here. */
export function askAgainAfterGap(page) {
  const { document, history, location } = page, app = document.querySelector('[data-testid="stApp"]');
  page.brothGap?.disconnect(); // this text runs anew on every page
  let gap = false;
  page.brothGap = new MutationObserver(() => {
    const connected = app.dataset.testConnectionState === "CONNECTED";
    if (connected && gap) {
      const whole = location.href, { state } = history;
      history.replaceState(state, "", location.pathname + location.search); // with a part behind # it would be no other place
      page.dispatchEvent(new PopStateEvent("popstate", { state }));
      history.replaceState(state, "", whole);
    }
    gap = !connected;
  });
  if (app) page.brothGap.observe(app, { attributeFilter: ["data-test-connection-state"] });
}
