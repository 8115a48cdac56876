// The cards of the stage: two large ones side by side, the third beside the table below them.

import { make } from "../ground/dom.js";
import { Panel } from "./panel.js";

// Kinds of card by the "card" of a panel; all that plotly draws is of the first kind.
export const CARD_KINDS = { chart: Panel };
const BELOW = "third"; // the name of the panel that stands beside the table

export class Cards {
  constructor(table, third) {
    this.table = table;
    this.third = third;
    this.cards = new Map();
    this.grid = make("div", { class: "pk-panels" }, skeleton(), skeleton());
    this.lower = make("div", { class: "pk-panels pk-lower" }, third.node, table.node);
  }

  get(panel) {
    return this.cards.get(panel.name);
  }

  // One card for each panel of the frame, in its order; cards that stay are not touched.
  arrange(panels, plotly, look, stage) {
    const wanted = JSON.stringify(panels.map(({ name, card }) => [name, card]));
    if (wanted === this.arranged) return;
    this.arranged = wanted;
    for (const [name, card] of this.cards) {
      if (panels.some((panel) => panel.name === name && kindOf(panel) === card.constructor)) continue;
      card.dispose();
      this.cards.delete(name);
    }
    for (const panel of panels) {
      if (!this.cards.has(panel.name)) this.cards.set(panel.name, new (kindOf(panel))(plotly, look, stage));
    }
    const nodes = (below) => panels.filter(({ name }) => (name === BELOW) === below).map((panel) => this.get(panel).node);
    this.grid.replaceChildren(...nodes(false));
    this.grid.hidden = !this.grid.children.length;
    this.lower.replaceChildren(...nodes(true), this.third.node, this.table.node);
  }

  setLook(look) {
    for (const card of this.cards.values()) card.setLook(look);
  }

  // On paper, or back on the screen if there is no size.
  print(look, size) {
    for (const card of this.cards.values()) {
      if (card.print) card.print(look, size);
      else card.setLook(look);
    }
  }

  // The reader counts in another unit: what is there is drawn anew, without waiting for Python.
  recount() {
    for (const card of this.cards.values()) card.recount?.();
  }

  dispose() {
    for (const card of this.cards.values()) card.dispose();
  }
}

function kindOf(panel) {
  return CARD_KINDS[panel.card] ?? Panel;
}

function skeleton() {
  return make("div", { class: "pk-card pk-skeleton" }, make("p", {}, "computing the first curves\u2026"));
}
