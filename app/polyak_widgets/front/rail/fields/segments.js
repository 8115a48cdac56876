// One of a few words, all in sight: native radio buttons side by side, each with a fact below it where there is one.

import { freshId, make, setText } from "../../ground/dom.js";

export function makeSegments(field, ids, send) {
  const node = make("div", { class: "pk-segments pk-facts-below", role: "radiogroup", "aria-describedby": ids.described });
  const group = freshId("segments");
  let inputs = [];
  let chosen;
  let shownKey = "";
  const show = (value) => {
    chosen = value;
    for (const input of inputs) input.checked = input.value === value;
  };
  return {
    body: [node],
    inputs: () => inputs,
    show,
    configure(next) {
      node.setAttribute("aria-label", next.label);
      const key = JSON.stringify(next.options);
      if (key !== shownKey) {
        shownKey = key;
        const labels = next.options.map(([value, label]) => {
          const input = make("input", { type: "radio", name: group, value });
          input.addEventListener("input", () => send(value));
          return make("label", {}, input, make("span", {}, label), make("small"));
        });
        node.replaceChildren(...labels);
        inputs = labels.map((label) => label.firstChild);
        show(chosen);
      }
      for (const input of inputs) setText(input.parentNode.lastChild, next.facts?.[input.value] ?? "");
    },
  };
}
