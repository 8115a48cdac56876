// A slider with a number box beside it and landmarks under it; all three speak of one value.

import { make, setAttributes, writeKeepingCaret } from "../../ground/dom.js";
import { formatNumber, parseNumber, speakNumber } from "../../ground/format.js";
import { POSITIONS, clamp, scaleOf } from "../../ground/scale.js";
import { TEXTS } from "../../ground/texts.js";
import { onSlide } from "../../ground/touch.js";
import { makeTyping } from "./typing.js";

const THUMB = 16; // pixels; the middle of the thumb travels this much less than the track is wide
const NEAR = 0.004; // of itself; one step is thirty times as far
const KEYS = {
  ArrowRight: [1, false],
  ArrowUp: [1, false],
  ArrowLeft: [-1, false],
  ArrowDown: [-1, false],
  PageUp: [1, true],
  PageDown: [-1, true],
};

export function makeSlider(field, ids, send) {
  const range = make("input", { type: "range", min: 0, max: POSITIONS, step: "any", class: "pk-range" });
  setAttributes(range, { id: ids.input, "aria-describedby": ids.described });
  const box = make("input", { type: "text", class: "pk-box", autocomplete: "off" });
  setAttributes(box, { "aria-describedby": ids.described, spellcheck: "false" });
  const marks = make("div", { class: "pk-landmarks" });
  const state = { field, scale: scaleOf(field), value: field.min, range, box, marks, send };

  const slid = () => choose(state, state.scale.value(Number(range.value)));
  onSlide(range, slid, () => showRange(state));
  range.addEventListener("keydown", (event) => pressKey(state, event));
  state.typing = makeTyping(box, (text) => type(state, text));
  box.addEventListener("blur", () => showBox(state));
  const observer = new ResizeObserver(() => placeLandmarks(state));
  observer.observe(marks);
  return {
    beside: [box],
    body: [range, marks],
    inputs: () => [range, box],
    show: (value) => show(state, value),
    configure: (next) => configure(state, next),
    finish: state.typing.finish,
  };
}

function configure(state, field) {
  state.field = field;
  state.scale = scaleOf(field);
  setAttributes(state.box, { "aria-label": TEXTS.slider.number(field.label), inputmode: keypadFor(field) });
  const key = JSON.stringify(field.landmarks ?? []);
  if (key !== state.landmarkKey) {
    state.landmarkKey = key;
    makeLandmarks(state);
  }
  placeLandmarks(state);
  showRange(state);
  for (const button of state.marks.querySelectorAll("button")) button.disabled = Boolean(field.disabled);
}

// A value from the slider or a landmark: shown everywhere, then sent.
function choose(state, value) {
  state.value = value;
  showRange(state);
  state.box.value = formatNumber(value);
  state.send(value);
}

// The keypad of a phone that has all that such a number needs; a telephone's has no e for 1e-6.
function keypadFor({ integer, min, max }) {
  if (integer) return "numeric";
  return min >= 1e-3 && max < 1e5 ? "decimal" : "text";
}

// A text from the box: sent as it stands, even outside of the slider or no number at all.
function type(state, text) {
  state.value = parseNumber(text) ?? text;
  showRange(state);
  state.send(state.value);
}

// A value from outside. The box is left alone while somebody types in it, or while it says the same in other words
// (1000 for 1e3).
function show(state, value) {
  state.value = value;
  showRange(state);
  const inside = document.activeElement === state.box;
  if (!state.typing.going && !(inside && parseNumber(state.box.value) === value)) showBox(state);
}

function showBox({ box, value }) {
  writeKeepingCaret(box, formatNumber(value));
}

function showRange({ range, scale, value, field }) {
  if (typeof value !== "number") return;
  const position = scale.position(value);
  // The browser keeps the thumb where the pointer is; writing an equal place back would only cost a layout.
  if (Math.abs(Number(range.value) - position) > 0.01) range.value = position;
  range.style.setProperty("--fill", String(position / POSITIONS));
  const landmark = (field.landmarks ?? []).find(([mark]) => mark === value);
  const words = [speakNumber(value), field.unit, landmark && `(${landmark[1]})`].filter(Boolean);
  range.setAttribute("aria-valuetext", words.join(" "));
}

function pressKey(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { min, max, zero } = state.field;
  const ends = { Home: zero ? 0 : min, End: max };
  const step = KEYS[event.key];
  if (!step && !(event.key in ends)) return;
  event.preventDefault();
  const from = typeof state.value === "number" ? state.value : min;
  choose(state, step ? caught(state.scale.step(from, ...step), from, state.field) : ends[event.key]);
}

// Steps are rounded, so that there and back again would miss 1 by a little: a landmark that near is meant.
function caught(value, from, { landmarks }) {
  const near = ([mark]) => mark !== from && Math.abs(mark / value - 1) < NEAR;
  return (landmarks ?? []).find(near)?.[0] ?? value;
}

function makeLandmarks(state) {
  const buttons = (state.field.landmarks ?? []).flatMap(([value, label]) => {
    const button = make("button", { type: "button", class: "pk-landmark" }, label);
    button.setAttribute("aria-label", TEXTS.slider.setTo(label, state.field.label, speakNumber(value)));
    button.addEventListener("click", () => choose(state, value));
    return [make("i", { "aria-hidden": "true" }), button];
  });
  state.marks.replaceChildren(...buttons);
  state.marks.hidden = !buttons.length;
}

// Ticks stand at the true places, none of them over the name of another; a name may be moved a little, and goes with its
// tick if there is still no room. Earlier landmarks in the list matter more.
function placeLandmarks({ marks, field, scale }) {
  const width = marks.clientWidth;
  if (!width) return;
  const occupied = [];
  (field.landmarks ?? []).forEach(([value], i) => {
    const [tick, button] = [marks.children[2 * i], marks.children[2 * i + 1]];
    const at = THUMB / 2 + (scale.position(value) / POSITIONS) * (width - THUMB);
    const half = button.offsetWidth / 2;
    const near = [0, -8, 8, -14, 14].map((shift) => clamp(at + shift, half - 6, width - half + 6));
    const apart = (x, [low, high, other]) => (x + half <= low || x - half >= high) && (at < low || at > high) && Math.abs(other - x) >= half;
    const place = near.find((x) => occupied.every((each) => apart(x, each)));
    tick.style.left = `${at}px`;
    for (const part of [tick, button]) part.style.visibility = place === undefined ? "hidden" : "visible";
    if (place === undefined) return;
    button.style.left = `${place - half}px`;
    occupied.push([place - half, place + half, at]);
  });
}
