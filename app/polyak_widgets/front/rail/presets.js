// A menu of problems by name on top of the rail. Choosing one sets several values at once; where the values are
// none of them, the menu says so.

import { freshId, make } from "../ground/dom.js";

const OWN_CHOICE = "own choice";

export function makePresets(choose) {
  const id = freshId("presets");
  const select = make("select", { id, class: "pk-select" });
  const node = make("div", { class: "pk-presets" }, make("label", { class: "pk-label-text", for: id }, "Presets"), select);
  let presets = [];
  select.addEventListener("input", () => {
    const preset = presets[select.selectedIndex - 1];
    if (preset) choose(preset.values);
  });
  return {
    node,
    configure(next) {
      presets = next ?? [];
      node.hidden = !presets.length;
      const groups = new Map();
      for (const { label, group } of presets) {
        if (!groups.has(group)) groups.set(group, make("optgroup", { label: group }));
        groups.get(group).append(make("option", {}, label));
      }
      // Nobody can choose to have chosen otherwise, so the first entry can only be shown.
      select.replaceChildren(make("option", { disabled: true }, OWN_CHOICE), ...groups.values());
    },
    follow(values) {
      const fits = ({ values: wanted }) => Object.entries(wanted).every(([name, value]) => same(values[name], value));
      select.selectedIndex = presets.findIndex(fits) + 1;
    },
  };
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
