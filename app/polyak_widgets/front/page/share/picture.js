// A picture file: the sentence, every chart with its heading and labels, and the settings, as one drawing.
// plotly draws the charts; the labels are taken from the page with the look that the style sheet gave them.

import { Cursor } from "../../charts/reading/cursor.js";
import { make, makeSvg } from "../../ground/dom.js";
import { drawFormula } from "../../ground/formula_picture.js";
import { curveColour, dashOf, readLook } from "../../ground/look.js";
import { symbolOf } from "../../ground/symbols.js";
import { imprintOf } from "./imprint.js";
import { TEXTS } from "../../ground/texts.js";

const MARGIN = 24;
const GAP = 24;
const SCALE = 2;
const CHART = [880, 440]; // pixels of a chart; one that has a row for itself is as wide as two
const HEADING = 48; // pixels for a title and its line
const FORMULAS = 16; // pixels between two formulas
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "opacity", "font-size", "font-weight", "font-family"];

// `link` is the address of what is drawn, or "".
export async function drawPicture({ plotly, panels, closerLook, view }, frame, kind, link) {
  const host = make("div", { class: "pk-root pk-stage pk-offscreen", "aria-hidden": "true" });
  document.body.append(host);
  try {
    const look = readLook(host);
    const charts = [];
    for (const card of panels.values()) if (card.panel) charts.push(await drawCard({ plotly, view, host }, card, look));
    const width = charts.length === 1 ? CHART[0] : 2 * CHART[0] + GAP;
    if (closerLook?.filled && closerLook.chart) charts.push(await drawCloserLook({ plotly, host, width }, closerLook, look));
    const svg = composed(charts, frame, look, link);
    const blob = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
    return kind === "svg" ? blob : await rastered(blob, svg);
  } finally {
    host.remove();
  }
}

// Draws a twin of the card, out of sight and as wide as on a large screen: a picture does not depend on the window.
async function drawCard({ plotly, view, host }, card, look) {
  const twin = new card.constructor(plotly, look, { cursor: new Cursor(), view, choose() {} }, card.name);
  host.append(twin.node);
  try {
    twin.hidden = new Set(card.hidden);
    twin.print(look, CHART);
    await twin.drawFull(card.panel, card.floats);
    await zoomAs(plotly, twin.chart, card.chart);
    const signs = (card.panel.key ?? []).map(({ symbol, text }) => ({ label: text, colour: "ink", mode: "markers", symbol }));
    return await copied(plotly, twin, look, signs, card.panel.formula);
  } finally {
    twin.dispose();
    twin.node.remove();
  }
}

// The closer look keeps its chart apart, and some of its names in a line above.
async function drawCloserLook({ plotly, host, width }, { chart, panel, floats, title, subtitle, at }, look) {
  const twin = new chart.constructor(plotly, look, () => {}, "");
  host.append(twin.frame);
  try {
    twin.closeness = chart.closeness;
    twin.hidden = new Set(chart.hidden);
    twin.print(look, [width, CHART[1]]);
    await twin.draw(panel, floats, chart.k, () => {});
    await zoomAs(plotly, twin.chart, chart.chart);
    const place = at.hidden ? "" : ` (${at.textContent})`;
    const words = { title: { textContent: title.textContent + place }, subtitle };
    return await copied(plotly, { chart: twin.chart, overlay: twin.overlay, ...words }, look, twin.inLegend ? twin.labelled : []);
  } finally {
    twin.dispose();
    twin.frame.remove();
  }
}

// A picture shows what the reader sees: the part of the axes that is zoomed into.
async function zoomAs(plotly, chart, { _fullLayout: shown }) {
  if (!shown) return;
  await plotly.relayout(chart, { "xaxis.range": [...shown.xaxis.range], "yaxis.range": [...shown.yaxis.range] });
}

async function copied(plotly, { chart, overlay, title, subtitle }, look, named = [], formula = []) {
  const { clientWidth: width, clientHeight: height } = chart;
  const address = await plotly.toImage(chart, { format: "svg", width, height });
  const text = decodeURIComponent(address.slice(address.indexOf(",") + 1));
  const inner = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  const labels = styledCopy(overlay, width, height);
  const heading = [textLine(title.textContent, 15, 650, look.ink, look, 15), textLine(subtitle.textContent, 12, 400, look.quiet, look, 33)];
  const mathematics = formulaOf(formula, width, look);
  const taller = Math.max(0, mathematics.height - HEADING);
  for (const line of heading) line.setAttribute("transform", `translate(0,${taller / 2})`);
  const [legend, lines] = legendOf(named, width, look);
  for (const part of legend) part.setAttribute("transform", `translate(0,${taller})`);
  const top = HEADING + taller + 18 * lines;
  for (const part of [inner, labels]) part.setAttribute("y", top);
  return { width, height: height + top, node: makeSvg("g", {}, ...heading, ...mathematics.nodes, ...legend, inner, labels) };
}

// Draws formulas side by side, at the right end of the heading.
function formulaOf(parts, width, look) {
  const drawn = parts.map((part) => drawFormula([part], 16, look.ink));
  const [above, below] = ["above", "below"].map((side) => Math.max(0, ...drawn.map((each) => each[side])));
  let x = width - drawn.reduce((sum, each) => sum + each.width + FORMULAS, -FORMULAS);
  const y = Math.max(HEADING - above - below, 0) / 2 + above;
  for (const { node, width: wide } of drawn) {
    node.setAttribute("transform", `translate(${x.toFixed(1)},${y.toFixed(1)})`);
    x += wide + FORMULAS;
  }
  return { nodes: drawn.map(({ node }) => node), height: Math.ceil(above + below) };
}

// Draws names in lines below the heading; gives them, and how many lines they take.
function legendOf(named, width, look) {
  let [x, line] = [0, 0];
  const parts = named.map(({ label, colour, dash, mode, symbol }) => {
    const wide = 30 + textWidth(label, 12, look) + 20;
    if (x && x + wide > width) [x, line] = [0, line + 1];
    const y = HEADING + 18 * line + 4;
    const stroke = curveColour(colour, look);
    const sign =
      mode === "markers"
        ? makeSvg("path", { ...symbolOf(symbol.replace("-open", "")), class: null, fill: "none", stroke, transform: `translate(${x + 12},${y - 4})` })
        : makeSvg("path", { d: `M${x},${y - 4}h24`, stroke, "stroke-width": 2.25, "stroke-dasharray": dashOf(dash) });
    const text = textLine(label, 12, 400, look.ink, look, y, x + 30);
    x += wide;
    return makeSvg("g", {}, sign, text);
  });
  return [parts, named.length ? line + 1 : 0];
}

function textWidth(text, size, look) {
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `${size}px ${look.font}`;
  return ruler.measureText(text).width;
}

function composed(charts, frame, look, link) {
  const rows = [];
  for (const chart of charts) {
    const beside = rows.at(-1);
    if (beside && beside.reduce((sum, { width }) => sum + width + GAP, chart.width) <= 2 * CHART[0] + GAP) beside.push(chart);
    else rows.push([chart]);
  }
  const width = 2 * MARGIN + Math.max(CHART[0], ...rows.map((row) => row.reduce((sum, each) => sum + each.width + GAP, -GAP)));
  const sentence = (frame.sentence ?? []).map(([part]) => part).join("").trim();
  const words = wrapped(sentence, 18, width - 2 * MARGIN, look);
  let y = MARGIN + 24 * words.length;
  const parts = words.map((line, i) => textLine(line, 18, 400, look.ink, look, MARGIN + 18 + 24 * i, MARGIN));
  for (const row of rows) {
    y += GAP;
    row.forEach(({ node }, j) => node.setAttribute("transform", `translate(${MARGIN + j * (CHART[0] + GAP)},${y})`));
    parts.push(...row.map(({ node }) => node));
    y += Math.max(...row.map(({ height }) => height));
  }
  const foot = imprintOf(frame.share, link).flatMap((line) => wrapped(line, 12, width - 2 * MARGIN, look));
  foot.forEach((line, i) => parts.push(textLine(line, 12, 400, look.quiet, look, y + GAP + 16 * i, MARGIN)));
  const height = Math.ceil(y + GAP + 16 * foot.length + MARGIN);
  const ground = makeSvg("rect", { width: "100%", height: "100%", fill: look.card });
  return makeSvg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` }, ground, ...parts);
}

// Variables and classes mean nothing in a file of its own, so the resolved values are written down.
function styledCopy(overlay, width, height) {
  const copy = overlay.cloneNode(true);
  const [from, to] = [overlay, copy].map((node) => [...node.querySelectorAll("*")]);
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    to[i].removeAttribute("style");
    to[i].removeAttribute("class");
    for (const name of STYLES) if (style[name.replace(/-(\w)/g, (_, c) => c.toUpperCase())]) to[i].setAttribute(name, style.getPropertyValue(name));
  });
  for (const name of ["class", "style"]) copy.removeAttribute(name);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return copy;
}

function textLine(text, size, weight, fill, look, y, x = 0) {
  return makeSvg("text", { x, y, fill, "font-size": size, "font-weight": weight, "font-family": look.font }, text ?? "");
}

function wrapped(text, size, width, look) {
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && textWidth(longer, size, look) <= width) lines[lines.length - 1] = longer;
    else lines.push(...pieces(word, size, width, look));
  }
  return lines;
}

// An address may be longer than the picture is wide.
function pieces(word, size, width, look) {
  const most = Math.max(8, Math.floor(word.length * Math.min(1, width / textWidth(word, size, look))));
  return word.match(new RegExp(`.{1,${most}}`, "gu")) ?? [];
}

async function rastered(blob, svg) {
  const address = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SCALE * Number(svg.getAttribute("width"));
    canvas.height = SCALE * Number(svg.getAttribute("height"));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((made) => (made ? resolve(made) : reject(new Error(TEXTS.picture.tooLarge))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
