// The way to instant: a frame is written straight into the lines that plotly has drawn, with its axes held fixed.
// This file alone knows plotly's inner names. If they are not as expected, it says so and the caller lets
// plotly draw the whole chart again.

const FAR = 1e6; // pixels: beyond this a point would overflow what a browser draws

// From a value to pixels, through the axis object's own map at the ends of its range, which are logarithms on a
// log axis (the map rounds to a hundredth of a pixel, so two near points would not do). Values <= 0 have no place
// on a log axis: the line leaves the chart towards them, ten axis lengths below its middle, as plotly has it.
function axisMap(axis) {
  const [first, last] = axis.range;
  const from = axis.l2p(first);
  const slope = (axis.l2p(last) - from) / (last - first);
  if (!Number.isFinite(from) || !slope) return null;
  if (axis.type !== "log") return (value) => from + (value - first) * slope;
  const sunk = from + ((last - first) / 2 - 10 * Math.abs(last - first)) * slope;
  return (value) => (value > 0 ? from + (Math.log10(value) - first) * slope : value <= 0 ? sunk : NaN);
}

// The maps and elements of a drawn chart, or null if plotly is not as expected.
export function holdChart(chart, count) {
  const { xaxis, yaxis } = chart._fullLayout ?? {};
  if (typeof xaxis?.l2p !== "function" || typeof yaxis?.l2p !== "function") return null;
  const traces = Array.from({ length: count }, (_, i) => chart.querySelector(`.scatterlayer .tracec${i}`));
  const x = axisMap(xaxis);
  const y = axisMap(yaxis);
  return x && y && traces.every(Boolean) ? { x, y, width: xaxis._length, height: yaxis._length, traces } : null;
}

// Draws one curve; false if there is no element to draw it into.
export function drawCurve(hold, index, curve, xs, ys) {
  const trace = hold.traces[index];
  if (curve.mode === "markers") return moveRings(trace, hold, xs, ys);
  return bendLine(trace, pathOf(hold, xs, ys), curve.mode === "band" ? "path.js-fill" : "path.js-line");
}

// The line through the points, without those that lie less than `apart` pixels from the one before.
export function pathOf({ x, y }, xs, ys, apart = 0) {
  let path = "";
  let pen = "M";
  let [lastX, lastY] = [NaN, NaN];
  for (let i = 0; i < xs.length; i++) {
    const px = x(xs[i]);
    const py = y(ys[i]);
    if (Number.isFinite(px) && Number.isFinite(py)) {
      if (pen === "L" && Math.abs(px - lastX) + Math.abs(py - lastY) < apart) continue;
      path += `${pen}${near(px)},${near(py)}`;
      [pen, lastX, lastY] = ["L", px, py];
    } else pen = "M";
  }
  return path;
}

function near(pixels) {
  return (pixels > FAR ? FAR : pixels < -FAR ? -FAR : pixels).toFixed(2);
}

// plotly keeps one path for each unbroken piece; the first takes the whole curve, the others wait empty.
function bendLine(trace, path, kind) {
  const [line, ...others] = trace.querySelectorAll(kind);
  if (!line) return path === "";
  line.setAttribute("d", path || "M0,0");
  for (const other of others) other.setAttribute("d", "M0,0");
  return true;
}

function moveRings(trace, { x, y }, xs, ys) {
  const places = Array.from(xs, (value, i) => [x(value), y(ys[i])]).filter(([px, py]) => Number.isFinite(px) && Number.isFinite(py));
  const layer = trace.querySelector(".points");
  const rings = [...(layer?.querySelectorAll("path.point") ?? [])];
  if (!rings.length) return !places.length;
  while (rings.length < places.length) rings.push(layer.appendChild(rings[0].cloneNode()));
  rings.forEach((ring, i) => {
    const [px, py] = places[i] ?? [-99, -99];
    ring.setAttribute("transform", `translate(${near(px)},${near(py)})`);
  });
  return true;
}
