// Names at the ends of the curves, each with its number at the cursor: in the margin right of the chart, spread so that
// they never overlap, in the order of the ends so that their leaders never cross; of a curve that ends earlier beside its
// end, since a leader that runs through the chart looks like one more curve. Each is a button that hides its curve.
// A long name takes two lines there, and one that would still take the room of the curves is shortened; a pointer over it
// reads the whole.

import { makeSvg, setAttributes, setText } from "../../ground/dom.js";
import { dashOf, paint } from "../../ground/look.js";
import { describeEntry } from "./legend.js";
import { symbolOf } from "../../ground/symbols.js";

const LINE_HEIGHT = 17;
const LEADER = 10;
const SAMPLE = 16;
const TEXT_AT = LEADER + SAMPLE + 4;
const BESIDE = 8; // pixels between a name and its number, and between an end and the name beside it
const NEAR = 24; // pixels from the right edge: from there on a leader leads to the margin
const LONG = 160; // pixels: a longer name takes two lines
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
  const lines = labels.flatMap((label) => linesOf(label, most, look));
  return Math.ceil(TEXT_AT + 6 + Math.max(...lines.map((line) => spanOf(line, look, values))));
}

function spanOf(label, look, values) {
  return widthOf(label, look) + (values ? BESIDE + widthOf(LONGEST_VALUE, look, 400) : 0);
}

function longestIn(width, { scale }) {
  return Math.max(SHORTEST * scale, PART * width);
}

// Breaks a long name into two lines, after a comma if it has one, as narrow as can be; `most` is the room of a line.
function linesOf(label, most, look) {
  const words = label.split(" ");
  if (words.length < 2 || widthOf(label, look) <= LONG * look.scale) return [shortened(label, most, look)];
  const all = words.slice(1).map((_, i) => [words.slice(0, i + 1), words.slice(i + 1)].map((part) => part.join(" ")));
  const commas = all.filter(([first]) => first.endsWith(","));
  const broken = commas.length ? commas : all;
  const wide = broken.map((lines) => Math.max(...lines.map((line) => widthOf(line, look))));
  return broken[wide.indexOf(Math.min(...wide))].map((line) => shortened(line, most, look));
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

// Finds positions as near as can be to the targets, between `low` and `high` and so far apart that names of these
// `heights` do not touch. Less the room of those above it each would stand at its target; neighbours in the wrong order
// then take their mean.
function spread(targets, heights, low, high) {
  const order = targets.map((_, i) => i).sort((a, b) => targets[a] - targets[b] || a - b);
  const above = [];
  order.forEach((i, rank) => above.push(rank ? above.at(-1) + (heights[i] + heights[order[rank - 1]]) / 2 : 0));
  const all = above.at(-1) ?? 0;
  const room = all > high - low ? (high - low) / all : 1;
  const blocks = [];
  order.forEach((i, rank) => {
    blocks.push({ at: targets[i] - room * above[rank], size: 1 });
    while (blocks.length > 1 && blocks.at(-2).at > blocks.at(-1).at) {
      const [one, other] = blocks.splice(-2);
      const size = one.size + other.size;
      blocks.push({ at: (one.at * one.size + other.at * other.size) / size, size });
    }
  });
  const places = blocks.flatMap(({ at, size }) => Array(size).fill(Math.max(low, Math.min(at, high - room * all))));
  const positions = [];
  order.forEach((i, rank) => (positions[i] = places[rank] + room * above[rank]));
  return positions;
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
  const names = inMargin.map(({ curve }) => linesOf(curve.label, most, look));
  const heights = names.map((lines) => (lines.length > 1 ? 2 * LINE_HEIGHT - 2 : LINE_HEIGHT) * look.scale);
  const places = spread(inMargin.map(({ end }) => nudge(end)), heights, 4, hold.height - 4);
  const early = visible.filter((each) => !inMargin.includes(each));
  const rows = places.map((y, i) => ({ y, high: heights[i] }));
  const beside = placedBeside(early, rows, { ...hold, room: right - left }, look, values, most);
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
    const lines = place ? [place.name] : names[inMargin.indexOf(each)];
    setText(label.firstChild, lines.join(" ") === curve.label ? "" : curve.label);
    if (place) putBeside(label, place.name, [left + place.x, top + place.y], look);
    else putInMargin(label, lines, each, [left, top, places[inMargin.indexOf(each)]], hold, right, look);
  });
}

function putInMargin(label, lines, { curve, end }, [left, top, place], hold, right, look) {
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
  const high = (8 + 7 * (lines.length - 1)) * scale; // half of the name's
  writeLines(text, lines, x + TEXT_AT, y + 4 * scale, 14 * scale);
  setAttributes(value, { x: right, y: y + 4 * scale });
  setAttributes(target, { x: x + LEADER, y: y - high, width: right - x - LEADER, height: 2 * high });
}

function putBeside(label, name, [x, y], look) {
  const [, target, leader, sample, marker, text, value] = label.children;
  const wide = widthOf(name, look);
  for (const part of [leader, sample, marker]) setAttributes(part, { d: "" });
  writeLines(text, [name], x, y + 4 * look.scale);
  setAttributes(value, { x: x + wide + BESIDE, y: y + 4 * look.scale });
  setAttributes(target, { x, y: y - 8 * look.scale, width: wide, height: 16 * look.scale });
}

// Writes one line at a height, or two around it.
function writeLines(text, lines, x, y, apart = 0) {
  while (text.children.length > lines.length) text.lastChild.remove();
  while (text.children.length < lines.length) text.append(makeSvg("tspan"));
  lines.forEach((line, i) => {
    const last = i === lines.length - 1;
    setAttributes(text.children[i], { x, y: y + (i - (lines.length - 1) / 2) * apart });
    setText(text.children[i], last ? line : `${line} `);
  });
}

// Finds places for the names of curves that end early, where no other name and no end stands: as near as can be, then
// with a shorter name, then wherever there is room. `rows` are the names in the margin; `room` is how
// far names may reach, over the chart and the margin.
function placedBeside(early, rows, { width, height, room }, look, values, most) {
  const high = LINE_HEIGHT * look.scale;
  const box = ({ x, y, wide }) => [x, y - high / 2, x + wide, y + high / 2];
  const taken = early.map(({ end: [x, y] }) => [x - 5, y - 5, x + 5, y + 5]);
  for (const row of rows) taken.push([width, row.y - row.high / 2, room, row.y + row.high / 2]);
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
