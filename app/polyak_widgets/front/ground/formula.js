// Real mathematics beside a chart. A formula is a list of a tag and its parts: texts and further lists. It is drawn by
// formula_picture.js, the same in every browser, on paper and in files; screen readers read the MathML that goes with it.

import { make, makeSvg } from "./dom.js";
import { drawFormula } from "./formula_picture.js";
import { TEXTS } from "./texts.js";

const TAGS = new Set(["mrow", "mi", "mo", "mn", "mtext", "msub", "msup", "msubsup", "mfrac", "msqrt", "mover", "munder", "mspace"]);
const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

const SIZE = 16; // units of the drawing for a height of type

export function makeFormula(parts) {
  return make("span", { class: "pk-math" }, pictureOf(parts), spokenOf(parts));
}

// Measured in heights of type, so that it grows with the text around it; where there is no room for that it is smaller.
function pictureOf(parts) {
  const { width, above, below, node } = drawFormula(parts, SIZE, "currentColor");
  const box = [0, -above, width, above + below].map((length) => length.toFixed(2));
  return makeSvg("svg", { viewBox: box.join(" "), style: `width: ${(width / SIZE).toFixed(3)}em`, "aria-hidden": "true" }, node);
}

function spokenOf(parts) {
  const math = document.createElementNS(NAMESPACE, "math");
  math.append(...parts.map(mathNode));
  return make("span", { class: "pk-hidden" }, math); // mathematics itself would stick out of a box of one pixel
}

function mathNode(part) {
  if (typeof part === "string") return document.createTextNode(part);
  const [tag, ...inner] = part;
  if (!TAGS.has(tag)) throw new Error(TEXTS.formula.unknown(tag));
  const node = document.createElementNS(NAMESPACE, tag);
  if (tag === "mo" && /^[()]$/.test(inner[0])) node.setAttribute("stretchy", "false"); // around one line they need not grow
  if (tag === "mspace") node.setAttribute("width", inner[0]);
  else node.append(...inner.map(mathNode));
  return node;
}
