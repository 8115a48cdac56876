// A zoom of one chart: the button that leaves it, two fingers that make one, and whether anything is seen in it.

import { make } from "../../ground/dom.js";
import { TEXTS } from "../../ground/texts.js";

const LEAST_APART = 24; // pixels: fingers nearer than this on one side leave that side as it is

export function makeWholeButton(act) {
  const button = make("button", { type: "button", class: "pk-switch pk-whole", hidden: true }, TEXTS.zoom.whole);
  button.addEventListener("click", act);
  return button;
}

// Counts the pieces of a line that touch the plotting area, or the points there are of marks.
export function piecesSeen({ x, y, width, height }, xs, ys, marks) {
  let [count, before] = [0, null];
  for (let i = 0; i < xs.length; i++) {
    const point = [x(xs[i]), y(ys[i])];
    const there = point.every(Number.isFinite) ? point : null;
    const from = marks ? there : before;
    if (there && from && touches(from[0], there[0], width) && touches(from[1], there[1], height)) count += 1;
    before = there;
  }
  return count;
}

function touches(one, other, length) {
  return Math.max(one, other) >= 0 && Math.min(one, other) <= length;
}

// Two fingers on a chart. When they leave it `zoom` gets a function for each side, across and down: of where the plotting
// area begins and how long it is, to the two parts of it that shall become its ends. One finger still scrolls the page.
export function watchPinch(node, zoom) {
  const fingers = new Map();
  let first = null;
  const follow = (event) => {
    event.preventDefault();
    for (const { identifier, clientX, clientY } of event.touches) fingers.set(identifier, [clientX, clientY]);
  };
  const places = (side) => [...fingers.values()].map((at) => at[side]);
  const sides = () => [0, 1].map(places);
  const start = (event) => {
    if (event.touches.length !== 2) return;
    event.stopPropagation(); // to plotly it would be a double click
    follow(event);
    first = sides();
  };
  const leave = ({ type }) => {
    const last = sides();
    if (first && type === "touchend") zoom(first.map((from, side) => stretched(from, last[side])));
    first = null;
    fingers.clear();
  };
  const early = { passive: false, capture: true }; // before plotly
  node.addEventListener("touchstart", start, early);
  node.addEventListener("touchmove", (event) => first && follow(event), early);
  for (const kind of ["touchend", "touchcancel"]) node.addEventListener(kind, leave, early);
}

// What stood under two fingers at first shall stand under them at last.
function stretched(from, to) {
  const [before, after] = [from, to].map(([one, other]) => Math.abs(one - other));
  const factor = before < LEAST_APART ? 1 : Math.max(after, 1) / before;
  const [was, is] = [from, to].map(([one, other]) => (one + other) / 2);
  return (start, length) => [start, start + length].map((end) => (was + (end - is) / factor - start) / length);
}
