// What plotly is told for a whole chart: traces, axes, looks. Pure: nothing here touches the page.

import { curveColour, lineWidth } from "../../ground/look.js";

export const CONFIG = { displayModeBar: false, doubleClick: false, showTips: false, responsive: false };
export const MARGIN = { l: 46, t: 8, b: 38 };
const BAND = 0.2; // how much of its colour the area of a band has
const MOST_TICKS = 7;
const TICK_ROOM = 64; // pixels along the x axis: for "100 000" and a gap

// The buffer may start anywhere in a longer one, and a Float64Array wants a multiple of eight: so a copy.
export function floatsOf(data) {
  if (!data?.byteLength) return new Float64Array(0);
  const { buffer, byteOffset = 0, byteLength } = data;
  return new Float64Array(buffer ? buffer.slice(byteOffset, byteOffset + byteLength) : data.slice(0));
}

// Gives x and y of a curve as views into the frame's buffer: x in another unit where the curve has it; of a curve
// that follows the cursor those of its last step that is not after k.
export function columnsOf(curve, floats, unit, k) {
  const { start, count, steps } = curve;
  const step = steps ? stepAt(stepsOf(curve, floats), k) : 0;
  const x = steps ? start + step * steps.x : curve.units?.[unit] ?? start;
  const y = steps ? steps.y + step * count : start + count;
  return [floats.subarray(x, x + count), floats.subarray(y, y + count)];
}

// Gives the iterations at which a curve that follows the cursor changes.
export function stepsOf({ steps }, floats) {
  return floats.subarray(steps.start, steps.start + steps.count);
}

// Gives the unit if all the curves have it, else iterations.
export function unitOf(curves, unit) {
  return curves.length && curves.every((curve) => unit in (curve.units ?? {})) ? unit : "iterations";
}

// Finds the record at k, or the last before it where only some are drawn; -1 if the curve ends earlier.
export function recordAt(ks, k) {
  return !ks.length || ks[0] > k || ks[ks.length - 1] < k ? -1 : stepAt(ks, k);
}

// Finds the last of ascending numbers that is not above k, or the first.
export function stepAt(ks, k) {
  let [low, high] = [0, ks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ks[middle] <= k) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Describes a curve for plotly; a pointer over its points reads `texts`, if there are any.
export function traceOf(curve, index, [x, y], look, texts) {
  const color = curveColour(curve.colour, look);
  const area = curve.mode === "band" ? { fill: "toself", fillcolor: color } : {};
  return {
    type: "scatter",
    uid: `c${index}`,
    x,
    y,
    mode: curve.mode === "markers" ? "markers" : "lines",
    // Every point is drawn, as in a live frame: dropping some would make the curves twitch when they settle.
    line: { color, width: area.fill ? 0 : lineWidth(curve.width ?? 2, look), dash: curve.dash ?? "solid", simplify: false },
    marker: { color, size: (curve.size ?? 8) * look.scale, symbol: curve.symbol ?? "circle-open", line: { width: 1.5, color } },
    ...area,
    opacity: area.fill ? BAND : curve.faint ? 0.45 : 1,
    name: curve.label ?? "",
    text: texts,
    hoverinfo: texts ? "text" : "skip",
  };
}

// Describes what surrounds the curves: axes, margins, type. `margin` is the room left and right of them in pixels.
export function layoutOf(panel, axes, size, margin, revision, look) {
  const room = (size.width - MARGIN.l * look.scale - margin.r) / (TICK_ROOM * look.scale);
  return {
    ...size,
    autosize: false,
    margin: { ...margin, t: MARGIN.t, b: MARGIN.b * look.scale },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: look.font, size: 12 * look.scale, color: look.quiet },
    showlegend: false,
    hovermode: false,
    // A finger on a chart scrolls the page; zooming is for a mouse.
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    uirevision: revision,
    xaxis: { ...axisOf(panel.x, axes.x, look, { nticks: Math.max(2, Math.min(MOST_TICKS, Math.floor(room))), plain: 1e5 }), showgrid: false },
    yaxis: { ...axisOf(panel.y, axes.y, look), showline: false },
    separators: ".\u2009",
  };
}

// Gives what plotly is told where nothing but the axes has moved: their ranges and the distance of their ticks. Null where
// more has changed.
export function movedAxes(before, after) {
  const unmoved = ({ xaxis, yaxis, ...rest }) => JSON.stringify([rest, ...[xaxis, yaxis].map((axis) => ({ ...axis, range: 0, dtick: 0 }))]);
  if (!before || unmoved(before) !== unmoved(after)) return null;
  const parts = ["xaxis", "yaxis"].flatMap((axis) => ["range", "dtick"].map((name) => [axis, name]));
  const moved = parts.filter(([axis, name]) => String(before[axis][name]) !== String(after[axis][name]));
  return Object.fromEntries(moved.map(([axis, name]) => [`${axis}.${name}`, after[axis][name]]));
}

// Left of a chart there is room for "1 000"; larger numbers, from `plain` on, are powers.
function axisOf(axis, { type, range }, look, { nticks = MOST_TICKS, plain = 1e4 } = {}) {
  const log = type === "log";
  return {
    type,
    range: log ? range.map(Math.log10) : range,
    title: { text: axis.title ?? "", standoff: 6, font: { size: 12 * look.scale } },
    gridcolor: look.hair,
    linecolor: look.hair,
    showline: true,
    zeroline: false,
    tickcolor: look.hair,
    tickangle: 0,
    ticklabeloverflow: "allow", // to look for what overflows costs a layout for each chart, and the margins have room
    ...(log ? logTicks(range, look.scale, nticks, plain) : { nticks, separatethousands: true, exponentformat: "power", minexponent: 6 }),
  };
}

// Plain numbers over a few ordinary decades, with 1, 2 and 5 where there is room; else powers, whole decades only.
// plotly writes powers a quarter larger than asked. Exponents of three digits are smaller, to fit left of a chart.
function logTicks([low, high], scale, nticks, plain) {
  const decades = Math.log10(high / low);
  const dtick = Math.max(1, Math.ceil(decades / nticks));
  const powers = { dtick, exponentformat: "power", tickfont: { size: (low < 1e-99 ? 8.8 : 10.4) * scale } };
  if (low < 1e-2 || high >= plain) return powers;
  const between = decades < 2.5 && 3 * decades < 2 * nticks + 1;
  const steps = between ? { dtick: decades < 0.7 ? "D1" : "D2" } : { dtick, tick0: Math.ceil(Math.log10(low)) };
  return { ...steps, tickformat: ",.4~r" };
}

// Gives type and range of an axis in data units: as the frame asks, or as a reader has switched it. A linear axis of what
// was logarithmic begins at 0 and ends with the data.
export function shownAxis(axis, chosen, { smallest, largest }) {
  const [low, high] = axis.range;
  const type = chosen ?? axis.type;
  if (type === "log" && !(low > 0)) return { type, range: [Math.min(smallest, high / 10), high] };
  if (type === "linear" && axis.type === "log" && low < high / 20) return { type, range: [0, Math.min(high, 1.04 * largest)] };
  return { type, range: [low, high] };
}

// Finds the smallest and the largest positive value of a column (0: x, 1: y) over all curves.
export function extent(curves, floats, column, unit) {
  let [smallest, largest] = [Infinity, 0];
  for (const curve of curves) {
    for (const value of columnsOf(curve, floats, unit)[column]) {
      if (!(value > 0 && value < Infinity)) continue;
      if (value < smallest) smallest = value;
      if (value > largest) largest = value;
    }
  }
  return { smallest, largest: largest || Infinity };
}
