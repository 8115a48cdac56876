// The first stop of the keyboard, seen only while it has the focus: past all controls to the charts.

import { make } from "../ground/dom.js";
import { TEXTS } from "../ground/texts.js";

export function makeSkipLink(rail) {
  const link = make("button", { type: "button", class: "pk-skip" }, TEXTS.skip.toCharts);
  link.addEventListener("click", () => {
    const stage = rail.closest(".polyak-explorer")?.querySelector(".pk-stage");
    stage?.querySelector(".pk-chart-frame")?.focus();
  });
  return link;
}
