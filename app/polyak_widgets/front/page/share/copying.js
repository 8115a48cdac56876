// Puts text on the clipboard. Pages over plain http have no clipboard interface, so there are two more ways: the old
// command, and a field with the text selected.

import { freshId, make } from "../../ground/dom.js";
import { TEXTS } from "../../ground/texts.js";

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOldWay(text);
  }
}

function copyOldWay(text) {
  const before = document.activeElement;
  const field = make("textarea", { class: "pk-hidden", readonly: true, "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand?.("copy") ?? false;
  field.remove();
  before?.focus({ preventScroll: true });
  return done;
}

export function makeCopyField() {
  const id = freshId("copy");
  const field = make("textarea", { id, class: "pk-text pk-copy-text", readonly: true, rows: 3, spellcheck: "false" });
  const close = make("button", { type: "button", class: "pk-switch" }, TEXTS.copying.close);
  const label = make("label", { for: id }, TEXTS.copying.byHand);
  const node = make("div", { class: "pk-copy", hidden: true }, label, field, close);
  close.addEventListener("click", () => (node.hidden = true));
  return {
    node,
    show(text) {
      node.hidden = false;
      field.value = text;
      field.focus();
      field.select();
    },
  };
}
