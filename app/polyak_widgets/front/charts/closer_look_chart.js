// The chart of the third card. plotly draws it as a whole; what follows the iteration cursor is then written into
// its lines and marks within the same animation frame.

import { CONFIG, MARGIN, layoutOf, stepAt } from "./chart.js";
import { make, makeSvg } from "../ground/dom.js";
import { formatNumber } from "../ground/format.js";
import { drawLabels, endOf } from "./labels.js";
import { drawCurve, holdChart } from "./live.js";
import { curveColour, lineWidth } from "../ground/look.js";

const LEFT = 60; // pixels for the numbers of the y axis
const SLIM = 560; // pixels: below this the names stand in a line above the chart
const LABEL_AT = 44; // pixels from the end of the axis to a name
const WHOLE_PAUSE = 600; // milliseconds between two whole drawings while frames stream and their axes change
const STILL = 350; // milliseconds without a newer frame before a settled one is drawn as a whole: a drag comes first

export class ThirdChart {
  // `choose` is told of a click: the name of a setting and the value of the point.
  constructor(plotly, look, choose, describedBy) {
    this.plotly = plotly;
    this.look = look;
    this.choose = choose;
    this.revision = 1; // one more makes plotly forget a zoom
    this.closeness = 1; // how much nearer to the middle than the frame asks
    this.chart = make("div", { class: "pk-chart", role: "img", "aria-describedby": describedBy });
    this.names = makeSvg("g");
    this.rule = makeSvg("path", { class: "pk-rule" });
    this.overlay = makeSvg("svg", { class: "pk-labels", "aria-hidden": "true" }, this.rule, this.names);
    this.node = make("div", { class: "pk-chart-frame" }, this.chart, this.overlay);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.chart);
  }

  get slim() {
    return this.width < SLIM * this.look.scale; // remembered: to ask the page in every frame would cost a layout
  }

  // The curves that need a name.
  get named() {
    return this.panel.curves.filter((curve) => curve.label);
  }

  get left() {
    return LEFT * this.look.scale;
  }

  get inLegend() {
    return this.panel.legend || this.slim;
  }

  // Into the lines that are there, at once; as a whole when no newer frame comes, which `done` is told.
  async draw(panel, floats, k, done) {
    clearTimeout(this.timer);
    const [key, axes] = [looksOf(panel), JSON.stringify([panel.x, panel.y])];
    if (this.panel && topicOf(this.panel) !== topicOf(panel)) this.forget();
    const late = axes !== this.axes && performance.now() - this.wholeAt > WHOLE_PAUSE;
    const same = this.hold && key === this.key && !(late && !panel.settled);
    [this.panel, this.floats, this.k] = [panel, floats, k];
    if (same && this.write(panel.curves)) {
      if (panel.settled) this.timer = setTimeout(() => this.drawWhole().then(done), STILL);
      return;
    }
    [this.key, this.axes] = [key, axes];
    await this.drawWhole();
    done();
  }

  forget() {
    this.revision += 1;
    this.closeness = 1;
  }

  async drawWhole() {
    const { clientWidth: width, clientHeight: height } = this.chart;
    this.width = width;
    this.seen = `${width} ${height}`;
    if (!width || !height || !this.panel) return; // not on the page yet: the ResizeObserver will call again
    this.chart.setAttribute("aria-label", this.panel.title);
    const traces = this.panel.curves.map((curve, i) => this.trace(curve, i));
    this.axes = JSON.stringify([this.panel.x, this.panel.y]);
    await this.plotly.react(this.chart, traces, this.layout(width, height), CONFIG);
    if (this.gone) return;
    this.wholeAt = performance.now();
    this.listen();
    this.redrawn();
  }

  trace(curve, i) {
    const [x, y] = placesOf(curve, this.floats, this.k);
    const color = curveColour(curve.colour, this.look);
    const said = curve.label || curve.sets;
    return {
      type: "scatter",
      uid: `c${i}`,
      x,
      y,
      mode: curve.mode === "markers" ? "markers" : "lines",
      line: { color, width: lineWidth(curve.width, this.look), dash: curve.dash, simplify: false },
      marker: { color, size: curve.size * this.look.scale, symbol: curve.symbol, line: { width: 1.5, color } },
      opacity: curve.faint ? 0.45 : 1,
      name: curve.label,
      text: said && !curve.steps ? Array.from(y, (value, j) => this.say(curve, x[j], value)) : undefined,
      hoverinfo: said && !curve.steps ? "text" : "skip",
    };
  }

  say(curve, x, y) {
    const value = this.panel.hover === "beta" ? `\u03b2 = ${betaText(y)}` : formatNumber(Number(y.toPrecision(4)));
    return [curve.label, `${formatNumber(Number(x.toPrecision(4)))}: ${value}`].filter(Boolean).join("<br>");
  }

  layout(width, height) {
    const { x, y } = this.panel;
    const near = ({ type, range }) => ({ type, range: range.map((end) => end / (type === "linear" ? this.closeness : 1)) });
    const axes = { x: near(x), y: near(y) };
    const layout = layoutOf(this.panel, axes, { width, height }, this.right(), this.revision, this.look);
    layout.margin.l = this.left;
    layout.hovermode = "closest";
    layout.hoverlabel = { bgcolor: this.look.card, bordercolor: this.look.hair, font: { color: this.look.ink, size: 12 * this.look.scale } };
    layout.yaxis.showline = true;
    if (y.ticks) {
      Object.assign(layout.yaxis, { tickmode: "array", tickvals: y.ticks.map(([at]) => at), ticktext: y.ticks.map(([, text]) => text) });
    }
    if (this.panel.closer) layout.yaxis.showgrid = false; // contours are grid enough
    if (this.panel.equal) Object.assign(layout.yaxis, { scaleanchor: "x", scaleratio: 1 });
    return layout;
  }

  right() {
    if (this.inLegend || !this.named.length) return 16 * this.look.scale;
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `600 ${12 * this.look.scale}px ${this.look.font}`;
    return Math.ceil(LABEL_AT + Math.max(...this.named.map(({ label }) => pen.measureText(label).width)));
  }

  listen() {
    if (this.listening) return;
    this.listening = true;
    this.chart.on("plotly_relayout", () => this.redrawn());
    this.chart.on("plotly_doubleclick", () => {
      this.forget();
      this.drawWhole();
    });
    this.chart.on("plotly_click", ({ points }) => {
      const point = points.find(({ curveNumber }) => this.panel.curves[curveNumber]?.sets);
      if (point) this.choose(this.panel.curves[point.curveNumber].sets, point.x);
    });
  }

  // plotly has drawn: its axes are new, and what follows the cursor may be of another k.
  redrawn() {
    this.hold = holdChart(this.chart, this.panel.curves.length);
    this.scrub(this.k);
    this.label();
  }

  label() {
    if (this.inLegend || !this.hold) return this.names.replaceChildren();
    const ends = this.named.map((curve) => endOf(this.hold, ...placesOf(curve, this.floats, this.k)));
    const at = { left: this.left, top: MARGIN.t, right: 0, scale: this.look.scale };
    drawLabels(this.names, this.named, ends, this.hold, at);
  }

  // The cursor has moved.
  scrub(k) {
    this.k = k;
    this.drawRule();
    if (this.hold && this.panel) this.write(this.panel.curves.map((curve) => (curve.steps ? curve : null)));
  }

  // Where the cursor is, on an axis that counts iterations.
  drawRule() {
    const x = this.hold && this.panel?.clock ? this.hold.x(this.k) : NaN;
    const seen = x >= 0 && x <= this.hold.width;
    this.rule.setAttribute("d", seen ? `M${this.left + x},${MARGIN.t}v${this.hold.height}` : "");
  }

  // The iteration under a pointer, null where there is none.
  iterationAt(clientX) {
    if (!this.hold || !this.panel?.clock) return null;
    const at = clientX - this.overlay.getBoundingClientRect().left - this.left;
    if (at < -8 || at > this.hold.width + 8) return null;
    const [from, to] = this.chart._fullLayout.xaxis.range;
    return Math.round(10 ** (from + (at / this.hold.width) * (to - from)));
  }

  write(curves) {
    const done = curves.every((curve, i) => !curve || drawCurve(this.hold, i, curve, ...placesOf(curve, this.floats, this.k)));
    if (done && curves === this.panel.curves) this.label();
    return done;
  }

  // So many times nearer to the middle, or farther.
  approach(factor) {
    this.closeness = Math.min(Math.max(this.closeness * factor, 1), 1e12);
    this.revision += 1;
    return this.drawWhole();
  }

  resized() {
    const size = `${this.chart.clientWidth} ${this.chart.clientHeight}`;
    if (size !== this.seen && this.panel) this.drawWhole();
  }

  setLook(look) {
    this.look = look;
    return this.drawWhole();
  }

  dispose() {
    this.gone = true;
    clearTimeout(this.timer);
    this.observer.disconnect();
    this.plotly.purge(this.chart);
  }
}

// The x and y values of a curve; of one that follows the cursor those of its last step that is not after k.
export function placesOf(curve, floats, k) {
  const { start, yStart, count, steps } = curve;
  const step = steps ? stepAt(floats.subarray(steps.start, steps.start + steps.count), k) : 0;
  const [x, y] = steps ? [start + step * steps.x, yStart + step * steps.y] : [start, yStart];
  return [floats.subarray(x, x + count), floats.subarray(y, y + count)];
}

// The beta that goes with 1/(1 - beta), with as many nines as it takes.
export function betaText(memory) {
  return String(Number((1 - 1 / memory).toFixed(Math.max(3, Math.ceil(Math.log10(Math.max(memory, 1))) + 2))));
}

// What it is a chart of: another one begins with its own zoom.
function topicOf({ kind, second }) {
  return `${kind} ${second?.value ?? ""}`;
}

// What must be equal for one frame to be drawn into the lines of another.
function looksOf({ kind, x, y, curves }) {
  const looks = curves.map(({ uid, mode, colour, dash, label }) => [uid, mode, colour, dash, label]);
  return JSON.stringify([kind, x.type, y.type, looks]);
}
