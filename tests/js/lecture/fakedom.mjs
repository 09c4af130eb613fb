// As much of a document as the lecture's drawing asks for, and a way to read back everything that is in it.

class Node {
  constructor(tag) {
    Object.assign(this, { tagName: tag.toUpperCase(), kids: [], attrs: {}, styles: {}, parent: null, text: null, className: "", listeners: [], scrollHeight: 0, clientHeight: 0, scrollWidth: 0, clientWidth: 0 });
    this.dataset = new Proxy({}, { set: (_, name, value) => ((this.attrs["data-" + name] = String(value)), true), get: (_, name) => this.attrs["data-" + name] });
    this.style = new Proxy({ setProperty: (name, value) => (this.styles[name] = value) }, { set: (_, name, value) => ((this.styles[name] = value), true), get: (own, name) => own[name] ?? this.styles[name] });
    const classes = () => this.className.split(" ").filter(Boolean);
    this.classList = { add: (...names) => (this.className = [...new Set([...classes(), ...names])].join(" ")), remove: (...names) => (this.className = classes().filter((name) => !names.includes(name)).join(" ")),
      contains: (name) => classes().includes(name), toggle: (name, on = !classes().includes(name)) => this.classList[on ? "add" : "remove"](name) };
  }
  get children() { return this.kids.filter((kid) => kid.text === null); }
  get firstChild() { return this.kids[0] ?? null; }
  get lastChild() { return this.kids.at(-1) ?? null; }
  get textContent() { return this.text ?? this.kids.map((kid) => kid.textContent).join(""); }
  set textContent(text) { this.replaceChildren(String(text)); }
  put(at, nodes) { this.kids.splice(at, 0, ...nodes.map((one) => (one instanceof Node ? (one.remove(), Object.assign(one, { parent: this })) : Object.assign(new Node("#text"), { text: String(one), parent: this })))); }
  append(...nodes) { this.put(this.kids.length, nodes); }
  prepend(...nodes) { this.put(0, nodes); }
  after(...nodes) { this.parent.put(this.parent.kids.indexOf(this) + 1, nodes); }
  replaceChildren(...nodes) { (this.kids = []), this.append(...nodes); }
  remove() { if (this.parent) this.parent.kids = this.parent.kids.filter((kid) => kid !== this); this.parent = null; }
  setAttribute(name, value) { if (name === "class") this.className = value; else this.attrs[name] = String(value); }
  getAttribute(name) { return this.attrs[name] ?? null; }
  removeAttribute(name) { delete this.attrs[name]; }
  toggleAttribute(name, on) { if (on) this.attrs[name] = ""; else delete this.attrs[name]; }
  addEventListener(...what) { this.listeners.push(what); }
  all() { return this.kids.flatMap((kid) => [kid, ...kid.all()]); }
  querySelectorAll(selector) { return this.all().filter((node) => node.classList.contains(selector.slice(1))); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
}

/** Everything of a node that somebody could find in a page: tag, classes, attributes, style, place, text. */
export function written(node) {
  if (node.text !== null) return node.text;
  const { className, attrs, styles } = node, own = ["stageX", "stageY", "stageW", "stageH", "href", "src", "title"].filter((name) => node[name] !== undefined).map((name) => `${name}=${node[name]}`);
  return `<${node.tagName} ${JSON.stringify({ className, attrs, styles, own })}>${node.kids.map(written).join("|")}</>`;
}

export function installDocument() {
  globalThis.document = { createElement: (tag) => (tag === "canvas" ? { getContext: () => null } : new Node(tag)), createElementNS: (_, tag) => new Node(tag), createTextNode: (text) => Object.assign(new Node("#text"), { text: String(text) }), baseURI: "http://localhost/" };
}
