// Under the bench: slots, what looking back costs, the words so far; and at the end the path.

const ACT_SIGNS = { reserved: "…", computed: "+", hit: "✓", kept: "○" };

function addSlots({ L, beat, t1, data }, sheet) {
  beat.slots.forEach(({ id, state, tag, fill }, at) => {
    const cells = Array.from({ length: data.size }, (_, j) => ["i", j < fill ? "full" : state === "reserved" ? "soon" : ""]);
    const name = state === "empty" && L.mode === "wide" ? "" : t1("act.slot." + state);
    const top = [["b", "", `#${id} ${ACT_SIGNS[state] ?? ""}`], ...(L.mode === "wide" ? [["span", "", name]] : [])];
    sheet.add("slot" + id, L.slot(at), "slot " + state, [["div", "top", ...top], ...(L.mode === "phone" ? [["div", "word", name]] : []), ["div", "on", tag ? ["code", "", tag] : ""], ["div", "fill", ...cells]]);
  });
}

/** Row i has i cells: token i looks back at i tokens, itself included. A reused one looks no more. */
function addLooks({ L, beat, t }, sheet, box) {
  const second = beat.reqs[1].tokens.some(Boolean), { tokens } = beat.reqs[second ? 1 : 0], { looks, saved } = beat.args;
  const rows = tokens.map((state, at) => ["div", "row", ...Array.from({ length: at + 1 }, () => ["i", state])]);
  const words = box === L.looksFirst ? t("act.looks", { looks }) : second ? t("act.looks.saved", { saved, looks }) : t("act.looks.short", { looks });
  sheet.add("looks", box, "looks", [["div", "triangle", ...rows], ["span", "", words]]);
}

/** Words that have been named, the newest marked. */
function addWords({ L, data, i, t, t1 }, sheet) {
  const named = data.beats.slice(0, i + 1).flatMap(({ words }, at) => words.map((word) => [word, at === i]));
  const kids = named.map(([word, fresh]) => ["span", fresh ? "chip fresh" : "chip", t1("act.word." + word)]);
  sheet.add("words", L.words, "words", named.length ? [["span", "quiet", t("act.words")], ...kids] : [["span", "quiet", t("act.expect")]]);
}

function addDots({ L, data, i, t1 }, sheet) {
  const dots = data.beats.map(({ ask }, at) => (ask ? ["b", at <= i ? "past" : "", "?"] : ["i", at <= i ? "past" : ""]));
  sheet.add("dots", L.dots, "dots", [["span", "sr", t1("act.progress", { n: i + 1, all: data.beats.length })], ...dots]);
}

/** Four groups, the first one to begin with: titles and questions, no results. */
function addPath(act, sheet) {
  const { L, data, t1, lead } = act, narrow = L.mode === "phone", each = narrow ? 64 : 54;
  data.path.forEach((group, at) => {
    const [x, y, w, h] = L.path(at), top = narrow ? 60 : 50;
    sheet.add("path" + at, [x, y, w, h], "path" + (at ? "" : " first"), [["h3", "", t1("path." + group.id), ...(at ? [] : [["small", "", t1("act.begin") + " ↓"]])], ["p", "", t1(`path.${group.id}.what`)]]);
    group.runs.forEach((run, k) => sheet.add(`run${at}.${k}`, [x + 10, y + top + k * each, w - 20, each - 1], "run" + (at || k ? "" : " first"), [["b", "", run.said[lead][0]], ["span", "", run.said[lead][1]]], { href: run.href, act: "take:" + run.s }));
  });
}

export function addBelow(act, sheet) {
  const { L, beat, last, t } = act, held = beat.slots.some(({ state }) => state !== "empty");
  if (last) return addPath(act, sheet);
  if (held) addSlots(act, sheet);
  if (beat.name === "cut") addLooks(act, sheet, L.looksFirst);
  else if (held && L.looks && beat.reqs[0].answer) addLooks(act, sheet, L.looks);
  if (L.words) addWords(act, sheet);
  if (L.dots) addDots(act, sheet);
  if (L.alone) sheet.add("alone", L.alone, "btn link", [t("act.alone") + " ↓"], { act: "alone" });
}
