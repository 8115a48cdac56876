// The card that explains: a press on a name (ground/term.js), in the rail or in the stage, opens it beside the name.
// It stands after the name in the order of the page, so that Tab goes from the name to the card and on.

import { freshId, make } from "../ground/dom.js";
import { makeFormula } from "../ground/formula.js";
import { tied } from "../ground/format.js";
import { TEXTS } from "../ground/texts.js";

const GAP = 6; // pixels between a name and its card
const MARGIN = 12; // pixels to the edges of the window
const HOSTS = "h1, h2, legend, label, p, .pk-label-line"; // a card would be read out as a part of these

export class Explainer {
  // `guide` gives { help, entries }; `root` is any node of the Explorer whose names are answered.
  constructor(root, guide) {
    this.root = root;
    this.guide = guide;
    this.card = make("div", { id: freshId("explain"), class: "pk-root pk-explain", role: "dialog", tabindex: "-1", popover: "manual" });
    this.ends = new AbortController();
    const on = (target, kind, react, capture = false) => target.addEventListener(kind, react, { capture, signal: this.ends.signal });
    on(document, "click", (event) => this.press(event));
    on(document, "pointerdown", (event) => this.holds(event.target) || this.close(), true);
    on(document, "keydown", (event) => this.escape(event), true);
    on(document, "scroll", (event) => event.target === this.card || this.place(), true);
    on(window, "resize", () => this.place());
    on(this.card, "focusout", ({ relatedTarget: next }) => next && !this.holds(next) && this.close());
  }

  // Whether a press or a focus there leaves the card open.
  holds(node) {
    return this.card.contains(node) || Boolean(this.opener?.contains(node));
  }

  press(event) {
    const opener = event.target.closest?.("[data-explains]");
    const explorer = this.root.closest(".polyak-explorer");
    if (!opener || !explorer?.contains(opener) || this.card.contains(opener)) return;
    if (opener === this.opener) this.close(true);
    else this.open(opener);
  }

  open(opener) {
    this.close();
    this.opener = opener;
    const names = opener.dataset.explains.split(" ").filter(Boolean);
    const title = opener.dataset.title ?? opener.textContent;
    this.show(title, opener.dataset.words, names);
    (opener.closest(HOSTS) ?? opener).after(this.card);
    opener.setAttribute("aria-expanded", "true");
    opener.setAttribute("aria-controls", this.card.id);
    this.card.showPopover();
    this.place();
    this.card.focus({ preventScroll: true });
  }

  close(back = false) {
    const { opener, card } = this;
    if (!opener) return;
    this.opener = undefined;
    opener.setAttribute("aria-expanded", "false");
    opener.removeAttribute("aria-controls");
    if (back) opener.focus({ preventScroll: true });
    card.remove(); // which hides it
  }

  escape(event) {
    if (event.key !== "Escape" || !this.opener) return;
    event.preventDefault();
    event.stopPropagation();
    this.close(true);
  }

  // Below the name, or above it where there is more room; all of it in the window.
  place() {
    if (!this.opener) return;
    if (!this.opener.isConnected) return this.close();
    const { card } = this;
    const at = this.opener.getBoundingClientRect();
    const below = innerHeight - at.bottom - GAP - MARGIN;
    const above = at.top - GAP - MARGIN;
    card.style.maxHeight = "";
    const upwards = card.offsetHeight > below && above > below;
    card.style.maxHeight = `${Math.max(96, upwards ? above : below)}px`;
    const top = upwards ? at.top - GAP - card.offsetHeight : at.bottom + GAP;
    card.style.top = `${Math.max(MARGIN, Math.min(top, innerHeight - MARGIN - card.offsetHeight))}px`;
    card.style.left = `${Math.max(MARGIN, Math.min(at.left, document.documentElement.clientWidth - MARGIN - card.offsetWidth))}px`;
  }

  // A title, some words, the first entry in full, and the other ones to choose from.
  show(title, words, names) {
    const { entries = {}, help = [] } = this.guide();
    const known = names.filter((name) => entries[name]);
    const all = names.includes("help");
    const close = make("button", { type: "button", class: "pk-explain-close", "aria-label": TEXTS.explain.close }, "\u00d7");
    close.addEventListener("click", () => this.close(true));
    const parts = [make("div", { class: "pk-explain-head" }, make("b", {}, title), close)];
    for (const text of all ? help : [words].filter(Boolean)) parts.push(make("p", {}, text));
    if (all) parts.push(...this.listed(TEXTS.explain.symbols, Object.keys(entries).filter((name) => entries[name].symbol)));
    if (all) parts.push(...this.listed(TEXTS.explain.methods, Object.keys(entries).filter((name) => !entries[name].symbol)));
    if (names.includes("notation")) parts.push(notationCard(this.guide().notation ?? []));
    if (known.length) parts.push(...explained(entries[known[0]], title));
    if (known.length > 1) parts.push(...this.listed(TEXTS.explain.seeAlso, known.slice(1), known));
    this.card.setAttribute("aria-label", title);
    this.card.replaceChildren(...parts);
    this.card.scrollTop = 0;
  }

  // Entries to choose from: each shows itself in this card; `family` stays to choose from then.
  listed(heading, names, family = ["help"]) {
    const { entries } = this.guide();
    const buttons = names.map((name) => {
      const { title, symbol } = entries[name];
      const button = make("button", { type: "button", class: "pk-explain-entry" }, symbol ? makeFormula([symbol]) : title);
      if (symbol) button.setAttribute("aria-label", title);
      if (symbol) button.title = title;
      button.addEventListener("click", () => this.turn(name, family));
      return button;
    });
    return [make("p", { class: "pk-quiet" }, heading), make("div", { class: "pk-explain-list" }, ...buttons)];
  }

  turn(name, family) {
    const { title } = this.guide().entries[name];
    this.show(title, "", [name, ...family.filter((other) => other !== name && other !== "help")]);
    if (family.includes("help")) this.card.append(this.back());
    this.place();
    this.card.focus({ preventScroll: true });
  }

  back() {
    const button = make("button", { type: "button", class: "pk-explain-entry" }, TEXTS.explain.backToHelp);
    button.addEventListener("click", () => {
      this.show(TEXTS.explain.help, "", ["help"]);
      this.place();
      this.card.focus({ preventScroll: true });
    });
    return button;
  }

  dispose() {
    this.close();
    this.ends.abort();
  }
}

// All signs at once, as on the hand-out.
function notationCard(pairs) {
  return make("dl", { class: "pk-notation" }, ...pairs.flatMap(([sign, words]) => [make("dt", {}, tied(sign)), make("dd", {}, tied(words))]));
}

// An entry: its symbol and name, one sentence, its formula, and where it is from.
function explained({ title, sentence, formula, place, symbol }, shown) {
  const name = symbol ? [makeFormula([symbol]), " ", title] : title === shown ? [] : [title];
  const head = name.length ? [make("p", { class: "pk-explain-name" }, ...name)] : [];
  const lines = formula.length ? [make("div", { class: "pk-explain-formula" }, ...formula.map((part) => makeFormula([part])))] : [];
  const where = place ? [make("p", { class: "pk-quiet" }, place)] : [];
  return [...head, make("p", {}, sentence), ...lines, ...where];
}
