// Numbers as people write them: 10 000, 0.05, 10\u2076, 2.5 \u00d7 10\u207b\u2074; and back. Python writes and reads the same.

import { TEXTS } from "./texts.js";

const THIN = "\u202f";
const RAISED = "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"; // - and the digits
const PLAIN = "-0123456789";
const POWER = /(^[+-]?|[\u00d7x*\u00b7])10(?:(?:\^|\*\*)([+-]?\d+)|([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+))$/i;

// For a box: four digits, and all of a whole number that would lose some (a seed, say).
export function formatNumber(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value ?? "");
  const exact = Number.isSafeInteger(value) && Number(value.toPrecision(4)) !== value;
  return exact ? signed(grouped(String(value))) : shortNumber(value, 4);
}

// Without noughts at its end: 0.05, 2.5 \u00d7 10\u207b\u2074; a power of ten where it is far from 1.
function shortNumber(value, digits) {
  const rounded = Number(value.toPrecision(digits));
  const [mantissa, exponent] = rounded.toExponential().split("e").map(Number);
  if (!rounded || (exponent >= -3 && exponent < 5)) return signed(grouped(String(rounded)));
  const power = `10${raised(exponent)}`;
  return mantissa === 1 ? power : signed(`${mantissa} \u00d7 `) + power;
}

// A number in a column on the page, where all have as many digits: 1.20 \u00d7 10\u207b\u2074 below 1.15 \u00d7 10\u207b\u2074.
export function writeNumber(value, digits = 3) {
  if (typeof value !== "number" || Number.isNaN(value)) return "\u2013";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  if (exponent >= -2 && exponent < digits) return signed(value.toPrecision(digits));
  return `${signed(mantissa)} \u00d7 10${raised(Number(exponent))}`;
}

function raised(exponent) {
  return String(exponent).replace(/./g, (letter) => RAISED[PLAIN.indexOf(letter)]);
}

function signed(text) {
  return text.replace("-", "\u2212");
}

function grouped(text) {
  const [whole, decimals] = text.split(".");
  const parts = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return decimals ? `${parts}.${decimals}` : parts;
}

// Words whose "k = 824" and "1.3 \u00d7 10\u207b\u2078" stay on one line.
export function tied(text) {
  return (text ?? "").replace(/ ([=\u2248\u00d7\u2265]) /g, "\u00a0$1\u00a0");
}

// The number that was typed, or null if it is none: 1e4, 10^4, 10\u2074, 2,5 \u00d7 10\u207b\u00b3 too.
export function parseNumber(text) {
  let bare = text.replace(/\s/g, "").replace(/\u2212/g, "-").replace(POWER, tenTo);
  // A decimal comma, unless it may stand between thousands: then Python says that it is unclear.
  if (!/^[+-]?[1-9]\d{0,2},\d{3}$/.test(bare) && !bare.includes(".")) bare = bare.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) && Number.isFinite(Number(bare)) ? Number(bare) : null;
}

function tenTo(_, before, exponent, raised) {
  const sign = /[+-]/.test(before) ? before : "";
  const first = before === sign ? `${sign}1` : "";
  return `${first}e${exponent ?? raised.replace(/./g, (letter) => PLAIN[RAISED.indexOf(letter)])}`;
}

// For a screen reader, which would read \u207b\u2075 as nothing and stop at thin spaces.
export function speakNumber(value) {
  const [, digits, raised] = /^(?:(.+) \u00d7 )?10([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)$/.exec(formatNumber(value)) ?? [];
  if (!raised) return formatNumber(value).replaceAll(THIN, "");
  const power = TEXTS.format.powerOfTen(raised.replace(/./g, (letter) => PLAIN[RAISED.indexOf(letter)]));
  return digits ? TEXTS.format.times(digits, power) : power;
}
