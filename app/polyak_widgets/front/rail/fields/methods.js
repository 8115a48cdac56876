// The methods: boxes under headings, and two buttons that take all or none.

import { make, setText } from "../../ground/dom.js";
import { lineSample } from "../../ground/look.js";
import { makeTerm } from "../../ground/term.js";
import { TEXTS } from "../../ground/texts.js";

export function makeMethods(field, ids, send) {
  const list = make("div", { class: "pk-checks" });
  let boxes = [];
  let shownKey = "";
  const report = () => send(boxes.filter((box) => box.checked).map((box) => box.value));
  const all = makeAll(TEXTS.methods.all, TEXTS.methods.allMethods, true);
  const none = makeAll(TEXTS.methods.none, TEXTS.methods.noMethod, false);

  function makeAll(text, label, checked) {
    const button = make("button", { type: "button", class: "pk-switch", "aria-label": label }, text);
    button.addEventListener("click", () => {
      for (const box of boxes) box.checked = checked;
      report();
    });
    return button;
  }

  function relabel(options) {
    options.forEach(({ label }, i) => setText(boxes[i].parentNode.lastChild, label));
  }

  return {
    beside: [all, none],
    body: [list],
    inputs: () => boxes,
    show(value) {
      for (const box of boxes) box.checked = (value ?? []).includes(box.value);
    },
    configure(next) {
      const { options = [] } = next;
      const key = JSON.stringify(options.map(({ label, ...others }) => others));
      if (key === shownKey) return relabel(options); // a label follows what the method is given, its box stays
      shownKey = key;
      const checked = boxes.filter((box) => box.checked).map((box) => box.value);
      boxes = [];
      const rows = [];
      let heading;
      for (const option of options) {
        const { group } = option;
        const [box, row] = makeCheck(option, checked, report, ids);
        if (group && group !== heading) rows.push(make("p", { class: "pk-subheading" }, group));
        heading = group;
        boxes.push(box);
        rows.push(row);
      }
      list.replaceChildren(...rows);
    },
  };
}

// The name chooses, as names of boxes do; what explains it stands at its side.
function makeCheck({ name, label, colour, dash, marker, summary }, checked, report, ids) {
  const box = make("input", { type: "checkbox", value: name, "aria-describedby": ids.described });
  box.checked = checked.includes(name);
  box.addEventListener("input", report);
  const sample = lineSample(colour, dash, marker);
  const mark = makeTerm("?", [`method:${name}`], { class: "pk-mark", "aria-label": TEXTS.methods.about(label), "data-title": label });
  return [box, make("div", { class: "pk-method" }, make("label", { class: "pk-check", title: summary || null }, box, sample, make("span", {}, label)), mark)];
}
