// A name that can be pressed to read what it means. The rail answers, for all of its Explorer: see rail/explain.js.

import { make, setText } from "./dom.js";

// `names` are entries of the guide, the first of them in full; `attributes` are more of the button. A file that is a
// page of its own has nobody who answers, so there it is the plain text.
export function makeTerm(text, names, attributes = {}) {
  if (isAlone()) return document.createTextNode(text);
  const { class: more = "", ...others } = attributes;
  const marks = { type: "button", class: `pk-term ${more}`.trim(), "aria-haspopup": "dialog", "aria-expanded": "false" };
  return make("button", { ...marks, "data-explains": names.join(" "), ...others }, text);
}

// Writes a heading that is such a name, or only a text where there is nothing to read; the button stays the same.
export function writeTerm(node, text, names = []) {
  if (!names.length || isAlone()) return setText(node, text);
  if (!node.firstElementChild) node.replaceChildren(makeTerm("", names));
  const term = node.firstElementChild;
  setText(term, text);
  term.dataset.explains = names.join(" ");
}

function isAlone() {
  return Boolean(document.querySelector(".pk-alone"));
}
