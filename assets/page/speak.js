// What Streamlit says in English and in no other language, said in the visitor's; and which language the page is in.

/** `trying` is shown while the server does not answer, `drawing` where a chart is still to come, `menu` on a narrow screen where the list of pages opens (the sheet of the page says where). `said`: pairs of a pattern and our words for it; looked for only inside of `where`, a selector. */
export function speak(page, { lang, where, said, trying, drawing, menu }) {
  page.documentElement.lang = lang;
  for (const [name, words] of Object.entries({ trying, drawing, menu })) page.documentElement.style.setProperty("--broth-" + name, JSON.stringify(words));
  const known = said.map(([pattern, words]) => [new RegExp(pattern), words]);
  const put = (text) => {
    const found = text.parentElement?.closest(where) && known.find(([pattern]) => pattern.test(text.data.trim()));
    if (found && text.data !== found[1]) text.data = found[1];
  };
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) put(node);
    else node.childNodes.forEach(walk);
  };
  page.brothSpeaks?.disconnect(); // this text runs anew on every page, the observer of the one before still looks
  page.brothSpeaks = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) type === "characterData" ? put(target) : addedNodes.forEach(walk);
  });
  page.brothSpeaks.observe(page.body, { childList: true, characterData: true, subtree: true });
}
