// Where a lecture is kept, and how its two windows speak: the tab's own storage and one broadcast channel, no server.
// The lecture tells {deck, state}; the notes tell {to: deck, deed, with}, or {hello} when they open.

const NAME = "broth-lecture.";

/** A reload keeps the lecture; a storage that is closed keeps nothing and breaks nothing. */
export function recallText(key) {
  try {
    return sessionStorage.getItem(NAME + key);
  } catch {
    return null;
  }
}

export function keepText(key, text) {
  try {
    sessionStorage.setItem(NAME + key, text);
  } catch { /* full or closed: the lecture goes on without */ }
}

/** `hear` is called with what the other windows of this script say. */
export function openWire(key, hear) {
  if (!("BroadcastChannel" in globalThis)) return { tell: () => {}, close: () => {} };
  const wire = new BroadcastChannel(NAME + key);
  wire.onmessage = ({ data }) => data && typeof data === "object" && hear(data);
  return { tell: (what) => wire.postMessage(what), close: () => wire.close() };
}
