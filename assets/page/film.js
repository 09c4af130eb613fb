// A film of a run as a video: its pictures are painted on a canvas at their pace while the browser records them. Slides play a video where they show an animated SVG as one picture.

/** What slides play comes first. */
const FORMATS = [["video/mp4;codecs=avc1.640028", "mp4"], ["video/webm;codecs=vp9", "webm"], ["video/webm;codecs=vp8", "webm"], ["video/webm", "webm"]];
const WIDTH = 1920, BITS_A_SECOND = 4_000_000;
const REPAINT_MS = 100; // a canvas that nobody paints gives the recorder nothing

/** [type, suffix] of the first format that this browser records; nothing where it records none. */
export function formatOf({ MediaRecorder: Recorder, HTMLCanvasElement: Canvas }) {
  return Recorder && Canvas?.prototype.captureStream ? FORMATS.find(([type]) => Recorder.isTypeSupported(type)) : undefined;
}

/** Is a group with these spans, each [from, before], seen in a picture? */
export const isSeen = (spans, picture) => spans.some(([from, before]) => from <= picture && picture < before);

/** One picture of a film as SVG text. `spans`: of each group of the film, by the number in its class. */
function pictureOf(film, spans, picture) {
  const copy = film.cloneNode(true);
  for (const motion of copy.querySelectorAll("style, set")) motion.remove();
  for (const group of copy.querySelectorAll("g[class]")) {
    if (isSeen(spans[Number(group.getAttribute("class").slice(1))], picture)) group.removeAttribute("visibility");
    else group.remove();
  }
  return new XMLSerializer().serializeToString(copy);
}

async function imageOf(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })), image = new Image();
  image.src = url;
  await image.decode();
  URL.revokeObjectURL(url);
  return image;
}

/** A recorded WebM does not say how long it is, and players cannot move in it: the length, in ms, goes into its Info. Other files stay as they are. */
export function withLength(bytes, ms) {
  const at = bytes.findIndex((byte, place) => byte === 0x15 && bytes[place + 1] === 0x49 && bytes[place + 2] === 0xa9 && bytes[place + 3] === 0x66);
  if (at < 0 || bytes[0] !== 0x1a) return bytes;
  const width = Math.clz32(bytes[at + 4]) - 23, start = at + 4 + width;
  let size = bytes[at + 4] & (0xff >> width);
  for (const byte of bytes.subarray(at + 5, start)) size = size * 256 + byte;
  const info = bytes.subarray(start, start + size);
  if (info.some((byte, place) => byte === 0x44 && info[place + 1] === 0x89 && info[place + 2] === 0x88)) return bytes;
  const fresh = new DataView(new ArrayBuffer(15));
  fresh.setUint32(0, 0x10000000 + size + 11); // the new size, in four bytes
  [0x44, 0x89, 0x88].forEach((byte, place) => fresh.setUint8(4 + place, byte));
  fresh.setFloat64(7, ms);
  const parts = [bytes.subarray(0, at + 4), new Uint8Array(fresh.buffer), info, bytes.subarray(start + size)];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) place = whole.set(part, place) ?? place + part.length;
  return whole;
}

const later = (ms) => new Promise((done) => setTimeout(done, ms));

/** Paints the pictures one after the other, each as long as the film says; `goesOn` is asked every tenth of a second. */
async function play({ text, spans, pace, hold, count }, canvas, begin, goesOn) {
  const film = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const ground = canvas.getContext("2d");
  canvas.width = WIDTH;
  canvas.height = 2 * Math.round((WIDTH * film.getAttribute("height")) / film.getAttribute("width") / 2);
  let image = await imageOf(pictureOf(film, spans, 0));
  const paint = () => ground.drawImage(image, 0, 0, canvas.width, canvas.height);
  paint();
  const start = begin();
  for (let picture = 0; picture < count; picture += 1) {
    const until = start + 1e3 * (pace * (picture + 1) + (picture + 1 < count ? 0 : hold));
    const next = picture + 1 < count ? imageOf(pictureOf(film, spans, picture + 1)) : image;
    do {
      if (!goesOn(picture)) return;
      paint();
      await later(Math.min(REPAINT_MS, Math.max(until - performance.now(), 0)));
    } while (performance.now() < until);
    image = await next;
  }
}

/** The film as [bytes, type, suffix], as long as it plays; cut where `goesOn(picture)` says no. */
export async function record(film, goesOn) {
  const [type, suffix] = formatOf(globalThis), canvas = document.createElement("canvas"), parts = [];
  canvas.getContext("2d"); // a stream needs a canvas that is painted on
  const recorder = new MediaRecorder(canvas.captureStream(1e3 / REPAINT_MS), { mimeType: type, videoBitsPerSecond: BITS_A_SECOND });
  const ended = new Promise((done, failed) => Object.assign(recorder, { onstop: done, onerror: failed, ondataavailable: ({ data }) => parts.push(data) }));
  let start = 0;
  await play(film, canvas, () => (recorder.start(1000), (start = performance.now())), goesOn);
  const ms = performance.now() - start;
  recorder.stop();
  await ended;
  for (const track of recorder.stream.getTracks()) track.stop();
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return [withLength(bytes, ms), type.split(";")[0], suffix];
}
