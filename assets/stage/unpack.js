// A large log travels as {z: base64 of zlib-deflated JSON}: a tenth of the bytes. Small ones travel as they are.

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
