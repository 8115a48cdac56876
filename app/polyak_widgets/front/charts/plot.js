// A chart on the page: what plotly draws as a whole, the overlay above it, and the way to write straight into its lines.
// Panel and CloserLookChart build on it. Each says what it is wide enough for (`narrowBelow`), how far left of the axes
// it begins (`left`), and how it draws what it has once more (`redraw`).

import { CONFIG, MARGIN, columnsOf, layoutOf, traceOf } from "./chart.js";
import { make } from "../ground/dom.js";
import { drawLabels, endOf, marginFor } from "./labels.js";
import { drawCurve, holdChart } from "./live.js";
import { Overlay } from "./overlay.js";

export class Plot {
  // `describedBy` is the id of the sentence that says what is drawn.
  constructor(plotly, look, describedBy) {
    this.plotly = plotly;
    this.look = look;
    this.revision = 1; // one more makes plotly forget a zoom
    this.chart = make("div", { class: "pk-chart", role: "img", "aria-describedby": describedBy });
    this.over = new Overlay();
    this.overlay = this.over.node;
    this.frame = make("div", { class: "pk-chart-frame" }, this.chart, this.overlay);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.chart);
  }

  get narrow() {
    return !this.size && this.width < this.narrowBelow * this.look.scale; // remembered: to ask the page in every frame would cost a layout
  }

  // Where the plotting area begins.
  get corner() {
    return { left: this.left, top: MARGIN.t };
  }

  // True where the names stand in a line above the chart and not at the ends of the curves.
  get inLegend() {
    return this.narrow;
  }

  // These curves have a name.
  get labelled() {
    return this.panel.curves.filter((curve) => curve.label);
  }

  columns(curve) {
    return columnsOf(curve, this.floats, this.unit, this.k);
  }

  // The width is remembered before the words are written, since they depend on it.
  measure() {
    const [width, height] = this.size ?? [this.chart.clientWidth, this.chart.clientHeight];
    Object.assign(this, { width, height });
  }

  // Lets plotly draw everything: ranges, ticks, marks. False where the chart has no size, not being on the page yet (the
  // ResizeObserver will call again), or has gone meanwhile.
  async plot() {
    const { width, height } = this;
    if (!width || !height) return false;
    const traces = this.panel.curves.map((curve, i) => traceOf(curve, i, this.columns(curve), this.look, this.texts(curve)));
    this.drawing = this.plotly.react(this.chart, traces, this.layout({ width, height }), CONFIG);
    await this.drawing;
    this.drawing = null;
    if (this.gone) return false;
    this.plottedAt = performance.now();
    this.listen();
    return true;
  }

  // Gives what a pointer over the points of a curve reads, if anything.
  texts() {}

  layoutFor(panel, axes, size) {
    return layoutOf(panel, axes, size, { l: this.left, r: this.right() }, this.revision, this.look);
  }

  // Gives the margin at the right in pixels: room for names, if they stand there, and for `values` beside them; else `bare`.
  marginBeside(values, bare) {
    const lines = this.inLegend ? [] : this.labelled;
    return lines.length ? marginFor(lines.map(({ label }) => label), this.look, values) : bare * this.look.scale;
  }

  // plotly is asked for its events once, when it has drawn for the first time.
  listen() {
    if (this.listening) return;
    this.listening = true;
    this.chart.on("plotly_relayout", () => this.redrawn());
    this.chart.on("plotly_doubleclick", () => {
      this.forgetZoom();
      this.redraw();
    });
  }

  forgetZoom() {
    this.revision += 1;
  }

  // plotly has drawn: its axes are new, so the maps and all that lies over the chart follow.
  redrawn() {
    this.hold = holdChart(this.chart, this.panel.curves.length);
    this.overlay.toggleAttribute("hidden", !this.hold);
    if (this.hold) this.over.place(this.hold, this.corner);
  }

  // Writes curves into the lines that are there, null for one that stays; false if there is no line for one of them.
  drawCurves(curves) {
    return curves.every((curve, i) => !curve || drawCurve(this.hold, i, curve, ...this.columns(curve)));
  }

  // Writes the names at the ends of the curves.
  label() {
    if (this.inLegend || !this.hold) return this.over.names.replaceChildren();
    const lines = this.labelled;
    const ends = lines.map((curve) => endOf(this.hold, ...this.columns(curve)));
    const right = this.chart._fullLayout.width - 8;
    drawLabels(this.over.names, lines, ends, this.hold, { ...this.corner, right, scale: this.look.scale });
  }

  resized() {
    if (!this.panel || this.size) return;
    if (this.chart.clientWidth !== this.width || this.chart.clientHeight !== this.height) this.redraw();
  }

  // At another size, for a printer; none goes back.
  print(look, size) {
    [this.look, this.size] = [look, size];
    const [width, height] = size ? size.map((length) => `${length}px`) : ["", ""];
    Object.assign(this.chart.style, { width, height });
    if (!this.panel) return;
    const whole = this.redraw();
    this.redrawn(); // now, since a printer waits for no promise; plotly has drawn already
    return whole;
  }

  setLook(look) {
    this.look = look;
    return this.panel && this.redraw();
  }

  dispose() {
    this.gone = true;
    this.observer.disconnect();
    this.plotly.purge(this.chart);
  }
}
