// On paper: light colours, and charts as wide as the page, where their names stand beside the curves.

import { readLook } from "../ground/look.js";

const PAPER = [680, 320]; // pixels of a chart: A4 and letter with usual margins have room for it

// Calls back with the look and the size (null: as on the screen) before and after a print.
export function watchPrinter(root, redraw) {
  const turn = (on) => {
    for (const node of [root, root.closest(".polyak-explorer")]) node?.classList.toggle("pk-printing", on);
    redraw(readLook(root), on ? PAPER : null);
  };
  const [before, after] = [() => turn(true), () => turn(false)];
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return () => {
    removeEventListener("beforeprint", before);
    removeEventListener("afterprint", after);
  };
}
