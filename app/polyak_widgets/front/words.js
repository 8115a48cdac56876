// The words of the stage: the sentence, the status line, the table and the note.

import { make, setText } from "./dom.js";
import { lineSample, paint } from "./look.js";

export function makeSentence() {
  const node = make("p", { class: "pk-sentence" });
  let shown;
  return {
    node,
    show(parts = []) {
      const key = JSON.stringify(parts);
      if (key === shown) return;
      shown = key;
      node.replaceChildren(...parts.map(([text, colour]) => (colour ? coloured(text, colour) : text)));
    },
  };
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
  const node = make("div", { class: "pk-status" }, make("i", { "aria-hidden": "true" }), polite, alert);
  return {
    node,
    show({ kind = "", text = "" } = {}) {
      node.dataset.kind = kind;
      setText(polite, kind === "error" ? "" : text);
      setText(alert, kind === "error" ? text : "");
    },
  };
}

export function makeTable() {
  const table = make("table");
  // Focusable, so that the keyboard can scroll it where it is wider than the card.
  const frame = make("div", { class: "pk-scroll", tabindex: "0", role: "region", "aria-label": "Results" }, table);
  const note = make("p", { class: "pk-quiet pk-note" });
  const node = make("section", { class: "pk-card pk-results" }, frame, note);
  let shown;
  return {
    node,
    show(rows, words) {
      setText(note, words ?? "");
      const key = JSON.stringify(rows);
      node.hidden = !rows?.body?.length && !words;
      if (key === shown) return;
      shown = key;
      table.replaceChildren(...(rows?.head ? [head(rows), body(rows)] : []));
    },
  };
}

function head({ head: names, align = [] }) {
  return make("thead", {}, make("tr", {}, ...names.map((name, i) => cell("th", name, align[i], "col"))));
}

function body({ body: rows, align = [] }) {
  const line = (cells) =>
    make("tr", {}, ...cells.map((value, i) => cell(i ? "td" : "th", value, align[i], i ? null : "row")));
  return make("tbody", {}, ...rows.map(line));
}

function cell(tag, value, align, scope) {
  const side = ["left", "right", "center"].includes(align) ? `pk-${align}` : "pk-left";
  if (typeof value !== "object" || value === null) return make(tag, { class: side, scope }, String(value ?? ""));
  const parts = value.colour ? [lineSample(value.colour, value.dash)] : [];
  return make(tag, { class: side, scope }, make("span", { class: "pk-named" }, ...parts, make("span", {}, value.text)));
}
