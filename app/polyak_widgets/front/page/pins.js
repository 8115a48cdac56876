// Pinned runs: for each what it is, how the present ones differ from it, and a button that lets it go.

import { make } from "../ground/dom.js";
import { tied } from "../ground/format.js";

export function makePins(send) {
  const node = make("ul", { class: "pk-pins", "aria-label": "Pinned runs", hidden: true });
  let shownKey = "[]";
  return {
    node,
    show(pins = []) {
      const key = JSON.stringify(pins);
      if (key === shownKey) return;
      shownKey = key;
      node.hidden = !pins.length;
      node.replaceChildren(...pins.map((pin) => makePin(pin, send)));
    },
  };
}

function makePin({ id, name, words }, send) {
  const close = make("button", { type: "button", class: "pk-unpin", "aria-label": `Let go of ${name}`, title: "Let it go" }, "\u00d7");
  close.addEventListener("click", () => send("unpin", { id }));
  return make("li", {}, make("b", {}, tied(name)), make("span", {}, tied(words)), close);
}
