// Below the charts: the slider of the iteration cursor, its step and play buttons, and what the x axes count.

import { freshId, make, setText } from "./dom.js";
import { formatNumber, speakNumber } from "./format.js";

const CURSOR_KEYS = {
  ArrowRight: (cursor) => cursor.step(1),
  ArrowUp: (cursor) => cursor.step(1),
  ArrowLeft: (cursor) => cursor.step(-1),
  ArrowDown: (cursor) => cursor.step(-1),
  PageUp: (cursor) => cursor.page(1),
  PageDown: (cursor) => cursor.page(-1),
  Home: (cursor) => cursor.set(0),
  End: (cursor) => cursor.set(cursor.last),
};

export function makeCursorBar(cursor, chooseUnit) {
  const button = (text, label, act) => {
    const made = make("button", { type: "button", class: "pk-step", "aria-label": label, title: label }, text);
    made.addEventListener("click", act);
    return made;
  };
  const back = button("\u25c2", "One iteration back", () => cursor.step(-1));
  const play = button("\u25b8\u25b8", "Play", () => (cursor.playing ? cursor.pause() : cursor.play()));
  const on = button("\u25b8", "One iteration on", () => cursor.step(1));
  const range = make("input", { type: "range", class: "pk-range", "aria-label": "Iteration shown in all charts" });
  const words = make("output", { class: "pk-at" });
  const units = makeUnits(chooseUnit);
  const slide = make("div", { class: "pk-slide" }, back, on, play, range, words);
  const node = make("div", { class: "pk-cursor", hidden: true }, slide, units.node);

  range.addEventListener("input", () => {
    cursor.pause();
    cursor.set(Number(range.value));
  });
  range.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !CURSOR_KEYS[event.key]) return;
    event.preventDefault();
    cursor.pause();
    CURSOR_KEYS[event.key](cursor);
  });
  cursor.subscribe((k) => {
    if (range.max !== String(cursor.last)) range.max = String(cursor.last);
    if (range.value !== String(k)) range.value = String(k);
    range.style.setProperty("--fill", String(k / Math.max(cursor.last, 1)));
    range.setAttribute("aria-valuetext", `iteration ${speakNumber(k)} of ${speakNumber(cursor.last)}`);
    setText(words, `k = ${formatNumber(k)}`);
    words.style.minWidth = `${4 + formatNumber(cursor.last).length}ch`;
    setText(play, cursor.playing ? "\u275a\u275a" : "\u25b8\u25b8");
    const name = cursor.playing ? "Pause" : "Play";
    if (play.title !== name) {
      play.title = name;
      play.setAttribute("aria-label", name);
    }
  });
  return {
    node,
    show(described, unit) {
      node.hidden = !described;
      if (described) units.show(described.units, unit);
    },
  };
}

// What the x axes count: a group of native radio buttons, so arrows move within it.
function makeUnits(choose) {
  const node = make("fieldset", { class: "pk-units" });
  let key;
  return {
    node,
    show(units = [], chosen) {
      node.hidden = units.length < 2;
      if (String(units) !== key) {
        key = String(units);
        const group = freshId("unit");
        node.replaceChildren(
          make("legend", { class: "pk-quiet" }, "Count in"),
          ...units.map(([value, label, help]) => {
            const input = make("input", { type: "radio", name: group, value });
            input.addEventListener("change", () => choose(value));
            return make("label", { title: help }, input, make("span", {}, label));
          }),
        );
      }
      for (const input of node.querySelectorAll("input")) input.checked = input.value === chosen;
    },
  };
}
