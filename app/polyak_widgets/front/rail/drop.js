// A file that is dropped on the page is taken; without this the browser would show the file instead of the page.

import { make } from "../ground/dom.js";
import { isServed } from "../ground/kept.js";
import { TEXTS } from "../ground/texts.js";

// Hands a file that is dropped anywhere on our page to `take`; in a notebook, on the Explorer of `node` alone.
export function watchDrops(node, take) {
  const zone = make("div", { class: "pk-root pk-drop", "aria-hidden": "true" }, make("span", {}, TEXTS.drop.invitation));
  const place = () => (isServed() ? document.body : node.closest(".polyak-explorer"));
  const over = new AbortController();
  const listen = (kind, react) => document.addEventListener(kind, react, { signal: over.signal });
  const holds = (event) => event.dataTransfer?.types.includes("Files") && place()?.contains(event.target);
  listen("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    if (!zone.isConnected) (node.closest(".polyak-explorer") ?? node).append(zone);
  });
  listen("dragleave", (event) => event.relatedTarget || zone.remove()); // out of the window
  listen("drop", (event) => {
    zone.remove();
    if (!holds(event)) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
  return () => {
    over.abort();
    zone.remove();
  };
}
