// One card: heading, buttons, the chart with what lies over it, and a sentence that says what is seen.

import { MARGIN, columnsOf, extent, shownAxis, unitOf } from "../plot/chart.js";
import { make } from "../../ground/dom.js";
import { writeNumber } from "../../ground/format.js";
import { PanelHead } from "./head.js";
import { heardRuns } from "../reading/heard.js";
import { listenToEntries, watchEntries } from "../plot/legend.js";
import { endsNear, writeValues } from "../plot/labels.js";
import { recordNear } from "../plot/overlay.js";
import { Plot } from "../plot/plot.js";
import { TEXTS } from "../../ground/texts.js";

const AXES_PAUSE = 400; // milliseconds between two changes of the axes while frames stream

export class Panel extends Plot {
  values = true; // numbers at the cursor stand beside the names
  narrowBelow = 660; // pixels: below this the names stand in a line above the chart; type that is larger needs more

  // `stage` lends the cursor, the view and a way to change it; `name` is that of the panel.
  constructor(plotly, look, stage, name) {
    const flip = (axis) => stage.choose("other_scales", flipped(stage.view.other_scales, this.axisName(axis)));
    const head = new PanelHead({ flip, choose: (name, value) => stage.choose(name, value) });
    super(plotly, look, head.summary.id);
    Object.assign(this, { stage, name });
    this.head = head;
    this.node = make("section", { class: "pk-card pk-panel" }, head.node, head.legend, this.frame, head.foot);
    for (const kind of ["pointermove", "pointerdown"]) this.frame.addEventListener(kind, (event) => this.hover(event));
    this.frame.addEventListener("pointerdown", () => this.catchUp(), true); // before plotly zooms into what it has
    listenToEntries(head.legend, (uid) => this.toggle(uid));
    watchEntries(head.legend, (uid) => this.standOut(uid));
    this.atCursor = []; // the number of each run
    this.unsubscribe = stage.cursor.subscribe(() => this.point());
    this.heard = heardRuns(this, stage.cursor);
    stage.ear?.attach(this.heard);
  }

  get title() {
    return this.head.title;
  }

  get subtitle() {
    return this.head.subtitle;
  }

  axisName(axis) {
    return `${this.name}-${axis}`;
  }

  // The types of the axes that the reader has switched.
  get chosen() {
    const switched = ["x", "y"].filter((axis) => this.stage.view.other_scales?.includes(this.axisName(axis)));
    return Object.fromEntries(switched.map((axis) => [axis, this.panel[axis].type === "log" ? "linear" : "log"]));
  }

  // Draws into the lines that are there; false if the chart has to be drawn as a whole, as it has to be for a settled
  // frame on other axes, unless a slider is `moving`.
  drawLive(panel, floats, moving) {
    const unit = this.unitFor(panel);
    if (this.zoomed && this.isElsewhere(panel, unit)) return false;
    if (this.key !== keyOf(panel, unit) || this.drawing) return false;
    const narrow = this.outgrown(panel, unit) && performance.now() - this.plottedAt > AXES_PAUSE;
    if (!this.hold || narrow) return false;
    this.take(panel, floats, unit);
    if (panel.settled && !moving && this.frameOf() !== this.framed) return false;
    if (!this.drawCurves(panel.curves)) return false;
    this.behind = true;
    this.coverLive();
    this.write();
    return true;
  }

  // Draws all that lies over the lines of a settled frame; false where the axes have to change first.
  finish() {
    if (!this.panel.settled || this.frameOf() !== this.framed) return false;
    this.cover();
    return true;
  }

  // plotly's own data lag behind the lines that were drawn live.
  catchUp() {
    return this.behind ? this.redraw() : undefined;
  }

  redraw() {
    return this.drawFull(this.panel, this.floats);
  }

  // Draws a frame with its own axes: into the lines that are there if the curves are the same, else as a whole.
  drawFrame(panel, floats) {
    const same = this.hold && !this.drawing && !this.zoomed && this.key === keyOf(panel, this.unitFor(panel));
    return this.drawFull(panel, floats, same);
  }

  async drawFull(panel, floats, same = false) {
    const unit = this.unitFor(panel);
    if (this.zoomed && this.isElsewhere(panel, unit)) this.forgetZoom();
    this.take(panel, floats, unit);
    this.measure();
    this.write();
    const moved = same && (await this.moveAxes());
    if (!moved && !(await this.plot())) return;
    this.behind = moved;
    this.framed = this.frameOf();
    this.key = keyOf(panel, this.unit);
    this.askedAxes = [this.shownX, panel.y];
    this.drawnTypes = JSON.stringify(this.chosen);
    this.redrawn();
  }

  // Whether a zoom means nothing for a panel: it is of another problem or another length, or counts in another unit.
  isElsewhere({ subject }, unit) {
    return unit !== this.unit || String(subject) !== String(this.panel.subject);
  }

  layout(size) {
    this.axes = this.axesOf(this.panel);
    return this.layoutFor({ ...this.panel, x: this.shownX }, this.axes, size);
  }

  take(panel, floats, unit) {
    [this.panel, this.floats, this.unit] = [panel, floats, unit];
    if (panel.settled) this.before = { panel, floats, key: keyOf(panel, unit) };
    if (panel.settled) this.thin = (panel.lines ?? []).map((line) => ({ ...line, thin: true }));
  }

  unitFor(panel) {
    return unitOf(panel.curves.filter(isRun), this.stage.view.x);
  }

  // Describes the x axis in the unit that is shown.
  get shownX() {
    return { ...this.panel.x, ...this.panel.x.units?.[this.unit] };
  }

  redrawn() {
    super.redrawn();
    if (!this.hold) return;
    if (this.behind && !this.drawCurves(this.panel.curves)) return void this.redraw();
    this.cover();
  }

  coverLive() {
    const [now, before] = [[this.panel, this.floats, this.hold, this.unit], this.before];
    this.over.live(...now);
    this.over.recall(before?.key === keyOf(this.panel, this.unit) ? before : null, ...now);
  }

  // What the next picture will leave behind it is made ready, unseen, while there is time.
  prepare() {
    const { before } = this;
    if (before && this.hold) this.over.recall(before, before.panel, before.floats, this.hold, this.unit);
  }

  cover() {
    if (this.panel.settled) this.over.draw(this.panel, this.floats, this.hold, this.unit);
    else this.coverLive();
    this.label();
    this.point();
  }

  axesOf(panel) {
    const shown = (axis, name, column) => shownAxis(axis, this.chosen[name], extent(panel.curves, this.floats, column, this.unit));
    return { x: shown(this.shownX, "x", 0), y: shown(panel.y, "y", 1) };
  }

  // Describes what plotly draws around the lines: axes, and a margin for the names.
  frameOf() {
    return JSON.stringify([this.shownX, this.panel.y].map(({ title, range }) => [title, range]).concat(this.right()));
  }

  // Whether the asked ranges reach out of what is shown by more than a seventh of it. Curves that are short yet would
  // do with less, but axes that shrink and grow under a moving slider tell nobody anything.
  outgrown(panel, unit) {
    return [{ ...panel.x, ...panel.x.units?.[unit] }, panel.y].some((axis, i) => {
      const into = axis.type === "log" ? Math.log10 : (value) => value;
      const [low, high] = this.askedAxes[i].range.map(into);
      const [below, above] = [low - into(axis.range[0]), into(axis.range[1]) - high];
      return Math.max(below, above) > (high - low) / 7;
    });
  }

  // Curves with a name; those of a settled frame with its thin lines, which stay in a legend while frames stream.
  get named() {
    return this.panel.curves.filter((curve) => curve.label && curve.mode !== "markers");
  }

  // Of these the ones that have a value at the cursor.
  get runs() {
    return this.named.filter(isRun);
  }

  get labelled() {
    const thin = this.panel.settled || this.narrow ? this.thin ?? [] : [];
    return [...this.named, ...thin.filter((line) => line.label)];
  }

  // Where all curves of a settled chart end early, the chart takes the room.
  reachesMargin(curve) {
    if (!this.panel.settled) return true;
    const [low, high] = this.shownX.range;
    const [xs, ys] = this.columns(curve);
    const bottom = this.panel.y.type === "log" ? this.panel.y.range[0] : -Infinity;
    let last = ys.length - 1;
    while (last > 0 && !(ys[last] >= bottom)) last -= 1;
    const log = (this.chosen.x ?? this.panel.x.type) === "log";
    const part = log ? 1 + Math.log(xs[last] / high) / Math.log(high / (low || 1)) : xs[last] / high;
    return endsNear(part * this.width, this.width, this.look);
  }

  get left() {
    return MARGIN.l * this.look.scale;
  }

  right() {
    return this.marginBeside();
  }

  // The cursor has moved, or the curves under it.
  point() {
    const { k } = this.stage.cursor;
    if (!this.hold || !this.panel || k === null) return;
    this.atCursor = this.over.point(this.runs, this.floats, this.hold, this.unit, k);
    const values = [...this.atCursor];
    const texts = this.named.map((curve) => (isRun(curve) ? valueText(values.shift()) : ""));
    if (this.narrow) this.head.writeValues(texts);
    else writeValues(this.over.names, texts);
  }

  // A pointer over the chart brings the cursor; with a button down it zooms, and a finger moves it.
  hover(event) {
    if (!this.hold || (event.pointerType === "mouse" && event.buttons)) return;
    const place = this.overlay.getBoundingClientRect();
    const { left, top } = this.corner;
    const [x, y] = [event.clientX - place.left - left, event.clientY - place.top - top];
    if (x < -8 || x > this.hold.width + 8 || y < 0 || y > this.hold.height) return;
    const k = recordNear(this.runs, this.floats, this.hold, this.unit, x, y);
    if (k !== null) this.stage.cursor.set(k);
  }

  // Writes everything in words; this is cheap enough for every frame.
  write() {
    this.head.write(this.panel, { ...this.chosen }, this.stage.view);
    for (const node of [this.chart, this.frame]) node.setAttribute("aria-label", this.panel.title ?? TEXTS.panel.chart);
    this.head.writeLegend(this.narrow ? this.labelled : [], (curve) => this.isHidden(curve));
    this.head.place(this.narrow);
    this.label();
    this.point();
  }

  // A unit that is not there yet comes with the next frame.
  recount() {
    if (!this.panel) return;
    const unit = this.unitFor(this.panel);
    const counted = unit !== this.unit && unit === this.stage.view.x;
    if (counted || JSON.stringify(this.chosen) !== this.drawnTypes) this.redraw();
  }

  dispose() {
    this.unsubscribe();
    this.stage.ear?.detach(this.heard);
    super.dispose();
  }
}

// The list with the name in it, or without it where it has been in it.
function flipped(names = [], name) {
  return names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
}

// A curve whose x counts the records of a run, so that the cursor has a place on it.
function isRun(curve) {
  return Boolean(curve.run);
}

function valueText(value) {
  return value === null || value === undefined ? "\u2013" : writeNumber(value);
}

// What must be equal for one frame to be drawn into the lines of another.
function keyOf(panel, unit) {
  return JSON.stringify([
    unit,
    panel.x.type,
    panel.y.type,
    panel.curves.map(({ uid, mode, colour, dash, width, faint }) => [uid, mode, colour, dash, width, faint]),
  ]);
}
