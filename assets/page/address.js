// One visit of a page is one entry of the browser's history, so that one press of Back leaves it.

/** Streamlit writes the query as a new entry each time it changes, right behind the entry of the page itself. A new query of the same page takes the old one's place instead. */
export function onePageOneEntry({ history, location }) {
  const push = (history.brothPush ??= history.pushState); // this text runs anew on every page
  history.pushState = function (state, unused, url) {
    const same = url !== undefined && url !== null && new URL(url, location.href).pathname === location.pathname;
    return (same ? history.replaceState : push).call(history, state, unused, url);
  };
}
