// What stands at the foot of paper and of files: what was run, what of it is not usual, where to see it live, and when.

import { make } from "../../ground/dom.js";
import { TEXTS } from "../../ground/texts.js";

// `share` is what a frame says of itself, `link` its address or "".
export function imprintOf({ words = "", unusual = "" } = {}, link = "") {
  return [words, unusual, [TEXTS.imprint.madeOn(today()), link].filter(Boolean).join(", ")].filter(Boolean);
}

// As 2026-02-28: the same for every reader.
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

// Its place at the end of the stage, seen on paper alone.
export function makeImprint() {
  const node = make("footer", { class: "pk-imprint" });
  return { node, write: (lines) => node.replaceChildren(...lines.map((line) => make("p", {}, line))) };
}
