// Colours and dashes. The style sheet holds the theme; the charts read it from there.

import { makeSvg } from "./dom.js";
import { symbolOf } from "./symbols.js";

// The same names that plotly knows, as lengths for the samples in labels, legend and table.
const DASHES = { solid: "none", dot: "1.5 3", dash: "6 3.5", dashdot: "7 3 1.5 3" };

export function dashOf(name) {
  return DASHES[name] ?? DASHES.solid;
}

// What a theme gives: read from resolved colours, since variables may hold light-dark().
export function readLook(root) {
  const probe = document.createElement("span");
  probe.style.forcedColorAdjust = "none"; // else high contrast gives every colour that is asked for as its one
  root.append(probe);
  const resolve = (variable) => {
    probe.style.color = `var(${variable})`;
    return getComputedStyle(probe).color;
  };
  const look = { ink: resolve("--pk-ink"), quiet: resolve("--pk-quiet"), card: resolve("--pk-card") };
  look.hair = resolve("--pk-hair");
  look.font = getComputedStyle(root).fontFamily;
  probe.style.fontSize = "var(--pk-12)";
  look.scale = parseFloat(getComputedStyle(probe).fontSize) / 12 || 1; // a projector enlarges all text
  look.dark = channels(look.ink)[1] > 128;
  probe.remove();
  return look;
}

// For a projector no curve is thinner than three pixels.
export function lineWidth(width, look) {
  return look.scale > 1 ? Math.max(3, width * look.scale) : width;
}

// On a dark card the curves are mixed with a fifth of the light ink; the style sheet does the same for samples.
export function curveColour(colour, look) {
  if (colour === "ink" || !isHex(colour)) return look.ink;
  if (!look.dark) return colour;
  const ink = channels(look.ink);
  return `rgb(${channels(colour).map((part, i) => Math.round(0.8 * part + 0.2 * ink[i])).join(",")})`;
}

// The colour that a piece of text or a sample carries as the variable --c.
export function paint(node, colour) {
  node.style.setProperty("--c", isHex(colour) ? colour : "var(--pk-ink)");
}

export function lineSample(colour, dash, marker) {
  const line = makeSvg("path", { d: "M1,5h22", "stroke-dasharray": dashOf(dash) });
  const sample = makeSvg("svg", { class: "pk-sample", width: 24, height: 10, "aria-hidden": "true" }, line);
  if (marker) sample.append(makeSvg("path", { ...symbolOf(marker), transform: "translate(12,5)" }));
  paint(sample, colour);
  return sample;
}

export function symbolSample(name, colour) {
  const box = { width: 14, height: 14, viewBox: "-7 -7 14 14" };
  const sample = makeSvg("svg", { class: "pk-sign", "aria-hidden": "true", ...box }, makeSvg("path", symbolOf(name)));
  paint(sample, colour);
  return sample;
}

export function watchTheme(react) {
  const media = matchMedia("(prefers-color-scheme: dark), (forced-colors: active)");
  const observer = new MutationObserver(react);
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  media.addEventListener("change", react);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", react);
  };
}

function isHex(colour) {
  return /^#[0-9a-f]{6}$/i.test(colour ?? "");
}

function channels(colour) {
  if (isHex(colour)) return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return colour.match(/[\d.]+/g).slice(0, 3).map(Number);
}
