// The page sends UTF-8 JSON as bytes. A large log in it is {z: base64 of zlib-deflated JSON}: a tenth of the bytes.

/** What a component was given: bytes from the page, with the words the loader brought; or a plain value, whole, where there is no server. */
export const readData = ({ data, text }) => (data instanceof Uint8Array ? { ...JSON.parse(new TextDecoder().decode(data)), text } : data);

export const isPacked = (log) => typeof log?.z === "string";

export async function unpackLog(log) {
  if (!isPacked(log)) return log;
  const bytes = Uint8Array.from(atob(log.z), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** The payload with both logs whole. */
export async function unpackData(data) {
  const [a, b] = await Promise.all([unpackLog(data.a), unpackLog(data.b)]);
  return { ...data, a, b };
}
