// What each column of an own table is for: a row for each of them, with its first cells. A column is used or left
// out, and one holds the labels.

import { freshId, make } from "../ground/dom.js";

export function makeColumns(choose) {
  const node = make("div", { class: "pk-columns", hidden: true });
  let shownKey = "";
  return {
    node,
    show(preview) {
      const key = JSON.stringify(preview ?? null);
      if (key === shownKey) return;
      shownKey = key;
      node.hidden = !preview;
      node.replaceChildren(...(preview ? [makeTable(preview, choose), ...makeMore(preview)] : []));
    },
  };
}

function makeTable(preview, choose) {
  const group = freshId("label");
  const out = new Set(preview.leave_out);
  let { label } = preview;
  const rows = preview.columns.map(([number, title, cells]) => {
    const used = make("input", { type: "checkbox", "aria-label": `Use ${title}` });
    const labels = make("input", { type: "radio", name: group, "aria-label": `${title} holds the labels` });
    used.addEventListener("input", () => {
      if (used.checked) out.delete(number);
      else out.add(number);
      report();
    });
    labels.addEventListener("input", () => {
      label = number;
      out.delete(number);
      report();
    });
    const row = make("tr", {}, ...[used, labels, title, cells.join(" \u00b7 ")].map((part) => make("td", {}, part)));
    return { number, used, labels, row };
  });
  const mark = () => {
    for (const { number, used, labels, row } of rows) {
      [used.checked, used.disabled, labels.checked] = [!out.has(number), number === label, number === label];
      row.toggleAttribute("data-out", out.has(number));
    }
  };
  const report = () => {
    mark();
    const numbers = [...out].sort((one, other) => one - other);
    choose({ own: preview.own, label: label === preview.last ? "" : String(label), leave_out: numbers.join(",") });
  };
  mark();
  const head = ["use", "label", "column", "first rows"].map((word) => make("th", { scope: "col" }, word));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows.map(({ row }) => row)));
  return make("div", { class: "pk-columns-rows", tabindex: 0, role: "group", "aria-label": "What each column is for" }, table);
}

function makeMore({ more }) {
  const words = `${more} more column${more === 1 ? " is used" : "s are used"} as features.`;
  return more ? [make("p", { class: "pk-help" }, words)] : [];
}
