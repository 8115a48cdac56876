// The words of a card: title, formula, buttons, legend, the key of its marks, and its sentence.

import { freshId, make, setText } from "../../ground/dom.js";
import { tied } from "../../ground/format.js";
import { makeFormula } from "../../ground/formula.js";
import { lineSample, symbolSample } from "../../ground/look.js";
import { describeEntry } from "../plot/legend.js";
import { writeTerm } from "../../ground/term.js";
import { TEXTS } from "../../ground/texts.js";

export class PanelHead {
  // `flip` switches an axis between linear and logarithmic, `choose` sets a name of the view.
  constructor({ flip, choose }) {
    this.flip = flip;
    this.choose = choose;
    this.title = make("h2", { class: "pk-panel-title" });
    this.formula = make("div", { class: "pk-formula" });
    this.subtitle = make("p", { class: "pk-quiet" });
    this.legend = make("div", { class: "pk-legend", role: "group", "aria-label": TEXTS.head.curves });
    this.key = make("p", { class: "pk-key pk-quiet" });
    this.summary = make("p", { class: "pk-summary pk-quiet", id: freshId("panel") });
    this.toggles = make("span", { class: "pk-toggles" });
    this.axes = { y: this.axisButton("y"), x: this.axisButton("x") };
    const switches = make("div", { class: "pk-switches" }, this.toggles, this.axes.y, this.axes.x);
    this.node = make("div", { class: "pk-panel-head" }, this.title, this.formula, switches);
    this.foot = make("div", { class: "pk-foot" }, this.summary, this.subtitle, this.key);
  }

  axisButton(name) {
    const button = make("button", { type: "button", class: "pk-switch" });
    button.addEventListener("click", () => this.flip(name));
    return button;
  }

  write(panel, chosen) {
    writeTerm(this.title, panel.title ?? "", panel.explains);
    setText(this.subtitle, tied(panel.subtitle));
    this.writeOnce("formula", panel.formula ?? [], (parts) => parts.map((part) => makeFormula([part])));
    this.foot.classList.toggle("pk-stale", !panel.settled); // it speaks of the runs before
    if (panel.settled) {
      setText(this.summary, tied(panel.summary));
      this.writeOnce("key", panel.key ?? [], (key) =>
        key.map(({ symbol, text }) => make("span", {}, symbolSample(symbol, "ink"), text)),
      );
    }
    this.writeToggles(panel.toggles ?? []);
    for (const [name, button] of Object.entries(this.axes)) {
      button.hidden = Boolean(panel[name].fixed);
      const type = chosen[name] ?? panel[name].type;
      const short = type === "log" ? TEXTS.head.log : TEXTS.head.lin;
      setText(button, `${name} ${short}`);
      button.setAttribute("aria-label", TEXTS.head.switchTo(name, short, type));
    }
  }

  // Makes the part of that name anew, if what it shows has changed.
  writeOnce(name, data, makeNodes) {
    this.shown ??= {};
    const text = JSON.stringify(data);
    if (this.shown[name] === text) return;
    this.shown[name] = text;
    const nodes = makeNodes(data);
    this[name].hidden = !nodes.length;
    this[name].replaceChildren(...nodes);
  }

  // The buttons stay in place while they only change between on and off, so the focus does too.
  writeToggles(toggles) {
    const names = JSON.stringify(toggles.map(({ name, label }) => [name, label]));
    if (names !== this.toggleNames) {
      this.toggleNames = names;
      this.toggles.replaceChildren(...toggles.map(() => make("button", { type: "button", class: "pk-switch" })));
    }
    toggles.forEach(({ name, value, label, on, help }, i) => {
      const button = this.toggles.children[i];
      setText(button, label);
      button.title = help ?? "";
      button.setAttribute("aria-pressed", String(Boolean(on)));
      button.onclick = () => this.choose(name, value);
    });
  }

  // In a narrow card the formula stands below the chart, so that it comes sooner.
  place(narrow) {
    if (narrow === this.narrow) return;
    this.narrow = narrow;
    if (narrow) this.foot.prepend(this.formula);
    else this.title.after(this.formula);
  }

  writeLegend(curves, isHidden) {
    const looks = curves.map(({ label, colour, dash, marker, thin }) => [label, colour, dash, marker, thin]);
    this.writeOnce("legend", looks, (entries) =>
      entries.map(([label, colour, dash, marker, thin]) => {
        const sample = lineSample(colour, dash, marker);
        sample.classList.toggle("pk-thin", Boolean(thin));
        return make("button", { type: "button", class: "pk-entry" }, sample, label, make("data", { class: "pk-value" }));
      }),
    );
    curves.forEach((curve, i) => describeEntry(this.legend.children[i], curve, isHidden(curve)));
  }

  writeValues(texts) {
    texts.forEach((text, i) => this.legend.children[i] && setText(this.legend.children[i].lastChild, text));
  }
}
