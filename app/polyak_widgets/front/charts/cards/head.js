// The words of a card: title, formula, buttons, legend, the key of its marks, and its sentence.

import { freshId, make, setText } from "../../ground/dom.js";
import { tied } from "../../ground/format.js";
import { makeFormula } from "../../ground/formula.js";
import { makeTyping } from "../../ground/typing.js";
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
    this.choices = make("span", { class: "pk-toggles" });
    this.toggles = make("span", { class: "pk-toggles" });
    this.axes = { y: this.axisButton("y"), x: this.axisButton("x") };
    const switches = make("div", { class: "pk-switches" }, this.choices, this.toggles, this.axes.y, this.axes.x);
    this.fields = make("div", { class: "pk-fields" });
    this.node = make("div", { class: "pk-panel-head" }, this.title, this.formula, switches);
    this.foot = make("div", { class: "pk-foot" }, this.fields, this.summary, this.subtitle, this.key);
  }

  axisButton(name) {
    const button = make("button", { type: "button", class: "pk-switch" });
    button.addEventListener("click", () => this.flip(name));
    return button;
  }

  // `chosen` has the types of axes that the reader has switched, `view` what else is chosen.
  write(panel, chosen, view = {}) {
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
    this.writeChoices(panel.choices ?? [], view);
    this.writeFields(panel.fields ?? []);
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

  // Menus stay in place while their options do. They show what the reader has chosen, which a frame on its way may not
  // know of.
  writeChoices(choices, view) {
    this.writeOnce("choices", choices.map(({ name, label, options }) => [name, label, options]), (menus) =>
      menus.map(([name, label, options]) => {
        const entries = options.map(([value, text]) => make("option", { value }, text));
        const menu = make("select", { class: "pk-switch pk-axis-menu", "aria-label": label, title: label, "data-name": name }, ...entries);
        menu.addEventListener("change", () => this.choose(name, menu.value));
        return menu;
      }),
    );
    choices.forEach(({ name, value }, i) => (this.choices.children[i].value = view[name] || value));
  }

  // A text that is being typed stays as it is.
  writeFields(fields) {
    this.writeOnce("fields", fields.map(({ name, label, example }) => [name, label, example]), (entries) =>
      entries.map(([name, label, example]) => {
        const input = make("input", { type: "text", class: "pk-text", placeholder: example, spellcheck: "false", autocomplete: "off", "data-name": name });
        input.typing = makeTyping(input, (text) => this.choose(name, text));
        return make("label", {}, label, input, make("span", { class: "pk-problem", role: "status" }));
      }),
    );
    fields.forEach(({ value, problem }, i) => {
      const [input, words] = ["input", ".pk-problem"].map((part) => this.fields.children[i].querySelector(part));
      if (!input.typing.going && document.activeElement !== input) input.value = value;
      input.setAttribute("aria-invalid", String(Boolean(problem)));
      setText(words, problem);
    });
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
    const looks = curves.map(({ label, colour, dash, marker, thin, group = "" }) => [label, colour, dash, marker, thin, group]);
    this.writeOnce("legend", looks, (entries) =>
      entries.map(([label, colour, dash, marker, thin, group], i) => {
        const sample = lineSample(colour, dash, marker);
        sample.classList.toggle("pk-thin", Boolean(thin));
        const entry = make("button", { type: "button", class: "pk-entry" }, sample, label, make("data", { class: "pk-value" }));
        const isFirst = group && group !== entries[i - 1]?.[5];
        return isFirst ? make("span", { class: "pk-headed" }, make("span", { class: "pk-heading" }, group), entry) : entry;
      }),
    );
    this.entries = [...this.legend.querySelectorAll(".pk-entry")];
    curves.forEach((curve, i) => describeEntry(this.entries[i], curve, isHidden(curve)));
  }

  writeValues(texts) {
    texts.forEach((text, i) => this.entries?.[i] && setText(this.entries[i].lastChild, text));
  }
}
