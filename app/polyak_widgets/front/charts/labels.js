// Names at the ends of the curves, each with its number at the cursor: in the margin right of the chart, spread so that
// they never overlap, in the order of the ends so that their leaders never cross; of a curve that ends earlier beside its
// end, since a leader that runs through the chart looks like one more curve. Each is a button that hides its curve.
// A name that would take the room of the curves is shortened; a pointer over it reads the whole.

import { makeSvg, setAttributes, setText } from "../ground/dom.js";
import { dashOf, paint } from "../ground/look.js";
import { describeEntry } from "./legend.js";
import { symbolOf } from "../ground/symbols.js";

const LINE_HEIGHT = 17;
const LEADER = 10;
const SAMPLE = 16;
const TEXT_AT = LEADER + SAMPLE + 4;
const BESIDE = 8; // pixels between a name and its number, and between an end and the name beside it
const NEAR = 24; // pixels from the right edge: from there on a leader leads to the margin
const PART = 0.3; // of a chart's width: no name is longer
const SHORTEST = 130; // pixels: a name is not shortened below them
const ROWS = 6; // a name stands no further from its end, as long as a shorter one finds a place there
const LONGEST_VALUE = "8.88 \u00d7 10\u207b\u00b9\u2078";

let ruler;

function widthOf(text, { font, scale }, weight = 600) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${weight} ${12 * scale}px ${font}`;
  return ruler.measureText(text).width;
}

// Measures how wide the margin must be for these labels, and for a number beside each where there are `values`.
export function marginFor(labels, width, look, values) {
  const most = longestIn(width, look);
  return Math.ceil(TEXT_AT + 6 + Math.max(...labels.map((label) => spanOf(shortened(label, most, look), look, values))));
}

function spanOf(label, look, values) {
  return widthOf(label, look) + (values ? BESIDE + widthOf(LONGEST_VALUE, look, 400) : 0);
}

function longestIn(width, { scale }) {
  return Math.max(SHORTEST * scale, PART * width);
}

// Gives as much of a name as has room, from its beginning.
function shortened(label, room, look) {
  const whole = widthOf(label, look);
  if (whole <= room) return label;
  const cut = (length) => `${label.slice(0, length).replace(/[\s,=]+$/, "")}\u2026`;
  let length = Math.min(label.length - 1, Math.ceil((label.length * room) / whole) + 3); // about as many letters: few are measured
  while (length > 1 && widthOf(cut(length), look) > room) length -= 1;
  return cut(length);
}

// Whether a curve that ends so many pixels from the left has its name in the margin.
export function endsNear(x, width, { scale }) {
  return x > width - NEAR * scale;
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
// While the curves grow (`growing`) all names stand in the margin.
export function drawLabels(layer, curves, ends, hold, { left, top, right, look, growing, values, isHidden }) {
  const visible = curves.map((curve, i) => ({ curve, end: ends[i], i })).filter(({ end }) => end);
  const inMargin = visible.filter(({ end }) => growing || endsNear(end[0], hold.width, look));
  const most = longestIn(right, look);
  // Of curves that leave through the bottom the leftmost stands highest (lowest at the top): no leaders cross.
  const nudge = ([x, y]) => y + (y > hold.height / 2 ? 0.5 : -0.5) * (x / hold.width);
  const places = spread(inMargin.map(({ end }) => nudge(end)), LINE_HEIGHT * look.scale, 4, hold.height - 4);
  const early = visible.filter((each) => !inMargin.includes(each));
  const beside = placedBeside(early, places, { ...hold, room: right - left }, look, values, most);
  while (layer.children.length > visible.length) layer.lastChild.remove();
  while (layer.children.length < visible.length) layer.append(makeLabel());
  visible.forEach((each, rank) => {
    const label = layer.children[rank];
    const { curve, i } = each;
    paint(label, curve.colour);
    label.dataset.curve = i;
    describeEntry(label, curve, isHidden(curve));
    const place = beside.get(each);
    label.toggleAttribute("data-beside", Boolean(place));
    const name = place ? place.name : shortened(curve.label, most, look);
    setText(label.firstChild, name === curve.label ? "" : curve.label);
    if (place) putBeside(label, name, [left + place.x, top + place.y], look);
    else putInMargin(label, name, each, [left, top, places[inMargin.indexOf(each)]], hold, right, look);
  });
}

function putInMargin(label, name, { curve, end }, [left, top, place], hold, right, look) {
  const { scale } = look;
  const [, target, leader, sample, marker, text, value] = label.children;
  const [x, y] = [left + hold.width, top + place];
  setAttributes(leader, { d: endsNear(end[0], hold.width, look) ? `M${left + end[0] + 3},${top + end[1]}L${x + LEADER - 3},${y}` : "" });
  const marks = curve.mode === "markers";
  setAttributes(sample, { d: marks ? "" : `M${x + LEADER},${y}h${SAMPLE}`, "stroke-dasharray": dashOf(curve.dash) });
  setAttributes(sample, { class: curve.thin ? "pk-stroke pk-thin" : "pk-stroke" });
  const symbol = marks ? curve.symbol.replace("-open", "") : curve.marker;
  const sign = symbol ? symbolOf(symbol) : { d: "", class: null };
  setAttributes(marker, { ...sign, transform: `translate(${x + LEADER + SAMPLE / 2},${y})` });
  setAttributes(text, { x: x + TEXT_AT, y: y + 4 * scale });
  setAttributes(value, { x: right, y: y + 4 * scale });
  setAttributes(target, { x: x + LEADER, y: y - 8 * scale, width: right - x - LEADER, height: 16 * scale });
  setText(text, name);
}

function putBeside(label, name, [x, y], look) {
  const [, target, leader, sample, marker, text, value] = label.children;
  const wide = widthOf(name, look);
  for (const part of [leader, sample, marker]) setAttributes(part, { d: "" });
  setAttributes(text, { x, y: y + 4 * look.scale });
  setAttributes(value, { x: x + wide + BESIDE, y: y + 4 * look.scale });
  setAttributes(target, { x, y: y - 8 * look.scale, width: wide, height: 16 * look.scale });
  setText(text, name);
}

// Finds places for the names of curves that end early, where no other name and no end stands: as near as can be, then
// with a shorter name, then wherever there is room. `rows` are the heights of the names in the margin; `room` is how
// far names may reach, over the chart and the margin.
function placedBeside(early, rows, { width, height, room }, look, values, most) {
  const high = LINE_HEIGHT * look.scale;
  const box = ({ x, y, wide }) => [x, y - high / 2, x + wide, y + high / 2];
  const taken = early.map(({ end: [x, y] }) => [x - 5, y - 5, x + 5, y + 5]);
  for (const y of rows) taken.push(box({ x: width, y, wide: room - width }));
  const inside = (place) => box(place).every((side, i) => side >= 0 && side <= (i % 2 ? height : room));
  const cost = (place) => (inside(place) ? taken.reduce((sum, other) => sum + shared(box(place), other), 0) : Infinity);
  const around = ({ curve, end }, longest, far) => {
    const name = shortened(curve.label, longest, look);
    const wide = spanOf(name, look, values);
    return spotsAround(end, wide, high, room, far).map(([x, y]) => ({ name, wide, x, y }));
  };
  const everywhere = room + height;
  const least = Math.max(SHORTEST * look.scale, most / 2);
  const tries = [[most, ROWS * high], [least, ROWS * high], [least, everywhere]];
  const places = new Map();
  for (const each of [...early].sort((one, other) => other.end[0] - one.end[0])) {
    let place;
    for (const [longest, far] of tries) place ??= around(each, longest, far).find((one) => cost(one) === 0);
    place ??= around(each, least, everywhere).reduce((best, one) => (cost(one) < cost(best) ? one : best));
    places.set(each, place);
    taken.push(box(place));
  }
  return places;
}

// Lists where a name so `wide` may begin, the best first: beside the end, above and below it, and then ever further,
// up to `far` pixels from it.
function spotsAround([x, y], wide, high, room, far) {
  const within = (left) => Math.max(0, Math.min(left, room - wide));
  const [after, before, middle] = [x + BESIDE, x - BESIDE - wide, x - wide / 2];
  const near = [[after, y], [after, y - high], [after, y + high], [middle, y - high], [middle, y + high], [before, y - high / 2]];
  const away = ([left, at]) => Math.hypot(Math.max(0, left - x, x - left - wide), at - y);
  const columns = [after, before, middle, 0, room].map(within);
  const steps = Array.from({ length: Math.floor((2 * far) / high) }, (_, i) => ((i + 1) * high) / 2).slice(1);
  const further = steps.flatMap((step) => columns.flatMap((left) => [[left, y - step], [left, y + step]]));
  const worse = (spot) => away(spot) + Math.max(0, x - spot[0]) / 2; // left of its end are the curve and its neighbours
  return [...near, ...further.filter((spot) => away(spot) <= far).sort((one, other) => worse(one) - worse(other))];
}

// The area that two boxes share.
function shared([left, top, right, bottom], [otherLeft, otherTop, otherRight, otherBottom]) {
  const [across, down] = [Math.min(right, otherRight) - Math.max(left, otherLeft), Math.min(bottom, otherBottom) - Math.max(top, otherTop)];
  return Math.max(0, across) * Math.max(0, down);
}

// The numbers at the cursor, by the order of the curves; a curve that has ended before it says none beside its end.
export function writeValues(layer, texts) {
  for (const label of layer.children) {
    const text = texts[label.dataset.curve] ?? "";
    setText(label.lastChild, text === "\u2013" && label.hasAttribute("data-beside") ? "" : text);
  }
}

function makeLabel() {
  const [leader, sample, marker] = ["pk-leader", "pk-stroke", ""].map((name) => makeSvg("path", { class: name }));
  const target = makeSvg("rect", { class: "pk-target" }); // what one can hit is more than the letters
  const parts = [makeSvg("title"), target, leader, sample, marker, makeSvg("text"), makeSvg("text", { class: "pk-value" })];
  return makeSvg("g", { class: "pk-label", role: "button" }, ...parts);
}
