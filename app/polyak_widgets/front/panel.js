// One card: heading, axis buttons, the chart with its labels, and its summary in words.

import { CONFIG, MARGIN, columnsOf, layoutOf, shownAxis, smallestPositive, traceOf } from "./chart.js";
import { freshId, make, makeSvg, setText } from "./dom.js";
import { drawLabels, endOf, marginFor } from "./labels.js";
import { drawCurve, holdChart } from "./live.js";
import { lineSample } from "./look.js";

const NARROW = 600; // pixels: below this the names stand in a line above the chart
const AXES_PAUSE = 400; // milliseconds between two changes of the axes while frames stream

export class Panel {
  constructor(plotly, look) {
    this.plotly = plotly;
    this.look = look;
    this.chosen = {}; // axis types switched by the reader
    this.revision = 1; // one more makes plotly forget a zoom
    this.build();
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.chart);
  }

  build() {
    const id = freshId("panel");
    this.title = make("h2", { class: "pk-panel-title" });
    this.subtitle = make("p", { class: "pk-quiet" });
    this.legend = make("p", { class: "pk-legend" });
    this.summary = make("p", { class: "pk-hidden", id });
    this.chart = make("div", { class: "pk-chart", role: "img", "aria-describedby": id });
    this.overlay = makeSvg("svg", { class: "pk-labels", "aria-hidden": "true" });
    this.buttons = { y: this.axisButton("y"), x: this.axisButton("x") };
    const switches = make("div", { class: "pk-switches" }, this.buttons.y, this.buttons.x);
    const head = make("div", { class: "pk-panel-head" }, this.title, switches, this.subtitle);
    const frame = make("div", { class: "pk-chart-frame" }, this.chart, this.overlay);
    this.node = make("section", { class: "pk-card pk-panel" }, head, this.legend, frame, this.summary);
  }

  axisButton(name) {
    const button = make("button", { type: "button", class: "pk-switch" });
    button.addEventListener("click", () => {
      this.chosen[name] = this.axes[name].type === "log" ? "linear" : "log";
      this.drawFull(this.panel, this.floats);
    });
    return button;
  }

  // Draws into the lines that are there; false if the chart has to be drawn as a whole.
  drawLive(panel, floats) {
    if (this.key !== keyOf(panel) || this.pending) return false;
    this.hold ??= holdChart(this.chart, panel.curves.length);
    if (!this.hold || (this.axesDiffer(panel) && performance.now() - this.fullAt > AXES_PAUSE)) return false;
    this.panel = panel;
    this.floats = floats;
    const drawn = panel.curves.every((curve, i) => drawCurve(this.hold, i, curve, ...columnsOf(curve, floats)));
    if (drawn) this.write();
    return drawn;
  }

  // Lets plotly draw everything: ranges, ticks, hover.
  async drawFull(panel, floats) {
    this.panel = panel;
    this.floats = floats;
    this.write();
    const { clientWidth: width, clientHeight: height } = this.chart;
    if (!width || !height) return; // not on the page yet: the ResizeObserver will call again
    this.axes = this.axesOf(panel);
    const traces = panel.curves.map((curve, i) => traceOf(curve, i, floats, this.look));
    const layout = layoutOf(panel, this.axes, { width, height }, this.right(), this.revision, this.look);
    this.pending = this.plotly.react(this.chart, traces, layout, CONFIG);
    await this.pending;
    this.pending = null;
    this.listen();
    this.key = keyOf(panel);
    this.asked = [panel.x, panel.y];
    this.fullAt = performance.now();
    this.redrawn();
  }

  // plotly has drawn: its axes are new, so the maps and the labels follow.
  redrawn() {
    this.hold = holdChart(this.chart, this.panel.curves.length);
    this.label();
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
    const axis = (name, column) =>
      shownAxis(panel[name], this.chosen[name], smallestPositive(panel.curves, this.floats, column));
    return { x: axis("x", 0), y: axis("y", 1) };
  }

  // Whether the asked ranges have moved by more than a seventh of what is shown.
  axesDiffer(panel) {
    return [panel.x, panel.y].some((axis, i) => {
      const into = axis.type === "log" ? Math.log10 : (value) => value;
      const [low, high] = this.asked[i].range.map(into);
      return axis.range.some((end, j) => Math.abs(into(end) - [low, high][j]) > (high - low) / 7);
    });
  }

  get named() {
    return this.panel.curves.filter((curve) => curve.label && curve.mode !== "markers");
  }

  get narrow() {
    return this.chart.clientWidth < NARROW;
  }

  right() {
    return this.narrow || !this.named.length ? 24 : marginFor(this.named.map((curve) => curve.label), this.look.font);
  }

  label() {
    if (this.narrow || !this.hold) return this.overlay.replaceChildren();
    const ends = this.named.map((curve) => endOf(this.hold, ...columnsOf(curve, this.floats)));
    drawLabels(this.overlay, this.named, ends, this.hold, { left: MARGIN.l, top: MARGIN.t });
  }

  // Everything in words; cheap enough for every frame.
  write() {
    const { title, subtitle, summary } = this.panel;
    setText(this.title, title ?? "");
    setText(this.subtitle, subtitle ?? "");
    setText(this.summary, summary ?? "");
    this.chart.setAttribute("aria-label", title ?? "chart");
    this.writeLegend();
    this.writeButtons();
    this.label();
  }

  writeLegend() {
    const key = JSON.stringify([this.narrow, this.named.map(({ label, colour, dash }) => [label, colour, dash])]);
    if (key === this.legendKey) return;
    this.legendKey = key;
    const entries = this.narrow ? this.named : [];
    this.legend.hidden = !entries.length;
    this.legend.replaceChildren(
      ...entries.map(({ label, colour, dash }) => make("span", {}, lineSample(colour, dash), label)),
    );
  }

  writeButtons() {
    for (const [name, button] of Object.entries(this.buttons)) {
      const type = this.chosen[name] ?? this.panel[name].type;
      const short = type === "log" ? "log" : "lin";
      setText(button, `${name} ${short}`);
      button.setAttribute("aria-label", `${name} ${short}: switch to ${type === "log" ? "linear" : "logarithmic"}`);
    }
  }

  resized() {
    const size = `${this.chart.clientWidth} ${this.chart.clientHeight}`;
    if (size === this.size || !this.panel) return;
    this.size = size;
    this.drawFull(this.panel, this.floats);
  }

  setLook(look) {
    this.look = look;
    if (this.panel) this.drawFull(this.panel, this.floats);
  }

  dispose() {
    this.observer.disconnect();
    this.plotly.purge(this.chart);
  }
}

// What must be equal for one frame to be drawn into the lines of another.
function keyOf(panel) {
  return JSON.stringify([
    panel.x.type,
    panel.y.type,
    panel.curves.map(({ uid, mode, colour, dash, width, faint }) => [uid, mode, colour, dash, width, faint]),
  ]);
}
