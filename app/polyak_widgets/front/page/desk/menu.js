// A button that opens a list of actions, by keyboard as menus work: arrows, Home, End, Escape, Tab closes.

import { freshId, make } from "../../ground/dom.js";

export function makeMenu(label, title, entries, choose) {
  const id = freshId("menu");
  const button = make("button", { type: "button", class: "pk-switch pk-tool", title });
  button.append(label, make("i", { class: "pk-caret", "aria-hidden": "true" }));
  for (const [name, value] of Object.entries({ haspopup: "menu", expanded: "false", controls: id })) button.setAttribute(`aria-${name}`, value);
  const list = make("div", { id, class: "pk-menu", role: "menu", "aria-label": title, hidden: true });
  const node = make("div", { class: "pk-menu-frame" }, button, list);
  const away = (event) => node.contains(event.target) || shut(false);
  const shut = (back = true) => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", away, true);
    if (back) button.focus();
  };
  const open = (at) => {
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", away, true);
    list.children[(at + entries.length) % entries.length].focus();
  };
  list.append(...entries.map(([name, text]) => makeItem(text, () => (shut(), choose(name)))));
  button.addEventListener("click", () => (list.hidden ? open(0) : shut()));
  node.addEventListener("keydown", (event) => {
    const here = [...list.children].indexOf(document.activeElement);
    const moves = { ArrowDown: here + 1, ArrowUp: here < 0 ? -1 : here - 1, Home: 0, End: -1 };
    if (list.hidden && !event.key.startsWith("Arrow")) return;
    if (event.key in moves) open(moves[event.key]);
    else if (event.key === "Escape") shut();
    else return void (event.key === "Tab" && shut(false));
    event.preventDefault();
    event.stopPropagation();
  });
  return { node, button, dispose: () => document.removeEventListener("pointerdown", away, true) };
}

function makeItem(text, act) {
  const item = make("button", { type: "button", role: "menuitem", tabindex: "-1", class: "pk-menu-item" }, text);
  item.addEventListener("click", act);
  return item;
}
