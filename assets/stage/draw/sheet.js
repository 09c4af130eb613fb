// The style sheet of a component: until it is there nothing is shown naked.
import { make } from "./dom.js";

/** `css`: the sheet's text, where there is no address to fetch it from; else it stands beside the module `entry`. `dressed` is called once it holds. */
export function wearSheet({ host, root, undo }, css, name, entry, dressed) {
  root.style.visibility = "hidden";
  if (css) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    host.adoptedStyleSheets = [...host.adoptedStyleSheets, sheet];
    undo.push(() => (host.adoptedStyleSheets = host.adoptedStyleSheets.filter((one) => one !== sheet)));
    return dressed();
  }
  const here = new URL(entry), link = make("link");
  link.rel = "stylesheet";
  link.href = new URL(name + here.search, here).href;
  link.onload = link.onerror = dressed;
  host.prepend(link);
  undo.push(() => link.remove());
}
