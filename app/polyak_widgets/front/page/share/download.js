// Files: bytes that come in a message, or that the page made itself, become a download.

import { make } from "../../ground/dom.js";

export async function saveMessage({ name, type, gzip }, [bytes]) {
  const blob = new Blob([bytes], { type });
  if (!gzip) return saveBlob(name, blob);
  const plain = await new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  saveBlob(name, new Blob([plain], { type }));
}

export function saveBlob(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may still be reading
}
