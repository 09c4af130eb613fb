// Request inspector: every block of the request in the lane with its tokens, and why the look-up stopped where it did.
import { icon, make } from "../draw/dom.js";
import { captionOf, plainText } from "../words/narrate.js";
import { planText, requestMark } from "../draw/lane.js";
import { blockViews } from "../draw/view.js";

const MANY = 60;

function blockLine(S, rid, view, pieces) {
  const size = S.run.log.meta.block_size;
  const tokens = pieces.slice(view.b * size, view.b * size + view.size);
  const glyph = { hit: "check", new: "plus", miss: "times" }[view.state];
  const head = make("span", "ihead", [make("b", "", String(view.b)), make("code", "", view.tag || "–"), view.slot ? "#" + view.slot : "–", ...(glyph ? [icon(glyph)] : [])]);
  const line = make("div", "iblock", [head, make("span", "itoks", tokens.map((token) => make("span", "tok", token.trim() || "·")))]);
  line.dataset.state = view.state;
  line.title = S.t("stage.block." + view.state);
  return line;
}

/** Two rows of tokens, stored above mine; equal ones joined, the first different one marked. */
function diffBox(S, diff) {
  const row = (name, pieces) => make("div", "drowline", [make("span", "note", S.t(name)), ...pieces.map((piece, at) => {
    const token = make("span", "tok", piece.trim() || "·");
    token.dataset.same = at < diff.first ? "1" : at === diff.first ? "first" : "0";
    return token;
  })]);
  return make("div", "diff", [row("stage.diff.stored", diff.stored), row("stage.diff.mine", diff.mine),
    make("p", "note", S.t("stage.diff.note", { n: diff.first, size: diff.mine.length }))]);
}

function missBox(S, event) {
  const lines = captionOf(S.data.text, S.lang, event).flatMap(({ what, why }) => [make("p", "", plainText(what)), make("p", "note", plainText(why))]);
  if (event.args?.diff) lines.push(diffBox(S, event.args.diff));
  return make("div", "missbox", [make("h4", "", S.t("stage.inspect.why")), ...lines]);
}

export function drawInspector(S, body) {
  const { rid, frame } = S, req = frame.reqs[rid];
  if (!req) return body.replaceChildren(make("p", "note", S.t("stage.inspect.none")));
  const pieces = S.run.log.pieces[rid] ?? [], views = blockViews(req, S.run.log.meta.block_size, S.peak);
  const facts = [S.t("stage.status." + req.status), S.t("stage.tokens", { n: req.num_tokens }), planText(S, req)];
  const title = make("p", "ititle", [requestMark(S, rid), " ", facts.join(" · ")]);
  const extra = [["salt", req.salt], ["version", req.version]].filter(([, value]) => value);
  const tags = extra.map(([name, value]) => make("p", "note", S.t("stage.inspect." + name, { value })));
  const miss = S.run.log.events.slice(0, S.k).reverse().find((event) => event.rid === rid && event.op === "miss");
  const rest = views.length > MANY ? [make("p", "note", "… +" + (views.length - MANY))] : [];
  const scroll = body.scrollTop;
  body.replaceChildren(title, ...tags, ...(miss ? [missBox(S, miss)] : []), make("h4", "", S.t("stage.inspect.blocks")),
    ...views.slice(0, MANY).map((view) => blockLine(S, rid, view, pieces)), ...rest);
  body.scrollTop = scroll;
}
