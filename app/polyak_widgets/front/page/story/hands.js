// Raised hands, for who teaches: a counter beside each option while the question is open, bars beside the answer after it.

import { make, setText } from "../../ground/dom.js";
import { TEXTS } from "../../ground/texts.js";

export class Hands {
  constructor() {
    this.counts = new Map(); // from the key of an option
    this.on = false;
  }

  // Another question: nobody has voted.
  begin() {
    this.counts.clear();
  }

  // A button that shows the counters of a form; in Present mode they are there without it.
  makeSwitch(form) {
    const button = make("button", { type: "button", class: "pk-switch pk-count", "aria-pressed": String(this.on) }, TEXTS.hands.countHands);
    form.toggleAttribute("data-hands", this.on);
    button.addEventListener("click", () => {
      this.on = !this.on;
      form.toggleAttribute("data-hands", this.on);
      button.setAttribute("aria-pressed", String(this.on));
    });
    return button;
  }

  makeCounter(key, label) {
    const output = make("output", {}, "0");
    const change = (by) => {
      const count = Math.max(0, (this.counts.get(key) ?? 0) + by);
      this.counts.set(key, count);
      setText(output, String(count));
    };
    const button = (sign, words, by) => {
      const node = make("button", { type: "button", class: "pk-unpin", "aria-label": words(label) }, sign);
      node.addEventListener("click", () => change(by));
      return node;
    };
    return make("span", { class: "pk-hands", role: "group", "aria-label": TEXTS.hands.raisedHandsFor(label) }, button("\u2212", TEXTS.hands.oneHandLess, -1), output, button("+", TEXTS.hands.oneHandMore, 1));
  }

  // A bar for each option; nothing where nobody has raised a hand.
  makeBars(options, right) {
    const most = Math.max(0, ...options.map(([key]) => this.counts.get(key) ?? 0));
    if (!most) return [];
    const bars = options.map(([key, label]) => {
      const count = this.counts.get(key) ?? 0;
      const bar = make("span", { class: "pk-bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", count / most);
      const name = make("span", {}, label, ...(key === right ? [make("b", {}, TEXTS.hands.right)] : []));
      return make("li", {}, name, make("span", { class: "pk-bar-place" }, bar, String(count)));
    });
    return [make("ul", { class: "pk-bars", "aria-label": TEXTS.hands.raisedHands }, ...bars)];
  }
}
