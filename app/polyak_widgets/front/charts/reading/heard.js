// What the ear hears of a chart: of runs the value at the iteration that all charts share, else the points of a curve.

import { speakNumber } from "../../ground/format.js";
import { makeSvg, setAttributes } from "../../ground/dom.js";
import { paint } from "../../ground/look.js";
import { clamp } from "../../ground/scale.js";
import { TEXTS } from "../../ground/texts.js";

const TENTH = 0.1;

// `panel` is a card of runs: `runs` are its curves, `atCursor` their numbers.
export function heardRuns(panel, cursor) {
  const heightOf = (value) => 1 - panel.hold.y(value) / panel.hold.height;
  return {
    frame: panel.frame,
    curves: () => (panel.hold && panel.panel ? panel.runs : []),
    read(i) {
      const value = panel.atCursor[i];
      const there = value !== null && value !== undefined;
      const words = there ? spoken(value) : TEXTS.heard.noValueHere;
      return { place: `${panel.title.textContent}, k = ${speakNumber(cursor.k)}`, label: panel.runs[i].label, value: words, height: there ? heightOf(value) : NaN };
    },
    move(i, how, direction) {
      cursor.pause();
      if (how === "end") cursor.set(direction > 0 ? cursor.last : 0);
      else cursor[how](direction);
    },
    mark: (i) => [...panel.over.dots.children].forEach((dot, j) => dot.classList.toggle("pk-heard", j === i)),
  };
}

// `plot` is a chart without a cursor of its own: the ear keeps its place, a point of the curve that it listens to.
export function heardPoints(plot) {
  const sign = makeSvg("circle", { class: "pk-dot pk-heard", r: 6 });
  let at = 0;
  let place = 0; // x of that point
  const curves = () => (plot.hold && plot.panel ? plot.panel.curves.filter(({ label, count }) => label && count > 0) : []);
  const pointsOf = (i) => {
    const [xs, ys] = plot.columns(curves()[i]);
    const all = Array.from(xs, (x, j) => ({ x, y: ys[j], left: plot.hold.x(x) }));
    return all.filter(({ y, left }) => Number.isFinite(left) && Number.isFinite(plot.hold.y(y)));
  };
  // The point of a curve that the place means, null if it has none.
  const pointOf = (i) => {
    const points = pointsOf(i);
    const j = points[at]?.x === place ? at : nearest(points, plot.hold.x(place));
    return points.length ? { ...points[j], j, points } : null;
  };
  const take = (points, j) => ([at, place] = [j, points[j].x]);
  const valueOf = (y) => (plot.isMomentum ? plot.momentum(y) : spoken(y));
  return {
    frame: plot.frame,
    curves,
    read(i) {
      const point = pointOf(i);
      const words = { place: `${plot.panel.title}, ${plot.panel.x.title}: ${spoken(place)}`, label: curves()[i].label };
      if (!point) return { ...words, value: TEXTS.heard.noValueHere, height: NaN };
      return { ...words, value: valueOf(point.y), height: 1 - plot.hold.y(point.y) / plot.hold.height };
    },
    move(i, how, direction) {
      const point = pointOf(i);
      if (!point) return;
      const { points, j } = point;
      const step = how === "step" ? 1 : how === "page" ? Math.max(1, Math.round(TENTH * points.length)) : points.length;
      take(points, clamp(j + direction * step, 0, points.length - 1));
    },
    mark(i) {
      const point = i === null || !curves().length ? null : pointOf(i);
      if (!point) return sign.remove();
      take(point.points, point.j);
      plot.over.dots.append(sign);
      paint(sign, curves()[i].colour);
      setAttributes(sign, { transform: `translate(${point.left},${plot.hold.y(point.y)})` });
    },
  };
}

// The point whose x is nearest on the screen.
function nearest(points, left) {
  const away = points.map((point) => Math.abs(point.left - left));
  return Math.max(0, away.indexOf(Math.min(...away)));
}

function spoken(value) {
  return speakNumber(Number(value.toPrecision(3)));
}
