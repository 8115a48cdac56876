// Mathematics in a picture file, where MathML means nothing: the lists of formula.js as letters, bars and roots in SVG.
// Each part becomes a box with its width, and its reach above and below the line of writing.

import { makeSvg } from "./dom.js";

const FONT = "'STIX Two Text', 'Latin Modern Roman', Cambria, 'Times New Roman', 'Liberation Serif', 'DejaVu Serif', serif";
const SMALL = 0.7; // of what is raised or lowered
const THICK = 0.055; // of a bar, in heights of type
const SPACED = new Set([..."=≤≥+−∈"]); // signs with room on both sides
const WIDE = 0.22; // that room

let ruler;

// Gives { width, above, below, node } of parts in a row, its line of writing at y = 0.
export function drawFormula(parts, size, fill) {
  const made = rowOf(parts, { size, fill });
  return { ...made, node: makeSvg("g", {}, ...made.nodes) };
}

function boxOf(part, style) {
  if (typeof part === "string") return textBox(part, style);
  const [tag, ...inner] = part;
  if (tag === "mspace") return { width: parseFloat(inner[0]) * style.size, above: 0, below: 0, nodes: [] };
  if (tag === "mfrac") return fractionOf(inner, style);
  if (tag === "msub") return scriptsOf(inner[0], null, inner[1], style);
  if (tag === "msup") return scriptsOf(inner[0], inner[1], null, style);
  if (tag === "msubsup") return scriptsOf(inner[0], inner[2], inner[1], style);
  if (tag === "mover") return accentOf(inner, style);
  if (tag === "msqrt") return rootOf(inner, style);
  if (tag === "mi" || tag === "mo" || tag === "mn" || tag === "mtext") return textBox(inner.join(""), style, tag);
  return rowOf(inner, style);
}

function textBox(text, { size, fill }, tag = "mtext") {
  const slanted = tag === "mi" && [...text].length === 1;
  const large = text === "∑" ? 1.45 * size : size;
  const look = { "font-size": large, "font-style": slanted ? "italic" : "normal", "font-family": FONT, fill };
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${slanted ? "italic " : ""}${large}px ${FONT}`;
  const room = tag === "mo" ? (SPACED.has(text) ? WIDE : text === "," ? 0.35 : text === "∑" ? 0.12 : 0) * size : /^\w{2,}$/.test(text) ? 0.15 * size : 0;
  const before = text === "," ? 0 : room;
  const { width, actualBoundingBoxAscent: above, actualBoundingBoxDescent: below } = ruler.measureText(text);
  const lower = text === "∑" ? 0.15 * size : 0;
  const node = makeSvg("text", { x: before, y: lower, ...look }, text);
  return { width: width + before + room, above: Math.max(above - lower, 0.5 * size), below: Math.max(below + lower, 0), nodes: [node] };
}

function rowOf(parts, style) {
  let [width, above, below] = [0, 0, 0];
  const nodes = parts.map((part) => {
    const box = boxOf(part, style);
    const node = moved(box, width, 0);
    [width, above, below] = [width + box.width, Math.max(above, box.above), Math.max(below, box.below)];
    return node;
  });
  return { width, above, below, nodes };
}

function scriptsOf(base, upper, lower, style) {
  const box = boxOf(base, style);
  const small = { ...style, size: SMALL * style.size };
  const [up, down] = [upper, lower].map((part) => part && boxOf(part, small));
  const rise = Math.max(0.38 * style.size, box.above - 0.35 * style.size);
  const fall = Math.max(0.18 * style.size, box.below);
  const nodes = [moved(box, 0, 0)];
  let { above, below } = box;
  if (up) [above] = [Math.max(above, rise + up.above), nodes.push(moved(up, box.width + 0.06 * style.size, -rise))];
  if (down) [below] = [Math.max(below, fall + down.below), nodes.push(moved(down, box.width, fall))];
  const width = box.width + Math.max(up ? up.width + 0.06 * style.size : 0, down?.width ?? 0) + 0.08 * style.size;
  return { width, above, below, nodes };
}

function fractionOf([top, bottom], style) {
  const [over, under] = [boxOf(top, style), boxOf(bottom, style)];
  const gap = 0.22 * style.size;
  const axis = -0.28 * style.size; // where the bar is: at the middle of the letters
  const width = Math.max(over.width, under.width) + 0.3 * style.size;
  const bar = ruleOf(0.05 * style.size, axis, width - 0.1 * style.size, style);
  const nodes = [
    moved(over, (width - over.width) / 2, axis - gap - over.below),
    bar,
    moved(under, (width - under.width) / 2, axis + gap + under.above),
  ];
  return { width, above: -axis + gap + over.below + over.above, below: axis + gap + under.above + under.below, nodes };
}

function accentOf([base, accent], style) {
  const box = boxOf(base, style);
  const sign = boxOf(accent, style);
  const up = box.above - 0.42 * style.size;
  const nodes = [moved(box, 0, 0), moved(sign, (box.width - sign.width) / 2 + 0.08 * style.size, -up)];
  return { width: box.width, above: box.above + 0.25 * style.size, below: box.below, nodes };
}

function rootOf(inner, style) {
  const box = rowOf(inner, style);
  const [left, top] = [0.55 * style.size, box.above + 0.12 * style.size];
  const d = `M0,${-0.25 * style.size}l${0.12 * style.size},${-0.06 * style.size}L${0.3 * style.size},${box.below}L${left},${-top}H${left + box.width}`;
  const sign = makeSvg("path", { d, fill: "none", stroke: style.fill, "stroke-width": THICK * style.size });
  return { width: left + box.width + 0.05 * style.size, above: top, below: box.below, nodes: [sign, moved(box, left, 0)] };
}

function ruleOf(x, y, width, { size, fill }) {
  return makeSvg("rect", { x, y: y - (THICK * size) / 2, width, height: THICK * size, fill });
}

function moved({ nodes }, x, y) {
  return makeSvg("g", { transform: `translate(${x.toFixed(2)},${y.toFixed(2)})` }, ...nodes);
}
