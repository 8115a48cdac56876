// Numbers as people write them: 10 000, 0.05, 1e6, 2.5e-4; and back.

const THIN = "\u2009";
const RAISED = "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"; // - and the digits

export function formatNumber(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value ?? "");
  if (value === 0) return "0";
  const size = Math.abs(value);
  // A whole number keeps all its digits if rounding would lose some (a seed, say).
  const exact = Number.isSafeInteger(value) && Number(value.toPrecision(4)) !== value;
  if ((size >= 1e-3 && size < 1e5) || exact) return plain(value);
  return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
}

// A number in a column on the page, where all have as many digits: 1.20 \u00d7 10\u207b\u2074 below 1.15 \u00d7 10\u207b\u2074.
export function writeNumber(value, digits = 3) {
  if (typeof value !== "number" || Number.isNaN(value)) return "\u2013";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const sign = (text) => text.replace("-", "\u2212");
  if (exponent >= -2 && exponent < digits) return sign(value.toPrecision(digits));
  const power = String(Number(exponent)).replace(/./g, (letter) => RAISED["-0123456789".indexOf(letter)]);
  return `${sign(mantissa)} \u00d7 10${power}`;
}

function plain(value) {
  const text = Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  return grouped(text);
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

// The number that was typed, or null if it is none.
export function parseNumber(text) {
  let bare = text.replace(/\s/g, "").replace(/\u2212/g, "-").replace(/^10\^/, "1e");
  // A decimal comma, unless it may stand between thousands: then Python says that it is unclear.
  if (!/^[+-]?[1-9]\d{0,2},\d{3}$/.test(bare) && !bare.includes(".")) bare = bare.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) && Number.isFinite(Number(bare)) ? Number(bare) : null;
}

// For a screen reader, which would read 1e-5 as a word and stop at thin spaces.
export function speakNumber(value) {
  const text = formatNumber(value).replaceAll(THIN, "");
  const [digits, power] = text.split("e");
  return power === undefined ? digits : `${digits} times ten to the power of ${power}`;
}
