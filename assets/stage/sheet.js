// The style sheet of a component: it stands beside this module, and until it is there nothing is shown naked.
import { make } from "./dom.js";

/** `css`: the sheet's text, where there is no address to fetch it from. `dressed` is called once it holds. */
export function wearSheet(S, name, css, dressed) {
  S.root.style.visibility = "hidden";
  if (css) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    S.host.adoptedStyleSheets = [...S.host.adoptedStyleSheets, sheet];
    S.undo.push(() => (S.host.adoptedStyleSheets = S.host.adoptedStyleSheets.filter((one) => one !== sheet)));
    S.dressed = true;
    return;
  }
  const here = new URL(import.meta.url), link = make("link");
  link.rel = "stylesheet";
  link.href = new URL(name + here.search, here).href;
  link.onload = link.onerror = () => ((S.dressed = true), dressed());
  S.host.prepend(link);
  S.undo.push(() => link.remove());
}
