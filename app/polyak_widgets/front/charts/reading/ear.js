// The ear: with a chart in focus the arrow keys walk along its curves. What is there is written into a live region for
// screen readers, once the keys rest, and if asked for a tone says how high the curve stands in the chart.

import { freshId, make, makeSvg, setText } from "../../ground/dom.js";
import { Tone } from "./tone.js";
import { TEXTS } from "../../ground/texts.js";

const REST = 350; // milliseconds without a key before something is said: a key held down floods nobody
const HELP = TEXTS.ear.help;
const NOTE = "M4.5,9.5A1.8,1.8 0 1 1 4.4,9.4V2L9.5,1V7.7A1.8,1.8 0 1 1 9.4,7.6V3L4.5,4Z";
const MOVES = { ArrowRight: [1, "step"], ArrowLeft: [-1, "step"], PageUp: [1, "page"], PageDown: [-1, "page"], Home: [-1, "end"], End: [1, "end"] };

export class Ear {
  constructor(cursor) {
    this.tone = new Tone();
    this.chosen = new Map(); // of each chart, the curve that is listened to
    this.live = make("p", { class: "pk-hidden", role: "status", "aria-live": "polite" });
    this.help = make("p", { class: "pk-keys", id: freshId("keys") }, HELP);
    this.node = make("div", {}, this.live, this.help);
    const icon = makeSvg("svg", { class: "pk-icon", width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" }, makeSvg("path", { d: NOTE }));
    const title = TEXTS.ear.toneTitle;
    this.button = make("button", { type: "button", class: "pk-step", "aria-pressed": "false", "aria-label": TEXTS.ear.tone, title }, icon);
    this.button.addEventListener("click", () => this.toggle());
    cursor.subscribe(() => this.sound());
  }

  // `chart` has `frame`, what takes the focus; `curves()`, those with a name; `read(i)`, what is at the place of curve i:
  // its `place`, `label` and `value` in words, and its `height`, 0 to 1, in the chart; `move(i, how, direction)`; `mark(i)`.
  attach(chart) {
    this.first ??= chart;
    const looks = { tabindex: "0", role: "application", "aria-roledescription": TEXTS.ear.chart, "aria-describedby": this.help.id };
    for (const [name, value] of Object.entries(looks)) chart.frame.setAttribute(name, value);
    chart.frame.addEventListener("keydown", (event) => this.press(event, chart));
    chart.frame.addEventListener("focus", () => this.turn(chart));
    chart.frame.addEventListener("blur", () => chart.mark(null));
  }

  detach(chart) {
    this.chosen.delete(chart);
    if (this.first === chart) this.first = null;
    if (this.chart === chart) this.chart = null;
  }

  // From now on this chart is heard.
  turn(chart) {
    this.chart = chart;
    chart.mark(this.index(chart));
  }

  index(chart) {
    return Math.min(this.chosen.get(chart) ?? 0, chart.curves().length - 1);
  }

  press(event, chart) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== chart.frame || !chart.curves().length) return;
    if (key in MOVES) {
      const [direction, how] = MOVES[key];
      chart.move(this.index(chart), how, direction);
      this.sound();
    } else if (key === "ArrowUp" || key === "ArrowDown") {
      const count = chart.curves().length;
      this.chosen.set(chart, (this.index(chart) + (key === "ArrowUp" ? count - 1 : 1)) % count);
      this.sound();
    } else if (key === " ") this.toggle();
    else if (key !== "Enter") return;
    event.preventDefault();
    this.turn(chart);
    const here = this.index(chart);
    const others = chart.curves().map((_, i) => i).filter((i) => i !== here);
    if (key !== " ") this.speak(chart, key === "Enter" ? [here, ...others] : [here]);
  }

  // Says the place once, then each curve with its value; only the last that was asked for, and when the keys rest.
  speak(chart, indices) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const all = indices.map((i) => chart.read(i));
      setText(this.live, `${all[0].place}. ${all.map(({ label, value }) => `${label}: ${value}`).join("; ")}.`);
    }, REST);
  }

  toggle() {
    const on = this.tone.toggle();
    this.button.setAttribute("aria-pressed", String(on));
    clearTimeout(this.timer);
    setText(this.live, on ? TEXTS.ear.toneOn : TEXTS.ear.toneOff);
    this.sound();
  }

  // Once for all that moves in one go, and when the charts have followed.
  sound() {
    if (!this.tone.on || this.sounding) return;
    this.sounding = true;
    queueMicrotask(() => {
      this.sounding = false;
      const chart = this.chart ?? this.first;
      if (this.tone.on && chart?.curves().length) this.tone.play(chart.read(this.index(chart)).height);
    });
  }

  dispose() {
    clearTimeout(this.timer);
    this.tone.dispose();
  }
}
