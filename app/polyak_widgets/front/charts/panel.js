// One card: heading, buttons, the chart with what lies over it, and a sentence that says what is seen.

import { CONFIG, MARGIN, columnsOf, layoutOf, shownAxis, smallestPositive, traceOf, unitOf } from "./chart.js";
import { make, setText } from "../ground/dom.js";
import { writeNumber } from "../ground/format.js";
import { PanelHead } from "./head.js";
import { drawLabels, endOf, marginFor, writeValues } from "./labels.js";
import { drawCurve, holdChart } from "./live.js";
import { Overlay, recordNear } from "./overlay.js";

const NARROW = 580; // pixels: below this the names stand in a line above the chart; type that is larger needs more
const AXES_PAUSE = 400; // milliseconds between two changes of the axes while frames stream

export class Panel {
  // `stage` lends the cursor, the view and a way to change it.
  constructor(plotly, look, stage) {
    this.plotly = plotly;
    this.look = look;
    this.stage = stage;
    this.chosen = {}; // axis types switched by the reader
    this.revision = 1; // one more makes plotly forget a zoom
    this.build();
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.chart);
    this.unsubscribe = stage.cursor.subscribe(() => this.point());
  }

  build() {
    this.head = new PanelHead({
      flip: (name) => this.flip(name),
      choose: (name, value) => this.stage.choose(name, value),
    });
    this.chart = make("div", { class: "pk-chart", role: "img", "aria-describedby": this.head.summary.id });
    this.over = new Overlay();
    this.overlay = this.over.node;
    const frame = make("div", { class: "pk-chart-frame" }, this.chart, this.overlay);
    for (const kind of ["pointermove", "pointerdown"]) frame.addEventListener(kind, (event) => this.hover(event));
    frame.addEventListener("pointerdown", () => this.catchUp(), true); // before plotly zooms into what it has
    const { node, legend, foot } = this.head;
    this.node = make("section", { class: "pk-card pk-panel" }, node, legend, frame, foot);
  }

  get title() {
    return this.head.title;
  }

  get subtitle() {
    return this.head.subtitle;
  }

  flip(name) {
    this.chosen[name] = this.axes[name].type === "log" ? "linear" : "log";
    this.drawFull(this.panel, this.floats);
  }

  // Draws into the lines that are there; false if the chart has to be drawn as a whole, as it has to be for a settled
  // frame on other axes, unless a slider is `moving`.
  drawLive(panel, floats, moving) {
    const unit = this.unitFor(panel);
    if (this.key !== keyOf(panel, unit) || this.pending) return false;
    this.hold ??= holdChart(this.chart, panel.curves.length);
    const narrow = this.outgrown(panel, unit) && performance.now() - this.fullAt > AXES_PAUSE;
    if (!this.hold || narrow) return false;
    this.take(panel, floats, unit);
    if (panel.settled && !moving && this.frameOf() !== this.framed) return false;
    const drawn = panel.curves.every((curve, i) =>
      drawCurve(this.hold, i, curve, ...columnsOf(curve, floats, unit)),
    );
    if (!drawn) return false;
    this.behind = true;
    this.coverLive();
    this.write();
    return true;
  }

  // All that lies over the lines of a settled frame; false where the axes have to change first.
  finish() {
    if (!this.behind) return true;
    if (!this.panel.settled || this.frameOf() !== this.framed) return false;
    this.cover();
    return true;
  }

  // plotly's own data lag behind the lines that were drawn live.
  catchUp() {
    return this.behind ? this.drawFull(this.panel, this.floats) : undefined;
  }

  // Lets plotly draw everything: ranges, ticks, marks.
  async drawFull(panel, floats, size = this.size) {
    this.take(panel, floats, this.unitFor(panel));
    const [width, height] = size ?? [this.chart.clientWidth, this.chart.clientHeight];
    this.width = width;
    this.seen = `${width} ${height}`;
    this.write();
    if (!width || !height) return; // not on the page yet: the ResizeObserver will call again
    this.axes = this.axesOf(panel);
    const traces = panel.curves.map((curve, i) => traceOf(curve, i, floats, this.look, this.unit));
    const shown = { ...panel, x: this.shownX };
    const layout = layoutOf(shown, this.axes, { width, height }, this.right(), this.revision, this.look);
    this.pending = this.plotly.react(this.chart, traces, layout, CONFIG);
    await this.pending;
    this.pending = null;
    this.behind = false;
    this.framed = this.frameOf();
    this.listen();
    this.key = keyOf(panel, this.unit);
    this.asked = [this.shownX, panel.y];
    this.fullAt = performance.now();
    this.redrawn();
  }

  take(panel, floats, unit) {
    [this.panel, this.floats, this.unit] = [panel, floats, unit];
    if (panel.settled) this.before = { panel, floats, key: keyOf(panel, unit) };
    if (panel.settled) this.thin = (panel.lines ?? []).map((line) => ({ ...line, thin: true }));
  }

  unitFor(panel) {
    return unitOf(panel.curves.filter(isRun), this.stage.view.x);
  }

  // The x axis in the unit that is shown.
  get shownX() {
    return { ...this.panel.x, ...this.panel.x.units?.[this.unit] };
  }

  // plotly has drawn: its axes are new, so the maps and all that lies over the chart follow.
  redrawn() {
    this.hold = holdChart(this.chart, this.panel.curves.length);
    if (!this.hold) return this.overlay.toggleAttribute("hidden", true);
    this.overlay.toggleAttribute("hidden", false);
    this.over.place(this.hold, this.corner);
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

  listen() {
    if (this.listening) return;
    this.listening = true;
    this.chart.on("plotly_relayout", () => this.redrawn());
    this.chart.on("plotly_doubleclick", () => {
      this.revision += 1;
      this.drawFull(this.panel, this.floats);
    });
  }

  axesOf(panel) {
    const axis = (wanted, name, column) =>
      shownAxis(wanted, this.chosen[name], smallestPositive(panel.curves, this.floats, column, this.unit));
    return { x: axis(this.shownX, "x", 0), y: axis(panel.y, "y", 1) };
  }

  // What plotly draws around the lines: axes, and a margin for the names.
  frameOf() {
    return JSON.stringify([this.shownX, this.panel.y].map(({ title, range }) => [title, range]).concat(this.right()));
  }

  // Whether the asked ranges reach out of what is shown by more than a seventh of it. Curves that are short yet would
  // do with less, but axes that shrink and grow under a moving slider tell nobody anything.
  outgrown(panel, unit) {
    return [{ ...panel.x, ...panel.x.units?.[unit] }, panel.y].some((axis, i) => {
      const into = axis.type === "log" ? Math.log10 : (value) => value;
      const [low, high] = this.asked[i].range.map(into);
      const [below, above] = [low - into(axis.range[0]), into(axis.range[1]) - high];
      return Math.max(below, above) > (high - low) / 7;
    });
  }

  // Curves with a name; those of a settled frame with its thin lines, which stay in a legend while frames stream.
  get named() {
    return this.panel.curves.filter((curve) => curve.label && curve.mode !== "markers");
  }

  get labelled() {
    const thin = this.panel.settled || this.narrow ? this.thin ?? [] : [];
    return [...this.named, ...thin.filter((line) => line.label)];
  }

  get narrow() {
    return this.width < NARROW * this.look.scale; // remembered: to ask the page in every frame would cost a layout
  }

  right() {
    if (this.narrow || !this.labelled.length) return 24 * this.look.scale;
    return marginFor(this.labelled.map((curve) => curve.label), this.look);
  }

  label() {
    if (this.narrow || !this.hold) return this.over.names.replaceChildren();
    const lines = this.labelled;
    const ends = lines.map((curve) => endOf(this.hold, ...columnsOf(curve, this.floats, this.unit)));
    const right = this.chart._fullLayout.width - 8;
    drawLabels(this.over.names, lines, ends, this.hold, { ...this.corner, right, scale: this.look.scale });
  }

  get corner() {
    return { left: MARGIN.l * this.look.scale, top: MARGIN.t };
  }

  // The cursor has moved, or the curves under it.
  point() {
    const { k } = this.stage.cursor;
    if (!this.hold || !this.panel || k === null) return;
    const values = this.over.point(this.named.filter(isRun), this.floats, this.hold, this.unit, k);
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
    const k = recordNear(this.named.filter(isRun), this.floats, this.hold, this.unit, x, y);
    if (k !== null) this.stage.cursor.set(k);
  }

  // Everything in words; cheap enough for every frame.
  write() {
    this.head.write(this.panel, { ...this.chosen });
    this.chart.setAttribute("aria-label", this.panel.title ?? "chart");
    this.head.writeLegend(this.narrow ? this.labelled : []);
    this.label();
    this.point();
  }

  recount() {
    if (this.panel && this.unitFor(this.panel) !== this.unit) this.drawFull(this.panel, this.floats);
  }

  resized() {
    const size = `${this.chart.clientWidth} ${this.chart.clientHeight}`;
    if (size !== this.seen && this.panel && !this.size) this.drawFull(this.panel, this.floats);
  }

  // At another size, for a printer; none goes back.
  print(look, size) {
    [this.look, this.size] = [look, size];
    const [width, height] = size ? size.map((length) => `${length}px`) : ["", ""];
    Object.assign(this.chart.style, { width, height });
    return this.panel && this.drawFull(this.panel, this.floats);
  }

  setLook(look) {
    this.look = look;
    return this.panel && this.drawFull(this.panel, this.floats);
  }

  dispose() {
    this.unsubscribe();
    this.observer.disconnect();
    this.plotly.purge(this.chart);
  }
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
