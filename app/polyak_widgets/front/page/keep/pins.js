// Pinned runs: for each its letter, what it is, which of its methods stay, how the present ones differ from it, and a button
// that removes it.

import { make } from "../../ground/dom.js";
import { tied } from "../../ground/format.js";
import { TEXTS } from "../../ground/texts.js";

// `leave` takes the focus where the last pin that had it is gone.
export function makePins(send, leave) {
  const node = make("ul", { class: "pk-pins", "aria-label": TEXTS.pins.pinnedRuns, hidden: true });
  let shownKey = "[]";
  return {
    node,
    show(pins = []) {
      const key = JSON.stringify(pins.map(({ id, name, what, words, only }) => [id, name, what, words, only]));
      if (key === shownKey) return;
      shownKey = key;
      const focused = [...node.children].findIndex((item) => item.contains(document.activeElement));
      const kind = document.activeElement?.localName;
      node.hidden = !pins.length;
      node.replaceChildren(...pins.map((pin) => makePin(pin, send)));
      if (focused < 0) return;
      const next = node.children[Math.min(focused, pins.length - 1)];
      if (next) (next.querySelector(kind) ?? next.querySelector("button")).focus();
      else leave();
    },
  };
}

function makePin({ id, name, what, words, methods = [], only = "" }, send) {
  const close = make("button", { type: "button", class: "pk-unpin", "aria-label": TEXTS.pins.removePin(name), title: TEXTS.pins.remove }, "\u00d7");
  close.addEventListener("click", () => send("unpin", { id }));
  const choice = methods.length > 1 ? [makeChoice(name, methods, only, (method) => send("narrow", { id, only: method }))] : [];
  return make("li", {}, make("b", {}, name), make("span", { class: "pk-what" }, tied(what)), ...choice, make("span", {}, tied(words)), close);
}

// All methods of a pin, or one alone.
function makeChoice(name, methods, only, choose) {
  const options = [["", TEXTS.pins.allMethods], ...methods].map(([value, label]) => make("option", { value }, label));
  const select = make("select", { class: "pk-select pk-kept", "aria-label": TEXTS.pins.methodsOfPin(name) }, ...options);
  select.value = only;
  select.addEventListener("input", () => choose(select.value));
  return select;
}
