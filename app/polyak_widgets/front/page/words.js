// The words of the stage: the sentence, what is not as usual, the status line, the table and the note.

import { freshId, make, setText } from "../ground/dom.js";
import { tied } from "../ground/format.js";
import { lineSample, paint } from "../ground/look.js";
import { makeTerm } from "../ground/term.js";
import { TEXTS } from "../ground/texts.js";

export function makeSentence() {
  const node = make("p", { class: "pk-sentence", tabindex: "-1" });
  let shownKey;
  return {
    node,
    show(parts = []) {
      const key = JSON.stringify(parts);
      if (key === shownKey) return;
      shownKey = key;
      node.replaceChildren(...parts.map(([text, colour]) => (colour ? coloured(tied(text), colour) : tied(text))));
    },
  };
}

// What is not as usual, each with a button that takes it back, but for a file, where nobody takes it. A part of an
// overall sentence, so that paper and a screen reader have it too.
export function makeUnusual(takeBack, refuge) {
  const node = make("ul", { class: "pk-unusual", "aria-label": TEXTS.words.label, hidden: true });
  let shownKey = "[]";
  return {
    node,
    show(changes = []) {
      const key = JSON.stringify(changes);
      if (key === shownKey) return;
      shownKey = key;
      const at = [...node.querySelectorAll("button")].indexOf(document.activeElement);
      node.hidden = !changes.length;
      node.replaceChildren(make("li", {}, TEXTS.words.heading), ...changes.map((change) => chip(change, takeBack)));
      if (at < 0) return;
      const buttons = node.querySelectorAll("button"); // the one that was pressed is gone, the focus stays near
      (buttons[Math.min(at, buttons.length - 1)] ?? refuge).focus();
    },
  };
}

function chip({ words, back }, takeBack) {
  const item = make("li", { class: "pk-chip" }, make("span", {}, tied(words)));
  if (!takeBack) return item;
  const close = make("button", { type: "button", "aria-label": TEXTS.words.takeBack(words), title: TEXTS.words.takeBackAll }, "\u00d7");
  close.addEventListener("click", () => takeBack(back));
  item.append(close);
  return item;
}

function coloured(text, colour) {
  const node = make("b", { class: "pk-coloured" }, text);
  paint(node, colour);
  return node;
}

// Two live regions that are there from the start, since one that appears with its text is not read out.
export function makeStatus() {
  const polite = make("span", { role: "status", "aria-live": "polite" });
  const alert = make("span", { role: "alert" });
  const node = make("div", { class: "pk-status", tabindex: -1 }, make("i", { "aria-hidden": "true" }), polite, alert);
  return {
    node,
    show({ kind = "", text = "" } = {}) {
      node.dataset.kind = kind;
      setText(polite, kind === "error" ? "" : tied(text));
      setText(alert, kind === "error" ? tied(text) : "");
    },
  };
}

export function makeTable() {
  const table = make("table", { role: "table" });
  const title = make("h2", { class: "pk-panel-title" });
  // Focusable, so that the keyboard can scroll it where it is wider than the card.
  const frame = make("div", { class: "pk-scroll", tabindex: "0", role: "region", "aria-label": TEXTS.words.results }, table);
  const note = make("p", { class: "pk-quiet pk-note" });
  const node = make("section", { class: "pk-card pk-results" }, title, frame, note);
  const unfolded = new Set(); // names of groups
  let shownKey;
  return {
    node,
    // `unit` is what the reader counts in.
    show(rows, unit) {
      const key = JSON.stringify([rows, unit]);
      if (key === shownKey) return;
      shownKey = key;
      node.hidden = !rows?.body?.length;
      setText(title, inUnit(rows?.title ?? "", unit));
      setText(note, inUnit(rows?.note ?? "", unit));
      const groups = (rows?.groups ?? []).flatMap((group) => makeGroup(group, rows, unit, unfolded));
      table.replaceChildren(...(rows?.head ? [head(rows), body(rows, unit), ...groups] : []));
    },
  };
}

// A text that depends on the unit comes in all of them.
function inUnit(value, unit) {
  return value?.units ? value.units[unit] ?? "" : value;
}

// Roles are said, since on a phone a row becomes a grid and would lose them.
function head({ head: names, align = [] }) {
  const cells = names.map((name, i) => cell("th", name, align[i], { scope: "col", role: "columnheader" }));
  return make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...cells));
}

function body({ body: rows, align = [] }, unit) {
  const line = (cells) => {
    const made = cells.map((value, i) => {
      const marks = i ? { role: "cell" } : { scope: "row", role: "rowheader" };
      return cell(i ? "td" : "th", inUnit(value, unit), align[i], marks);
    });
    return make("tr", { role: "row" }, ...made);
  };
  return make("tbody", { role: "rowgroup" }, ...rows.map(line));
}

// The rows of a pin, folded below its name.
function makeGroup({ name, words, body: lines }, { head: names, align }, unit, unfolded) {
  const rows = body({ body: lines, align }, unit);
  rows.id = freshId("rows");
  rows.hidden = !unfolded.has(name);
  const fold = make("button", { type: "button", class: "pk-fold", "aria-controls": rows.id, "aria-expanded": String(!rows.hidden) });
  fold.append(make("i", { class: "pk-caret", "aria-hidden": "true" }), make("b", {}, name), tied(words));
  fold.addEventListener("click", () => {
    rows.hidden = !rows.hidden;
    fold.setAttribute("aria-expanded", String(!rows.hidden));
    unfolded[rows.hidden ? "delete" : "add"](name);
  });
  const heading = make("th", { colspan: names.length, scope: "rowgroup", role: "rowheader", class: "pk-left" }, fold);
  return [make("tbody", { role: "rowgroup" }, make("tr", { role: "row", class: "pk-group-row" }, heading)), rows];
}

function cell(tag, value, align, marks) {
  const side = ["left", "right", "center"].includes(align) ? `pk-${align}` : "pk-left";
  if (typeof value !== "object" || value === null) return make(tag, { class: side, ...marks }, tied(String(value ?? "")));
  const parts = value.colour ? [lineSample(value.colour, value.dash, value.marker)] : [];
  const text = tied(value.text);
  return make(tag, { class: side, ...marks }, make("span", { class: "pk-named" }, ...parts, value.explains ? makeTerm(text, [value.explains]) : make("span", {}, text)));
}
