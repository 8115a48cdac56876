// The chart of the closer look. plotly draws it as a whole; what follows the iteration cursor is then written into
// its lines and marks within the same animation frame.

import { MARGIN } from "../plot/chart.js";
import { formatNumber } from "../../ground/format.js";
import { Plot } from "../plot/plot.js";

const LEFT = 60; // pixels for the numbers of the y axis
const WHOLE_PAUSE = 600; // milliseconds between two whole drawings while frames stream and their axes change
const STILL = 350; // milliseconds without a newer frame before a settled one is drawn as a whole: a drag comes first

export class CloserLookChart extends Plot {
  narrowBelow = 560; // pixels: below this the names stand in a line above the chart

  // `choose` is told of a click: the name of a setting and the value of the point.
  constructor(plotly, look, choose, describedBy) {
    super(plotly, look, describedBy);
    this.choose = choose;
    this.closeness = 1; // how much nearer to the middle than the frame asks
  }

  get left() {
    return LEFT * this.look.scale;
  }

  get inLegend() {
    return this.panel.legend || this.narrow;
  }

  // Writes a frame into the lines that are there; plotly draws it as a whole when no newer one comes. Then calls `done`.
  async draw(panel, floats, k, done) {
    clearTimeout(this.timer);
    const [key, axes] = [looksOf(panel), JSON.stringify([panel.x, panel.y])];
    if (this.panel && topicOf(this.panel) !== topicOf(panel)) this.forgetZoom();
    const late = axes !== this.axes && performance.now() - this.plottedAt > WHOLE_PAUSE;
    const same = this.hold && key === this.key && !(late && !panel.settled);
    [this.panel, this.floats, this.k] = [panel, floats, k];
    if (same && this.drawCurves(panel.curves)) {
      this.label();
      if (panel.settled) this.timer = setTimeout(() => this.redraw().then(done), STILL);
      return;
    }
    [this.key, this.axes] = [key, axes];
    await this.redraw();
    done();
  }

  forgetZoom() {
    super.forgetZoom();
    this.closeness = 1;
  }

  async redraw() {
    if (!this.panel) return;
    this.measure();
    for (const node of [this.chart, this.frame]) node.setAttribute("aria-label", this.panel.title);
    this.axes = JSON.stringify([this.panel.x, this.panel.y]);
    if (await this.plot()) this.redrawn();
  }

  // plotly does not know where a curve that follows the cursor has gone, so that one has no texts.
  texts(curve) {
    if (curve.steps || !(curve.label || curve.sets)) return undefined;
    const [x, y] = this.columns(curve);
    return Array.from(y, (value, j) => this.say(curve, x[j], value));
  }

  say(curve, x, y) {
    const value = this.isMomentum ? this.momentum(y) : formatNumber(Number(y.toPrecision(4)));
    return [curve.label, `${formatNumber(Number(x.toPrecision(4)))}: ${value}`].filter(Boolean).join("<br>");
  }

  get isMomentum() {
    return this.panel.hover === "beta";
  }

  momentum(y) {
    return `\u03b2 = ${betaText(y)}`;
  }

  layout(size) {
    const { x, y } = this.panel;
    const near = ({ type, range }) => ({ type, range: range.map((end) => end / (type === "linear" ? this.closeness : 1)) });
    const layout = this.layoutFor(this.panel, { x: near(x), y: near(y) }, size);
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
    return this.marginBeside();
  }

  listen() {
    if (this.listening) return;
    super.listen();
    this.chart.on("plotly_click", ({ points }) => {
      const point = points.find(({ curveNumber }) => this.panel.curves[curveNumber]?.sets);
      if (point) this.choose(this.panel.curves[point.curveNumber].sets, point.x);
    });
  }

  // What follows the cursor may be of another k than when plotly was asked.
  redrawn() {
    super.redrawn();
    this.scrub(this.k);
    this.label();
  }

  // The cursor has moved.
  scrub(k) {
    this.k = k;
    if (!this.hold || !this.panel) return;
    this.over.drawRule(this.panel.clock ? this.hold.x(k) : NaN, this.hold);
    this.drawCurves(this.panel.curves.map((curve) => (curve.steps ? curve : null)));
  }

  // Gives the iteration under a pointer, null where there is none.
  iterationAt(clientX) {
    if (!this.hold || !this.panel?.clock) return null;
    const at = clientX - this.overlay.getBoundingClientRect().left - this.left;
    if (at < -8 || at > this.hold.width + 8) return null;
    const { range: [from, to], type } = this.chart._fullLayout.xaxis;
    const place = from + (at / this.hold.width) * (to - from);
    return Math.round(type === "log" ? 10 ** place : place);
  }

  // Brings the reader so many times nearer to the middle, or farther from it.
  approach(factor) {
    this.closeness = Math.min(Math.max(this.closeness * factor, 1), 1e12);
    this.revision += 1;
    return this.redraw();
  }

  dispose() {
    clearTimeout(this.timer);
    super.dispose();
  }
}

// Writes the beta that goes with 1/(1 - beta), with as many nines as it takes.
function betaText(memory) {
  return String(Number((1 - 1 / memory).toFixed(Math.max(3, Math.ceil(Math.log10(Math.max(memory, 1))) + 2))));
}

// Tells one subject from another: each begins with a zoom of its own.
function topicOf({ kind, second }) {
  return `${kind} ${second?.value ?? ""}`;
}

// What must be equal for one frame to be drawn into the lines of another.
function looksOf({ kind, x, y, curves }) {
  const looks = curves.map(({ uid, mode, colour, dash, label }) => [uid, mode, colour, dash, label]);
  return JSON.stringify([kind, x.type, y.type, looks]);
}
