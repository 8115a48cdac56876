// Pinned runs: for each its letter, what it is, how the present ones differ from it, and a button that removes it.

import { make } from "../ground/dom.js";
import { tied } from "../ground/format.js";

// `leave` takes the focus where the last pin that had it is gone.
export function makePins(send, leave) {
  const node = make("ul", { class: "pk-pins", "aria-label": "Pinned runs", hidden: true });
  let shownKey = "[]";
  return {
    node,
    show(pins = []) {
      const key = JSON.stringify(pins.map(({ id, name, what, words }) => [id, name, what, words]));
      if (key === shownKey) return;
      shownKey = key;
      const focused = [...node.children].findIndex((item) => item.contains(document.activeElement));
      node.hidden = !pins.length;
      node.replaceChildren(...pins.map((pin) => makePin(pin, send)));
      if (focused < 0) return;
      const next = node.children[Math.min(focused, pins.length - 1)];
      if (next) next.querySelector("button").focus();
      else leave();
    },
  };
}

function makePin({ id, name, what, words }, send) {
  const close = make("button", { type: "button", class: "pk-unpin", "aria-label": `Remove pin ${name}`, title: "Remove" }, "\u00d7");
  close.addEventListener("click", () => send("unpin", { id }));
  return make("li", {}, make("b", {}, name), make("span", { class: "pk-what" }, tied(what)), make("span", {}, tied(words)), close);
}
