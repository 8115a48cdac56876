// The cards of the stage: two large ones side by side, the closer look beside the table below them.

import { make } from "../../ground/dom.js";
import { Panel } from "./panel.js";
import { TEXTS } from "../../ground/texts.js";

export class Cards {
  constructor(table, closerLook) {
    this.cards = new Map();
    this.grid = make("div", { class: "pk-panels" }, skeleton(), skeleton());
    this.lower = make("div", { class: "pk-panels pk-lower" }, closerLook.node, table.node);
  }

  get({ name }) {
    return this.cards.get(name);
  }

  // One card for each panel of the frame, in its order; cards that stay are not touched.
  arrange(panels, plotly, look, stage) {
    const names = JSON.stringify(panels.map(({ name }) => name));
    if (names === this.arranged) return;
    this.arranged = names;
    for (const [name, card] of this.cards) {
      if (panels.some((panel) => panel.name === name)) continue;
      card.dispose();
      this.cards.delete(name);
    }
    for (const { name } of panels) if (!this.cards.has(name)) this.cards.set(name, new Panel(plotly, look, stage, name));
    this.grid.replaceChildren(...panels.map((panel) => this.get(panel).node));
    this.grid.hidden = !panels.length;
  }

  setLook(look) {
    for (const card of this.cards.values()) card.setLook(look);
  }

  // On paper, or back on the screen if there is no size.
  print(look, size) {
    for (const card of this.cards.values()) card.print(look, size);
  }

  // The reader counts in another unit or has switched a scale: what is there is drawn anew, without waiting for Python.
  recount() {
    for (const card of this.cards.values()) card.recount();
  }

  // As they were at first: all curves, and the whole range.
  restore() {
    for (const card of this.cards.values()) card.restore();
  }

  dispose() {
    for (const card of this.cards.values()) card.dispose();
  }
}

function skeleton() {
  return make("div", { class: "pk-card pk-skeleton" }, make("p", {}, TEXTS.cards.computing));
}
