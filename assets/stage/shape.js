// The one object that the stage's modules hand round. Words only: no module imports this one, no browser loads it.

/** A node that is drawn: an element, with what it keeps of its place (draw/dom.js) and of its parts.
 * @typedef {HTMLElement} Node
 */

/** One run: what Python sent (meta, init, events, the token texts of each request), and the state after each event.
 * @typedef {{ log: object, frames: object[] }} Run
 */

/** One mounted stage, made by stage.js. Who needs a few of its fields takes those. Step k shows the state after k events.
 * @typedef {{
 *   // Furniture (draw/build.js). `floor` is measured in stage units and scaled as a whole; `fly` is where copies fly.
 *   host: ShadowRoot, root: Node, floor: Node, head: Node, track: Node, controls: Node, menus: Record<string, Node>, drawers: Node,
 *   ring: Node, lines: SVGElement, fly: Node, tip: Node, live: Node, blank: Node,
 *   zones: Record<string, Node>, extra: Record<string, Node>, // by letter; those of a second run when first needed
 *   phone: ?Node, // the furniture of a narrow root, with its parts (phone/phone.js)
 *   mode: string, plan: object, scale: number, // wide, large, fork or phone; its zones' places (draw/layout.js); pixels a unit
 *   // The page: Streamlit's component, the payload, one that came later and is still packed, what takes our traces away.
 *   api: object, data: object, newest: ?object, hidden: Set<string>, undo: Function[], dressed: boolean,
 *   theme: string, colours: Record<string, string>, reduced: boolean, // reduced: no motion wanted
 *   // The run; events[k - 1] leads to step k. Requests in order of arrival; what stays when only the language changes.
 *   run: Run, events: object[], order: string[], story: string,
 *   runB: ?Run, aligned: ?Int32Array, diffs: number[], // what-if: for each step of A one of B; where their totals part
 *   // What the viewer chose. level: micro, block or request; lang: zh, en or both.
 *   k: number, level: string, speed: number, lang: string, themeChoice: ?string, bookmarks: Set<number>,
 *   flags: Record<string, boolean>, open: Map<string, Node>, // ask, noodle, code, btable, presenter, blank; drawers, newest last
 *   focus: ?string, pin: ?string, // the request to keep in the lane; the link key of the pinned thing
 *   edit: ?object, // the token changed in the hash machine, at this step only: { rid, token, variant, k }
 *   menu: ?string, tickStamp: string, // the open menu; for which step the ticks were drawn
 *   // Questions: the one that stands open before events[k]; answers and raised hands (a list for each round) by event; the verdict that stands; being revealed?
 *   ask: ?object, asks: Map<number, object>, votes: Map<number, number[][]>, feedback: ?object, revealing: boolean,
 *   bet: ?object, betNode: Node, betTimer: number, // how much will be reused: { n, unit }; its bar; runs while Python has not heard of it
 *   seen: number, // the furthest step that was shown
 *   nudged: ?number, // the step at which Next was pressed over the open question
 *   card: Node, cardClosed: ?number, // the card at the end of a run; the step at which it was put away
 *   // Step k (play/scene.js): state, event, the request in the lane, whether it has just come there, its longest block table; drawn nodes by number or tag.
 *   frame: object, event: ?object, rid: ?string, turned: boolean, peak: Array, slots: Map<number, Node>, cards: Map<number, Node>,
 *   blocks: Map<number, object>, drows: Map<number, Node>, rowByTag: Map<string, Node>,
 *   spotNode: ?Node, litKeys: string[], mouseRests: boolean, // in the ring; lit link keys; not moved since the last step
 *   // Time that runs: motions under way; it plays, goes on after an answer.
 *   motions: Animation[], playing: boolean, goesOn: boolean, endReplay: ?Function,
 *   playTimer: number, addressTimer: number, liveTimer: number,
 *   // Words: in the language shown or in both; in one; in both, one under the other; in that one; an event in a line.
 *   t: (key, args) => string, t1: (key, args) => string, tLines: (key) => string, tIn: (lang, key, args) => string,
 *   caption: (event, lang) => string, worded: (key) => string, // worded: the key whose words suit this screen
 *   // Calls: draw all anew; go to a step; lights out at a new step; lights follow the pin; the play button, the dot for keys follow.
 *   refresh: () => void, seek: (k) => void, onStep: () => void, afterPin: () => void, onPlay: () => void, tellHearing: () => void,
 * }} Stage
 */
