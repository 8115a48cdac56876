// Names at the ends of the curves, in the margin right of the chart, each with its number at the cursor: spread so
// that they never overlap, in the order of the ends so that their leaders never cross.

import { makeSvg, setAttributes, setText } from "../ground/dom.js";
import { dashOf, paint } from "../ground/look.js";
import { symbolOf } from "../ground/symbols.js";

const LINE_HEIGHT = 17;
const LEADER = 14;
const SAMPLE = 18;
const TEXT_AT = LEADER + SAMPLE + 6;
const LONGEST_VALUE = "8.88 \u00d7 10\u207b\u00b9\u2078";

let ruler;

// Measures how wide the margin must be for these labels, and for a number beside each where there are `values`.
export function marginFor(labels, { font, scale }, values = true) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `600 ${12 * scale}px ${font}`;
  const wide = (text) => ruler.measureText(text).width;
  return Math.ceil(TEXT_AT + (values ? 20 + wide(LONGEST_VALUE) : 6) + Math.max(...labels.map(wide)));
}

// Finds positions as near as can be to the targets, `gap` apart and between `low` and `high`. Neighbours that would
// touch become one block, which stands where its members are best off on average.
function spread(targets, gap, low, high) {
  const room = Math.min(gap, (high - low) / Math.max(targets.length - 1, 1));
  const order = targets.map((_, i) => i).sort((a, b) => targets[a] - targets[b] || a - b);
  const blocks = [];
  const settle = (block) => {
    const best = block.sum / block.size;
    block.top = Math.min(Math.max(best, low), high - (block.size - 1) * room);
    return block;
  };
  for (const i of order) {
    blocks.push(settle({ sum: targets[i], size: 1 }));
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

// Finds where a curve is last seen: its last point inside the chart, or where it leaves it. Null if it is never inside.
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

// Draws the labels of one chart into a layer; `at` is the corner of the plotting area, `right` the end of the margin.
export function drawLabels(layer, curves, ends, hold, { left, top, right, scale }) {
  const visible = curves.map((curve, i) => ({ curve, end: ends[i], i })).filter(({ end }) => end);
  // Of curves that leave through the bottom the leftmost stands highest (lowest at the top): no leaders cross.
  const nudge = ([x, y]) => y + (y > hold.height / 2 ? 0.5 : -0.5) * (x / hold.width);
  const places = spread(visible.map(({ end }) => nudge(end)), LINE_HEIGHT * scale, 4, hold.height - 4);
  while (layer.children.length > visible.length) layer.lastChild.remove();
  while (layer.children.length < visible.length) layer.append(makeLabel());
  visible.forEach(({ curve, end, i }, rank) => {
    const label = layer.children[rank];
    const [leader, sample, marker, text, value] = label.children;
    const [x, y] = [left + hold.width, top + places[rank]];
    paint(label, curve.colour);
    label.dataset.curve = i;
    const marks = curve.mode === "markers";
    // From a mark in the middle of a chart a leader would look like one more level.
    const far = marks && end[0] < 0.8 * hold.width;
    setAttributes(leader, { d: far ? "" : `M${left + end[0] + 3},${top + end[1]}L${x + LEADER - 3},${y}` });
    setAttributes(sample, { d: marks ? "" : `M${x + LEADER},${y}h${SAMPLE}`, "stroke-dasharray": dashOf(curve.dash) });
    setAttributes(sample, { class: curve.thin ? "pk-stroke pk-thin" : "pk-stroke" });
    const symbol = marks ? curve.symbol.replace("-open", "") : curve.marker;
    const sign = symbol ? symbolOf(symbol) : { d: "", class: null };
    setAttributes(marker, { ...sign, transform: `translate(${x + LEADER + SAMPLE / 2},${y})` });
    setAttributes(text, { x: x + TEXT_AT, y: y + 4 * scale });
    setAttributes(value, { x: right, y: y + 4 * scale });
    setText(text, curve.label);
  });
}

// The numbers at the cursor, by the order of the curves.
export function writeValues(layer, texts) {
  for (const label of layer.children) setText(label.lastChild, texts[label.dataset.curve] ?? "");
}

function makeLabel() {
  const [leader, sample, marker] = ["pk-leader", "pk-stroke", ""].map((name) => makeSvg("path", { class: name }));
  return makeSvg("g", { class: "pk-label" }, leader, sample, marker, makeSvg("text"), makeSvg("text", { class: "pk-value" }));
}
