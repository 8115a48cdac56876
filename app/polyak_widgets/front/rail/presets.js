// The menu on top of the rail: where to start from. Choosing one sets several values at once; where the values are
// those of none, the menu says so.

import { freshId, make } from "../ground/dom.js";
import { TEXTS } from "../ground/texts.js";

const OWN_CHOICE = TEXTS.presets.own;

export function makePresets(choose) {
  const id = freshId("presets");
  const select = make("select", { id, class: "pk-select" });
  const node = make("div", { class: "pk-presets" }, make("label", { class: "pk-label-text", for: id }, TEXTS.presets.startFrom), select);
  let presets = [];
  let shownKey = "";
  select.addEventListener("input", () => {
    const preset = presets[select.selectedIndex - 1];
    if (preset) choose({ ...preset.values, ...preset.brings });
  });
  return {
    node,
    // `unavailable` says of data sets why they cannot be had.
    configure(next, unavailable = {}) {
      presets = next ?? [];
      node.hidden = !presets.length;
      const key = JSON.stringify([presets, unavailable]);
      if (key === shownKey) return;
      shownKey = key;
      const groups = new Map();
      for (const { label, group, note, values } of presets) {
        if (!groups.has(group)) groups.set(group, make("optgroup", { label: group }));
        const why = unavailable[values.data];
        const text = why || note ? `${label} (${why || note})` : label;
        groups.get(group).append(make("option", { value: label, disabled: Boolean(why) }, text));
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
