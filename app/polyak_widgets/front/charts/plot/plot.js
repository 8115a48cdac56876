// A chart on the page: what plotly draws as a whole, the overlay above it, and the way to write straight into its lines.
// Panel and CloserLookChart build on it. Each says what it is wide enough for (`narrowBelow`), how far left of the axes
// it begins (`left`), and how it draws what it has once more (`redraw`). The reader may hide curves and zoom; a zoom in
// which hardly anything is seen any more is let go of.

import { CONFIG, MARGIN, columnsOf, layoutOf, movedAxes, traceOf } from "./chart.js";
import { make } from "../../ground/dom.js";
import { drawLabels, endOf, marginFor } from "./labels.js";
import { familyOf, listenToEntries, watchEntries } from "./legend.js";
import { drawCurve, holdChart } from "./live.js";
import { Overlay } from "./overlay.js";
import { makeWholeButton, piecesSeen, watchPinch } from "./zoom.js";

const HARDLY = 0.1; // of what was seen when the reader zoomed
const HALF_NUMBER = 22; // pixels: half of "20 000", which stands at the end of an axis

export class Plot {
  // `describedBy` is the id of the sentence that says what is drawn.
  constructor(plotly, look, describedBy) {
    this.plotly = plotly;
    this.look = look;
    this.revision = 1; // one more makes plotly forget a zoom
    this.chart = make("div", { class: "pk-chart", role: "img", "aria-describedby": describedBy });
    this.front = ""; // the uid of the curve whose name is pointed at
    this.hidden = new Set(); // curves that the reader has put away, by their uid
    this.over = new Overlay((curve) => this.isHidden(curve));
    this.overlay = this.over.node;
    this.whole = makeWholeButton(() => this.showWhole());
    this.frame = make("div", { class: "pk-chart-frame" }, this.chart, this.overlay, this.whole);
    listenToEntries(this.over.names, (uid) => this.toggle(uid));
    watchEntries(this.over.names, (uid) => this.standOut(uid));
    watchPinch(this.frame, (stretches) => this.pinch(stretches));
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
    if (!width || !height || this.gone) return false;
    const traces = this.panel.curves.map((curve, i) => this.trace(curve, i));
    this.plotted = this.layout({ width, height });
    return this.drawn(this.plotly.react(this.chart, traces, structuredClone(this.plotted), CONFIG));
  }

  // Lets plotly move the axes, which takes a third of the time; its data stay as they are. False where more has changed.
  async moveAxes() {
    const { width, height, plotted } = this;
    this.plotted = this.layout({ width, height });
    const moved = movedAxes(plotted, this.plotted);
    return Boolean(moved) && this.drawn(Object.keys(moved).length && this.plotly.update(this.chart, {}, moved));
  }

  async drawn(drawing) {
    this.drawing = drawing;
    await drawing;
    this.drawing = null;
    if (this.gone) return false;
    this.plottedAt = performance.now();
    this.listen();
    return true;
  }

  trace(curve, i) {
    const hidden = this.isHidden(curve);
    const made = traceOf(curve, i, this.columns(curve), this.look, hidden ? undefined : this.texts(curve));
    return hidden ? { ...made, opacity: 0 } : made;
  }

  // Of a curve, a line, or a mark: those that have no name of their own go with the curve that they stand on.
  isHidden({ uid, label }) {
    return this.hidden.has(uid) || (!label && [...this.hidden].some((other) => familyOf(other) === familyOf(uid)));
  }

  // A name was pressed: its curve goes, or comes back.
  toggle(uid) {
    if (!this.hidden.delete(uid)) this.hidden.add(uid);
    return this.redraw();
  }

  // A name is pointed at: its curve stands out, since the others are pale. Where it is hidden, or none is (""), all are
  // as usual. plotly draws nothing for it, and the frames of a drag, which has its pointer elsewhere, pay nothing.
  standOut(uid) {
    this.front = uid;
    if (!this.panel) return;
    const isSeen = this.labelled.some((curve) => curve.uid === uid && !this.isHidden(curve));
    const isPale = isSeen ? (curve) => familyOf(curve.uid) !== familyOf(uid) : null;
    this.hold?.traces.forEach((trace, i) => trace.classList.toggle("pk-pale", Boolean(isPale?.(this.panel.curves[i]))));
    this.over.standOut(isPale);
  }

  // Gives what a pointer over the points of a curve reads, if anything.
  texts() {}

  layoutFor(panel, axes, size) {
    return layoutOf(panel, axes, size, { l: this.left, r: this.right() }, this.revision, this.look);
  }

  // Gives the margin at the right in pixels: room for names, if some stand there, and for numbers beside them; else for half
  // of the last number of the axis.
  marginBeside() {
    const lines = this.inLegend ? [] : this.labelled.filter((curve) => this.reachesMargin(curve));
    return lines.length ? marginFor(lines.map(({ label }) => label), this.size?.[0] ?? this.width, this.look, this.values && !this.size) : HALF_NUMBER * this.look.scale;
  }

  // Whether the name of a curve will stand in the margin.
  reachesMargin() {
    return true;
  }

  // plotly is asked for its events once, when it has drawn for the first time.
  listen() {
    if (this.listening) return;
    this.listening = true;
    this.chart.on("plotly_relayout", (changed) => {
      if (Object.keys(changed).some((name) => /^[xy]axis\.range/.test(name))) this.zoomed = true;
      this.hold = holdChart(this.chart, this.panel.curves.length);
      if (this.zoomed) this.seenAtFirst = this.seen();
      this.redrawn();
    });
    this.chart.on("plotly_doubleclick", () => {
      this.showWhole();
    });
  }

  forgetZoom() {
    this.revision += 1;
    this.zoomed = false;
  }

  showWhole() {
    this.forgetZoom();
    return this.redraw();
  }

  // As it was at first: all curves, and the whole range.
  restore() {
    this.hidden.clear();
    return this.panel && this.showWhole();
  }

  // What two fingers did; `stretches` is one function for each side, see watchPinch.
  pinch(stretches) {
    const { xaxis, yaxis } = this.chart._fullLayout ?? {};
    if (!this.hold || !xaxis) return;
    const box = this.overlay.getBoundingClientRect();
    const { left, top } = this.corner;
    const [across, down] = [[box.left + left, this.hold.width], [box.top + top, this.hold.height]].map((side, i) => stretches[i](...side));
    const part = ([low, high], [from, to]) => [low + from * (high - low), low + to * (high - low)];
    const y = part([...yaxis.range].reverse(), down).reverse();
    this.plotly.relayout(this.chart, { "xaxis.range": part(xaxis.range, across), "yaxis.range": y });
  }

  // How much of the curves with a name can be seen in what is shown.
  seen() {
    if (!this.hold) return 0;
    const curves = this.panel.curves.filter((curve) => curve.label && !this.isHidden(curve));
    return curves.reduce((sum, curve) => sum + piecesSeen(this.hold, ...this.columns(curve), curve.mode === "markers"), 0);
  }

  // Whether a zoom shows next to nothing; told of settled pictures only, since curves that grow begin with nothing.
  isLost() {
    return this.zoomed && this.panel.settled && this.seen() <= HARDLY * this.seenAtFirst;
  }

  // plotly has drawn: its axes are new, so the maps and all that lies over the chart follow.
  redrawn() {
    this.hold = holdChart(this.chart, this.panel.curves.length);
    this.overlay.toggleAttribute("hidden", !this.hold);
    if (this.isLost()) return void this.showWhole();
    this.whole.hidden = !this.zoomed;
    if (this.hold) this.over.place(this.hold, this.corner);
    if (this.front) this.standOut(this.front);
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
    const right = this.chart._fullLayout.width - 2;
    const growing = !this.panel.settled;
    const isHidden = (curve) => this.isHidden(curve);
    drawLabels(this.over.names, lines, ends, this.hold, { ...this.corner, right, look: this.look, values: this.values && !this.size, growing, isHidden });
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
