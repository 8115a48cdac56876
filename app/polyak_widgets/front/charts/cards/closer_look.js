// The closer look: a choice of what it shows, the chart of that, and a sentence that says what is seen. It has frames
// of its own, so that it never keeps the two large charts waiting. On the wire, as in links, it is "third".

import { floatsOf, stepAt, stepsOf } from "../plot/chart.js";
import { freshId, make, setText } from "../../ground/dom.js";
import { formatNumber, tied } from "../../ground/format.js";
import { lineSample, symbolSample } from "../../ground/look.js";
import { writeTerm } from "../../ground/term.js";
import { CloserLookChart } from "./closer_look_chart.js";
import { heardPoints } from "../reading/heard.js";
import { describeEntry, listenToEntries, watchEntries } from "../plot/legend.js";
import { TEXTS } from "../../ground/texts.js";

export class CloserLook {
  // `stage` lends the model, the cursor, and a way to change the view and to send messages.
  constructor(model, stage) {
    this.model = model;
    this.stage = stage;
    this.build();
    this.unsubscribe = stage.cursor.subscribe((k) => this.point(k));
    model.on("change:third", (this.onFrame = () => this.take()));
    this.node.hidden = !("serial" in (model.get("third") ?? {})); // this page may be without it
  }

  build() {
    this.title = make("h2", { class: "pk-panel-title" }, TEXTS.closerLook.title);
    this.kinds = makeRadios(TEXTS.closerLook.show, (value) => this.stage.choose("third", value));
    this.second = makeRadios(TEXTS.closerLook.choice, (value) => this.stage.choose(this.panel.second.name, value));
    this.subtitle = make("p", { class: "pk-quiet" });
    this.at = make("output", { class: "pk-closer-at" });
    const button = (text, label, act) => {
      const made = make("button", { type: "button", class: "pk-switch", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.stop = button(TEXTS.closerLook.stop, TEXTS.closerLook.stopTitle, () => this.stage.send("cancel"));
    const closer = button(TEXTS.closerLook.closer, TEXTS.closerLook.closerTitle, () => this.chart?.approach(10));
    const farther = button(TEXTS.closerLook.farther, TEXTS.closerLook.fartherTitle, () => this.chart?.approach(0.1));
    this.closer = make("span", { class: "pk-switches" }, closer, farther);
    this.legend = make("div", { class: "pk-legend", role: "group", "aria-label": TEXTS.closerLook.curves });
    listenToEntries(this.legend, (uid) => this.chart?.toggle(uid).then(() => this.writeLegend()));
    watchEntries(this.legend, (uid) => this.chart?.standOut(uid));
    this.sentence = make("p", { class: "pk-closer-sentence" });
    this.summary = make("p", { class: "pk-hidden", id: freshId("closer") });
    this.empty = make("p", { class: "pk-closer-empty" }, TEXTS.closerLook.waiting);
    this.place = make("div", { hidden: true });
    const head = make("div", { class: "pk-closer-head" }, this.title, this.at, this.closer, this.stop);
    const choices = make("div", { class: "pk-closer-choices" }, this.kinds.node, this.second.node);
    const parts = [this.subtitle, this.legend, this.place, this.empty, this.sentence, this.summary];
    this.node = make("section", { class: "pk-card pk-closer" }, head, choices, ...parts);
    for (const part of [this.at, this.closer, this.stop, this.subtitle, this.legend]) part.hidden = true;
  }

  // Nothing is drawn before plotly and the colours are there.
  start(plotly, look) {
    if (this.plotly) return;
    [this.plotly, this.look] = [plotly, look];
    this.wake();
  }

  take() {
    this.wake();
    this.stage.send("arrived", { third: this.model.get("third")?.serial });
  }

  wake() {
    if (this.busy || this.gone || !this.plotly || !this.node.isConnected) return;
    const frame = this.model.get("third");
    if (!frame?.serial || frame === this.drawnFrame) return;
    this.node.hidden = false;
    this.busy = true;
    requestAnimationFrame(() => this.work());
  }

  async work() {
    const frame = this.model.get("third");
    try {
      if (!this.gone) await this.show(frame);
    } catch (error) {
      this.stage.fail(error);
    }
    this.busy = false;
    this.wake(); // something newer may have come meanwhile
  }

  async show(frame) {
    this.drawnFrame = frame;
    this.node.dataset.stale = String(Boolean(frame.stale));
    if (!frame.stale) {
      this.panel = { ...frame.panel, settled: frame.settled };
      this.floats = floatsOf(frame.data);
      this.write();
    }
    const answer = () => this.answer(frame);
    if (!frame.stale && this.filled) await this.draw(answer);
    else answer();
  }

  // Says in the page that a frame, or what it says, is on the screen.
  answer({ serial, settled }) {
    Object.assign(this.node.dataset, { kind: this.panel?.kind ?? "", serial, settled: String(Boolean(settled)) });
  }

  get filled() {
    return this.panel?.curves.length > 0;
  }

  async draw(done) {
    if (!this.chart) {
      const choose = (name, value) => this.stage.set({ [name]: value });
      this.chart = new CloserLookChart(this.plotly, this.look, choose, this.summary.id);
      this.place.replaceChildren(this.chart.frame);
      this.stage.ear.attach(heardPoints(this.chart));
      for (const kind of ["pointermove", "pointerdown"]) this.place.addEventListener(kind, (event) => this.hover(event));
    }
    await this.chart.draw(this.panel, this.floats, this.stage.cursor.k ?? 0, done);
    this.writeLegend();
  }

  write() {
    const { kind, kinds, second, title, explains, subtitle, sentence, summary, empty, waiting } = this.panel;
    writeTerm(this.title, title, explains);
    const { view } = this.stage; // the reader's choice, which a frame on its way may not know of
    this.kinds.show(kinds, view.third ?? kind);
    this.second.show(second?.options ?? [], view[second?.name] ?? second?.value);
    const words = second ? { swept: TEXTS.closerLook.sensitivityTo, plane: TEXTS.closerLook.directions, spread: TEXTS.closerLook.bandOver }[second.name] : "";
    this.second.name(words ?? "");
    const filled = this.filled;
    const texts = [[this.subtitle, subtitle], [this.sentence, sentence], [this.summary, summary]];
    for (const [node, text] of texts) {
      setText(node, filled ? tied(text) : "");
      node.hidden = !filled || !text;
    }
    setText(this.empty, waiting ?? TEXTS.closerLook.empty(empty));
    this.empty.hidden = filled;
    this.place.hidden = !filled;
    this.closer.hidden = !filled || !this.panel.closer;
    this.stop.hidden = this.panel.settled;
    this.writeAt(this.stage.cursor.k ?? 0);
    this.writeLegend();
  }

  // Writes the names in a line, where they do not stand at the ends of the curves.
  writeLegend() {
    const inLine = this.filled && (this.chart ? this.chart.inLegend || this.panel.legend : this.panel.legend);
    const entries = inLine ? this.panel.curves.filter(({ label }) => label) : [];
    const key = JSON.stringify(entries.map(({ label, colour, dash, symbol, mode }) => [label, colour, dash, symbol, mode]));
    this.legend.hidden = !entries.length;
    if (key !== this.legendKey) this.makeLegend(entries);
    this.legendKey = key;
    entries.forEach((curve, i) => describeEntry(this.legend.children[i], curve, this.chart?.isHidden(curve)));
  }

  makeLegend(entries) {
    const sample = ({ mode, colour, dash, symbol }) =>
      mode === "markers" ? symbolSample(symbol.replace("-open", ""), colour) : lineSample(colour, dash);
    this.legend.replaceChildren(...entries.map((curve) => make("button", { type: "button", class: "pk-entry" }, sample(curve), curve.label)));
  }

  // Writes the iteration whose numbers are drawn: the last step that is not after the cursor.
  writeAt(k) {
    const following = this.filled ? this.panel.curves.find(({ steps }) => steps) : null;
    this.at.hidden = !following;
    if (!following) return;
    const ks = stepsOf(following, this.floats);
    setText(this.at, `${this.panel.at ?? "k = "}${formatNumber(ks[stepAt(ks, k)])}`);
  }

  point(k) {
    if (!this.filled || k === null) return;
    this.writeAt(k);
    this.chart?.scrub(k);
  }

  // Its foot comes to that of the screen where it fits, so that the bar of the cursor above it is seen with it.
  bringIntoSight() {
    this.node.scrollIntoView({ block: this.node.offsetHeight > innerHeight ? "start" : "end" });
  }

  // A pointer brings the cursor where the axis counts iterations; with a button down it zooms.
  hover(event) {
    if (event.pointerType === "mouse" && event.buttons) return;
    const k = this.chart.iterationAt(event.clientX);
    if (k !== null) this.stage.cursor.set(k);
  }

  setLook(look) {
    this.look = look;
    return this.chart?.setLook(look);
  }

  restore() {
    return this.chart?.restore();
  }

  // On paper, or back on the screen if there is no size.
  print(look, size) {
    this.look = look;
    this.chart?.print(look, size);
    this.writeLegend();
  }

  dispose() {
    this.gone = true;
    this.unsubscribe();
    this.model.off("change:third", this.onFrame);
    this.chart?.dispose();
  }
}

// Makes a choice of one of native radio buttons, so that arrows move within it. They stay while their options do.
function makeRadios(name, choose) {
  const legend = make("legend", { class: "pk-hidden" }, name);
  const node = make("fieldset", { class: "pk-segments" }, legend);
  const group = freshId("segments");
  let key;
  return {
    node,
    name: (text) => setText(legend, text || name),
    show(options, chosen) {
      node.hidden = options.length < 2;
      const next = JSON.stringify(options);
      if (next !== key) {
        key = next;
        const choices = options.map(([value, label]) => {
          const input = make("input", { type: "radio", name: group, value });
          input.addEventListener("change", () => choose(value));
          return make("label", {}, input, make("span", {}, label));
        });
        node.replaceChildren(legend, ...choices);
      }
      for (const input of node.querySelectorAll("input")) input.checked = input.value === chosen;
    },
  };
}
