// What each column of an own table is for: a row for each of them, with its first cells. A column is used or left
// out, and one holds the labels. Of many columns some are found by their names, and left out or used together.

import { freshId, make } from "../../ground/dom.js";
import { TEXTS } from "../../ground/texts.js";

const FEW = 12; // of these all are seen at a glance

export function makeColumns(choose) {
  const node = make("div", { class: "pk-columns", hidden: true });
  let shownKey = "";
  let table = null;
  return {
    node,
    // The rows stay while only what they are for changes, so the focus and the place do too.
    show(preview) {
      const key = JSON.stringify(preview && [preview.own, preview.columns, preview.more]);
      node.hidden = !preview;
      if (key !== shownKey) {
        shownKey = key;
        table = preview ? makeTable(preview, choose) : null;
        node.replaceChildren(...(table?.parts ?? []));
      }
      if (preview) table.take(preview);
    },
  };
}

function makeTable(preview, choose) {
  const group = freshId("label");
  let [out, label] = [new Set(), -1];
  const leave = (number, is) => (is && number !== label ? out.add(number) : out.delete(number));
  const rows = preview.columns.map(([number, title, cells]) => {
    const used = make("input", { type: "checkbox", "aria-label": TEXTS.columns.use(title) });
    const labels = make("input", { type: "radio", name: group, "aria-label": TEXTS.columns.holdsTheLabels(title) });
    used.addEventListener("input", () => report(leave(number, !used.checked)));
    labels.addEventListener("input", () => {
      label = number;
      report(out.delete(number));
    });
    const row = make("tr", {}, ...[used, labels, title, cells.join(" \u00b7 ")].map((part) => make("td", {}, part)));
    return { number, used, labels, row, words: `${number + 1} ${title}`.toLowerCase() };
  });
  const all = make("input", { type: "checkbox", "aria-label": TEXTS.columns.useAll });
  const listed = () => rows.filter(({ row, number }) => !row.hidden && number !== label);
  all.addEventListener("input", () => {
    for (const { number } of listed()) leave(number, !all.checked);
    report();
  });
  const find = make("input", { type: "search", class: "pk-text", placeholder: TEXTS.columns.find, "aria-label": TEXTS.columns.findLabel });
  find.addEventListener("input", () => {
    for (const { row, words } of rows) row.hidden = !words.includes(find.value.trim().toLowerCase());
    mark();
  });
  const mark = () => {
    for (const { number, used, labels, row } of rows) {
      [used.checked, used.disabled, labels.checked] = [!out.has(number), number === label, number === label];
      row.toggleAttribute("data-out", out.has(number));
    }
    const [some, without] = [listed(), listed().filter(({ number }) => out.has(number))];
    [all.checked, all.indeterminate] = [!without.length, without.length > 0 && without.length < some.length];
    all.disabled = !some.length;
  };
  const report = () => {
    mark();
    const numbers = [...out].sort((one, other) => one - other);
    choose({ own: preview.own, label: label === preview.last ? "" : String(label), leave_out: numbers.join(",") });
  };
  const head = [rows.length > FEW ? all : TEXTS.columns.used, TEXTS.columns.label, TEXTS.columns.column, TEXTS.columns.firstRows].map((part) => make("th", { scope: "col" }, part));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows.map(({ row }) => row)));
  const place = make("div", { class: "pk-columns-rows", tabindex: 0, role: "group", "aria-label": TEXTS.columns.heading }, table);
  return {
    parts: [...(rows.length > FEW ? [find] : []), place, ...makeMore(preview)],
    take(next) {
      [out, label] = [new Set(next.leave_out), next.label];
      mark();
    },
  };
}

function makeMore({ more }) {
  const words = TEXTS.columns.more(more);
  return more ? [make("p", { class: "pk-help" }, words)] : [];
}
