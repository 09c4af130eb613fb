// Request inspector: every block of the request in the lane with its tokens, and why the look-up stopped where it did.
import { icon, make } from "../draw/dom.js";
import { captionOf, plainText } from "../words/narrate.js";
import { planned, requestMark } from "../draw/lane.js";
import { drawDiffering, drawVisible } from "../draw/tokens.js";
import { blockViews } from "../draw/view.js";

const MANY = 60;

/** A tag is known as soon as the tokens are; that nobody can find the block by it is worth a word. */
const tagNote = ({ frame, t }, req, { b, tag }) => (tag && !frame.table[req.hashes[b]] ? [make("span", "note", t("stage.inspect.known"))] : []);

function blockLine(stage, req, view, pieces) {
  const { run, t } = stage;
  const size = run.log.meta.block_size;
  const tokens = pieces.slice(view.b * size, view.b * size + view.size);
  const glyph = { hit: "check", new: "plus", reserved: "dots", miss: "times" }[view.state];
  const head = make("span", "ihead", [make("b", "", String(view.b)), make("code", "", view.tag || "–"), view.slot ? "#" + view.slot : "–", ...(glyph ? [icon(glyph)] : []), ...tagNote(stage, req, view)]);
  const line = make("div", "iblock", [head, make("span", "itoks", tokens.map((token) => drawVisible(make("span", "tok"), token)))]);
  line.dataset.state = view.state;
  line.title = t("stage.block." + view.state);
  return line;
}

/** Two rows of tokens, stored above mine; equal ones joined, the first different one marked. */
function diffBox({ t }, diff) {
  const row = (name, pieces, others) => make("div", "drowline", [make("span", "note", t(name)), ...pieces.map((piece, at) => {
    const token = drawDiffering(make("span", "tok"), piece, others[at] ?? "");
    token.dataset.same = piece === others[at] ? "1" : at === diff.first ? "first" : "0";
    return token;
  })]);
  return make("div", "diff", [row("stage.diff.stored", diff.stored, diff.mine), row("stage.diff.mine", diff.mine, diff.stored),
    make("p", "note", t("stage.diff.note", { n: diff.first, size: diff.mine.length }))]);
}

function missBox(stage, event) {
  const lines = captionOf(stage.data.text, stage.lang, event).flatMap(({ what, why }) => [make("p", "", plainText(what)), make("p", "note", plainText(why))]);
  if (event.args?.diff) lines.push(diffBox(stage, event.args.diff));
  return make("div", "missbox", [make("h4", "", stage.t("stage.inspect.why")), ...lines]);
}

export function drawInspector(stage, body) {
  const { rid, frame, run, events, k, peak, order, t } = stage, req = frame.reqs[rid];
  if (!req) return body.replaceChildren(make("p", "note", t("stage.inspect.none")));
  const pieces = run.log.pieces[rid] ?? [], views = blockViews(req, run.log.meta.block_size, peak, frame.slots);
  const facts = [t("stage.status." + req.status), t("stage.tokens", { n: req.num_tokens }), ...planned(t, req)];
  const title = make("p", "ititle", [requestMark(order, rid), " ", facts.join(" · ")]);
  const extra = [["salt", req.salt], ["version", req.version]].filter(([, value]) => value);
  const tags = extra.map(([name, value]) => make("p", "note", t("stage.inspect." + name, { value })));
  const miss = events.slice(0, k).reverse().find((event) => event.rid === rid && event.op === "miss");
  const rest = views.length > MANY ? [make("p", "note", "… +" + (views.length - MANY))] : [];
  const scroll = body.scrollTop;
  body.replaceChildren(title, ...tags, ...(miss ? [missBox(stage, miss)] : []), make("h4", "", t("stage.inspect.blocks")),
    ...views.slice(0, MANY).map((view) => blockLine(stage, req, view, pieces)), ...rest);
  body.scrollTop = scroll;
}
