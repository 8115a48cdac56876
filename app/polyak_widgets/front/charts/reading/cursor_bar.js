// Below the charts: the slider of the iteration cursor, its step and play buttons, and what the x axes count.

import { freshId, make, makeSvg, setText } from "../../ground/dom.js";
import { formatNumber, speakNumber } from "../../ground/format.js";
import { onSlide } from "../../ground/touch.js";
import { TEXTS } from "../../ground/texts.js";

const ICONS = {
  back: "M2,2h2v8h-2ZM10,2v8L4.5,6Z",
  on: "M2,2v8L7.5,6ZM8,2h2v8h-2Z",
  play: "M3,1.5L10.5,6L3,10.5Z",
  pause: "M3,2h2.2v8h-2.2ZM6.8,2h2.2v8h-2.2Z",
};
const KEYS = {
  ArrowRight: (cursor) => cursor.step(1),
  ArrowUp: (cursor) => cursor.step(1),
  ArrowLeft: (cursor) => cursor.step(-1),
  ArrowDown: (cursor) => cursor.step(-1),
  PageUp: (cursor) => cursor.page(1),
  PageDown: (cursor) => cursor.page(-1),
  Home: (cursor) => cursor.set(0),
  End: (cursor) => cursor.set(cursor.last),
};

// `more` are buttons that stand beside the slider.
export function makeCursorBar(cursor, chooseUnit, ...more) {
  const button = (icon, label, act) => {
    const made = make("button", { type: "button", class: "pk-step", "aria-label": label, title: label }, iconOf(icon));
    made.addEventListener("click", act);
    return made;
  };
  const back = button("back", TEXTS.cursorBar.back, () => cursor.step(-1));
  const play = button("play", TEXTS.cursorBar.play, () => (cursor.playing ? cursor.pause() : cursor.play()));
  const on = button("on", TEXTS.cursorBar.on, () => cursor.step(1));
  const range = make("input", { type: "range", class: "pk-range", "aria-label": TEXTS.cursorBar.slider });
  const words = make("span", { class: "pk-at" });
  const units = makeUnits(chooseUnit);
  const slide = make("div", { class: "pk-slide" }, back, play, on, range, words, ...more);
  const node = make("div", { class: "pk-cursor", hidden: true }, slide, units.node);

  const slid = () => {
    cursor.pause();
    cursor.set(Number(range.value));
  };
  onSlide(range, slid, () => (range.value = String(cursor.k)));
  range.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    cursor.pause();
    KEYS[event.key](cursor);
  });
  cursor.subscribe((k) => {
    if (range.max !== String(cursor.last)) range.max = String(cursor.last);
    if (range.value !== String(k)) range.value = String(k);
    range.style.setProperty("--fill", String(k / Math.max(cursor.last, 1)));
    range.setAttribute("aria-valuetext", TEXTS.cursorBar.at(speakNumber(k), speakNumber(cursor.last)));
    setText(words, `k = ${formatNumber(k)}`);
    words.style.minWidth = `${4 + formatNumber(cursor.last).length}ch`;
    const name = cursor.playing ? TEXTS.cursorBar.pause : TEXTS.cursorBar.play;
    if (play.title === name) return;
    play.title = name;
    play.setAttribute("aria-label", name);
    play.replaceChildren(iconOf(name.toLowerCase()));
  });
  return {
    node,
    show(described, unit) {
      node.hidden = !described;
      if (described) units.show(described.units, unit);
    },
  };
}

function iconOf(name) {
  const sign = makeSvg("path", { d: ICONS[name] });
  return makeSvg("svg", { class: "pk-icon", width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" }, sign);
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
          make("legend", { class: "pk-quiet" }, TEXTS.cursorBar.countIn),
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
