// Names at the ends of the curves, in the margin right of the chart: spread so that they never overlap, in the
// order of the ends so that their leaders never cross.

import { makeSvg, setAttributes, setText } from "./dom.js";
import { dashOf, paint } from "./look.js";

export const LINE_HEIGHT = 17;
const LEADER = 14;
const SAMPLE = 18;
const TEXT_AT = LEADER + SAMPLE + 6;

let ruler;

// How wide the margin must be for these labels.
export function marginFor(labels, font) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `600 12px ${font}`;
  return Math.ceil(TEXT_AT + 8 + Math.max(...labels.map((label) => ruler.measureText(label).width)));
}

// Positions as near as can be to the wanted ones, `gap` apart and between `low` and `high`. Neighbours that would
// touch become one block, which stands where its members are best off on average.
export function spread(wanted, gap, low, high) {
  const room = Math.min(gap, (high - low) / Math.max(wanted.length - 1, 1));
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const blocks = [];
  const settle = (block) => {
    const best = block.sum / block.size;
    block.top = Math.min(Math.max(best, low), high - (block.size - 1) * room);
    return block;
  };
  for (const i of order) {
    blocks.push(settle({ sum: wanted[i], size: 1 }));
    while (blocks.length > 1 && touches(blocks.at(-2), blocks.at(-1), room)) {
      const last = blocks.pop();
      const before = blocks.pop();
      const sum = before.sum + last.sum - last.size * before.size * room;
      blocks.push(settle({ sum, size: before.size + last.size }));
    }
  }
  const placed = blocks.flatMap(({ top, size }) => Array.from({ length: size }, (_, j) => top + j * room));
  const positions = [];
  order.forEach((i, rank) => (positions[i] = placed[rank]));
  return positions;
}

function touches(upper, lower, room) {
  return upper.top + upper.size * room > lower.top + 1e-9;
}

// Where a curve is last seen: its last point inside the chart, or where it leaves it. Null if it is never inside.
export function endOf({ x, y, width, height }, xs, ys) {
  let after = null;
  for (let i = xs.length - 1; i >= 0; i--) {
    const point = [x(xs[i]), y(ys[i])];
    if (!point.every(Number.isFinite)) continue;
    if (inside(point, width, height)) return after ? crossing(point, after, width, height) : point;
    after = point;
  }
  return null;
}

function inside([x, y], width, height) {
  return x >= -0.5 && x <= width + 0.5 && y >= -0.5 && y <= height + 0.5;
}

function crossing([x0, y0], [x1, y1], width, height) {
  const share = (from, to, limit) => (to > limit ? (limit - from) / (to - from) : to < 0 ? from / (from - to) : 1);
  const part = Math.max(0, Math.min(share(x0, x1, width), share(y0, y1, height)));
  return [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
}

// Draws the labels of one chart into its overlay; `at` is the corner of the plotting area in the overlay.
export function drawLabels(overlay, curves, ends, held, at) {
  const shown = curves.map((curve, i) => ({ curve, end: ends[i] })).filter(({ end }) => end);
  // Of curves that leave through the bottom the leftmost stands highest (lowest at the top): no leaders cross.
  const nudge = ([x, y]) => y + (y > held.height / 2 ? 0.5 : -0.5) * (x / held.width);
  const places = spread(shown.map(({ end }) => nudge(end)), LINE_HEIGHT, 4, held.height - 4);
  while (overlay.children.length > shown.length) overlay.lastChild.remove();
  while (overlay.children.length < shown.length) overlay.append(makeLabel());
  shown.forEach(({ curve, end }, i) => {
    const [leader, sample, text] = overlay.children[i].children;
    const left = at.left + held.width;
    const y = at.top + places[i];
    paint(overlay.children[i], curve.colour);
    setAttributes(leader, { d: `M${at.left + end[0] + 3},${at.top + end[1]}L${left + LEADER - 3},${y}` });
    setAttributes(sample, { d: `M${left + LEADER},${y}h${SAMPLE}`, "stroke-dasharray": dashOf(curve.dash) });
    setAttributes(text, { x: left + TEXT_AT, y: y + 4 });
    setText(text, curve.label);
  });
}

function makeLabel() {
  const [leader, sample] = ["pk-leader", "pk-stroke"].map((name) => makeSvg("path", { class: name }));
  return makeSvg("g", { class: "pk-label" }, leader, sample, makeSvg("text"));
}
