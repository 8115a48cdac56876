// What lies over a chart: bands, thin lines, markers along the curves, marks at records, and the cursor. Drawn by
// the maps of the live path, so nothing here waits for plotly. Bands, lines and marks belong to a settled frame:
// while frames stream they would speak of other curves, so they are hidden.

import { columnsOf, recordAt, unitOf } from "./chart.js";
import { makeSvg, setAttributes, setText } from "../../ground/dom.js";
import { pathOf } from "./live.js";
import { dashOf, paint } from "../../ground/look.js";
import { symbolOf } from "../../ground/symbols.js";
import { TEXTS } from "../../ground/texts.js";

const MARKERS = 5; // along one curve
const COARSE = 3; // pixels: what is faint and soon gone need not be finer, and long paths take long to paint
const OUTSIDE = "translate(-99,-99)";

export class Overlay {
  // `isHidden` says of a curve, a line or a mark whether the reader has put it away.
  constructor(isHidden) {
    this.isHidden = isHidden;
    const layer = (name) => makeSvg("g", { class: `pk-${name}-layer` });
    [this.bands, this.former, this.lines] = ["band", "former", "thin"].map(layer);
    [this.markers, this.marks, this.dots, this.names] = ["marker", "mark", "dot", "name"].map(layer);
    this.rule = makeSvg("path", { class: "pk-rule" });
    this.area = makeSvg("svg", {}, this.bands, this.former, this.lines, this.rule); // cut off at the axes
    this.over = makeSvg("g", {}, this.markers, this.marks, this.dots);
    for (const part of [this.area, this.over]) setAttributes(part, { "aria-hidden": "true" });
    setAttributes(this.names, { role: "group", "aria-label": TEXTS.overlay.curves });
    this.node = makeSvg("svg", { class: "pk-labels" }, this.area, this.over, this.names);
  }

  // `left` and `top` are the corner of the plotting area.
  place(hold, { left, top }) {
    setAttributes(this.area, { x: left, y: top, width: hold.width, height: hold.height });
    setAttributes(this.over, { transform: `translate(${left},${top})` });
  }

  // Everything, after plotly has drawn.
  draw(panel, floats, hold, unit) {
    this.stale(false);
    this.recall(null);
    const points = (box) => panel.curves.reduce((sum, curve) => sum + pointsIn(box, hold, ...columnsOf(curve, floats, unit)), 0);
    this.fill(this.bands, panel.bands ?? [], makeBand, (node, band) => putBand(node, band, hold, points));
    const shown = (things = []) => things.filter((each) => !this.isHidden(each));
    this.fill(this.lines, shown(panel.lines), () => makeSvg("path", { class: "pk-stroke pk-thin" }), (node, line) => {
      paint(node, line.colour);
      const d = hasUnit(line, unit) ? pathOf(hold, ...columnsOf(line, floats, unit)) : "";
      setAttributes(node, { d, "stroke-dasharray": dashOf(line.dash) });
    });
    this.fill(this.marks, shown(panel.marks), makeMark, (node, mark) => putMark(node, mark, hold, unit));
    this.follow(panel, floats, hold, unit);
  }

  // A frame that streams: what moves with the curves.
  live(panel, floats, hold, unit) {
    this.stale(true);
    this.follow(panel, floats, hold, unit);
  }

  // The picture before stays, faint, behind curves that have not grown as long yet: nothing collapses while a slider
  // moves. `before` has its panel and floats, or is null.
  recall(before, panel, floats, hold, unit) {
    if (before !== this.recalled || hold !== this.recalledOn) {
      [this.recalled, this.recalledOn] = [before, hold];
      this.fill(this.former, before?.panel.curves.filter(isLine) ?? [], () => makeSvg("path", { class: "pk-stroke" }), (node, curve) => {
        paint(node, curve.colour);
        const d = hasUnit(curve, unit) ? pathOf(hold, ...columnsOf(curve, before.floats, unit), COARSE) : "";
        setAttributes(node, { d, "stroke-dasharray": dashOf(curve.dash) });
      });
    }
    before?.panel.curves.filter(isLine).forEach((curve, i) => {
      const grown = panel.curves.find(({ uid }) => uid === curve.uid);
      const short = grown && lastOf(grown, floats) < lastOf(curve, before.floats);
      setAttributes(this.former.children[i], { visibility: short && !this.isHidden(curve) ? null : "hidden" });
    });
  }

  stale(now) {
    if (now === this.isStale) return;
    this.isStale = now;
    for (const layer of [this.bands, this.lines, this.marks]) setAttributes(layer, { visibility: now ? "hidden" : null });
  }

  // Pales what belongs to the curves of which `isPale` is true, null for none; what is drawn later becomes as pale.
  standOut(isPale) {
    if (!isPale && !this.isPale) return;
    this.isPale = isPale;
    for (const layer of [this.former, this.lines, this.markers, this.marks, this.dots]) {
      for (const node of layer.children) node.classList.toggle("pk-pale", Boolean(isPale?.(node.owner)));
    }
  }

  // As many children as there are data, each brought up to date. A datum is the curve, line or mark that it belongs
  // to, or has it as its first part; a band belongs to none.
  fill(layer, data, create, put) {
    while (layer.children.length > data.length) layer.lastChild.remove();
    while (layer.children.length < data.length) layer.append(create());
    data.forEach((item, i) => {
      const node = layer.children[i];
      node.owner = Array.isArray(item) ? item[0] : item;
      if (this.isPale && layer !== this.bands) node.classList.toggle("pk-pale", this.isPale(node.owner));
      put(node, item);
    });
  }

  // Markers in equal steps along the x axis, a little later on each curve, so that they never lie on each other.
  follow(panel, floats, hold, unit) {
    const marked = panel.curves.filter((curve) => curve.marker && curve.mode !== "markers" && !this.isHidden(curve));
    const places = marked.flatMap((curve, i) =>
      alongCurve(hold, ...columnsOf(curve, floats, unit), (i + 1) / (marked.length + 1)).map((at) => [curve, at]),
    );
    this.fill(this.markers, places, () => makeSvg("path"), (node, [{ marker, colour }, [x, y]]) => {
      if (node.dataset.sign !== marker + colour) {
        node.dataset.sign = marker + colour;
        setAttributes(node, symbolOf(marker));
        paint(node, colour);
      }
      node.setAttribute("transform", `translate(${x.toFixed(1)},${y.toFixed(1)})`);
    });
  }

  // The upright line of the cursor, x pixels from the axis; none where that is no number.
  drawRule(x, hold) {
    setAttributes(this.rule, { d: Number.isFinite(x) ? `M${x.toFixed(1)},0V${hold.height}` : "" });
  }

  // The cursor at k: a line where the x axis counts iterations, a dot on each curve. Gives the value on each.
  point(curves, floats, hold, unit, k) {
    this.drawRule(unit === "iterations" && curves.length ? hold.x(k) : NaN, hold);
    const values = [];
    this.fill(this.dots, curves, () => makeSvg("circle", { class: "pk-dot", r: 4 }), (node, curve) => {
      const [ks, ys] = columnsOf(curve, floats);
      const i = recordAt(ks, k);
      values.push(i < 0 ? null : ys[i]);
      const [px, py] = i < 0 ? [NaN, NaN] : [hold.x(columnsOf(curve, floats, unit)[0][i]), hold.y(ys[i])];
      const inside = px >= -1 && px <= hold.width + 1 && py >= -1 && py <= hold.height + 1 && !this.isHidden(curve);
      paint(node, curve.colour);
      node.setAttribute("transform", inside ? `translate(${px.toFixed(1)},${py.toFixed(1)})` : OUTSIDE);
    });
    return values;
  }
}

function isLine({ mode }) {
  return mode !== "markers";
}

// The last iteration that a curve has a point at.
function lastOf(curve, floats) {
  return columnsOf(curve, floats)[0].at(-1) ?? -1;
}

function hasUnit(curve, unit) {
  return unit === "iterations" || unit in (curve.units ?? {});
}

function makeBand() {
  return makeSvg("g", { class: "pk-band" }, makeSvg("rect"), makeSvg("text"));
}

// Its words stand where the fewest points of curves are (`points` counts those in a box): in it, or just above it.
function putBand(node, { from, to, text }, hold, points) {
  const at = (value, end) => Math.min(Math.max(value === null ? end : hold.y(value), 0), hold.height);
  const [bottom, top] = [at(from ?? null, hold.height), at(to ?? null, 0)];
  const [rect, words] = node.children;
  setAttributes(rect, { x: 0, y: top, width: hold.width, height: Math.max(0, bottom - top) });
  setText(words, bottom - top > 0.5 ? text : "");
  const { width, height } = words.getBBox();
  const heights = bottom - top > height + 4 ? [top + height, bottom - 5, top - 5] : [top - 5];
  const spots = heights.flatMap((y) => [8, hold.width - width - 8, (hold.width - width) / 2].map((x) => ({ x, y })));
  const crossed = spots.map(({ x, y }) => points([x - 4, y - height, x + width + 4, y + 4]));
  setAttributes(words, spots[crossed.indexOf(Math.min(...crossed))]);
}

function pointsIn([left, top, right, bottom], hold, xs, ys) {
  return xs.reduce((sum, value, i) => {
    const [x, y] = [hold.x(value), hold.y(ys[i])];
    return sum + (x > left && x < right && y > top && y < bottom);
  }, 0);
}

function makeMark() {
  return makeSvg("g", { class: "pk-mark-sign" }, makeSvg("path"), makeSvg("title"));
}

// A mark above or below what is shown stands at the edge, so that no end of a run is lost.
function putMark(node, { symbol, x, y, text, colour }, hold, unit) {
  const [sign, title] = node.children;
  setAttributes(sign, symbolOf(symbol));
  paint(node, colour);
  setText(title, text);
  const px = hold.x(x[unit] ?? NaN);
  const py = y > 0 || Number.isFinite(hold.y(y)) ? Math.min(Math.max(hold.y(y), 0), hold.height) : hold.height;
  const inside = px >= -1 && px <= hold.width + 1 && Number.isFinite(py);
  node.setAttribute("transform", inside ? `translate(${px.toFixed(1)},${py.toFixed(1)})` : OUTSIDE);
}

// Points on a curve at equal steps of the chart's width, shifted by a part of a step.
function alongCurve(hold, xs, ys, shift) {
  const places = [];
  for (let step = 0; step < MARKERS; step++) {
    const target = ((step + shift) / MARKERS) * hold.width;
    const i = firstAtPixel(hold, xs, target);
    if (i <= 0 || i >= xs.length) continue;
    const [x0, x1] = [hold.x(xs[i - 1]), hold.x(xs[i])];
    const [y0, y1] = [hold.y(ys[i - 1]), hold.y(ys[i])];
    const y = y0 + ((target - x0) / (x1 - x0 || 1)) * (y1 - y0);
    if (y >= 0 && y <= hold.height) places.push([target, y]);
  }
  return places;
}

// The first record at or right of a pixel; xs never decrease.
function firstAtPixel(hold, xs, pixel) {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hold.x(xs[middle]) < pixel) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The k of the record that lies nearest to a point of the chart, among those nearest to it in x; null if none.
export function recordNear(curves, floats, hold, unit, px, py) {
  let best = null;
  for (const curve of curves) {
    const [xs, ys] = columnsOf(curve, floats, unitOf([curve], unit));
    const after = firstAtPixel(hold, xs, px);
    for (const i of [after - 1, after]) {
      if (i < 0 || i >= xs.length) continue;
      const away = Math.max(Math.abs(hold.x(xs[i]) - px), 1) * 1e4 + Math.min(Math.abs(hold.y(ys[i]) - py) || 9999, 9999);
      if (!best || away < best.away) best = { away, k: columnsOf(curve, floats)[0][i] };
    }
  }
  return best?.k ?? null;
}
