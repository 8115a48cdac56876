// On paper: light colours, and charts of one size, which the style sheet fits to the sheet, upright or across.

import { readLook } from "../../ground/look.js";

const PAPER = [640, 290]; // pixels of a chart: as wide as A4 or letter has room for, and so high that two stand on a sheet
const TYPE = 1.15; // times as large as on the screen, since a sheet across shows two charts side by side, smaller

// Calls back with the look and the size (null: as on the screen) before and after a print.
export function watchPrinter(root, redraw) {
  const turn = (on) => {
    for (const node of [root, root.closest(".polyak-explorer")]) node?.classList.toggle("pk-printing", on);
    const look = readLook(root);
    redraw(on ? { ...look, scale: TYPE } : look, on ? PAPER : null);
  };
  const [before, after] = [() => turn(true), () => turn(false)];
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return () => {
    removeEventListener("beforeprint", before);
    removeEventListener("afterprint", after);
  };
}
