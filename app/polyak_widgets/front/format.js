// Numbers as people write them: 10 000, 0.05, 1e6, 2.5e-4; and back.

const THIN = "\u2009";

export function formatNumber(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value ?? "");
  if (value === 0) return "0";
  const size = Math.abs(value);
  // A whole number keeps all its digits if rounding would lose some (a seed, say).
  const exact = Number.isSafeInteger(value) && Number(value.toPrecision(4)) !== value;
  if ((size >= 1e-3 && size < 1e5) || exact) return plain(value);
  return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
}

function plain(value) {
  const text = Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  const [whole, decimals] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return decimals ? `${grouped}.${decimals}` : grouped;
}

// The number that was typed, or null if it is none.
export function parseNumber(text) {
  const bare = text.replace(/\s/g, "").replace(/\u2212/g, "-").replace(/^10\^/, "1e");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) && Number.isFinite(Number(bare)) ? Number(bare) : null;
}

// For a screen reader, which would read 1e-5 as a word and stop at thin spaces.
export function speakNumber(value) {
  const text = formatNumber(value).replaceAll(THIN, "");
  const [digits, power] = text.split("e");
  return power === undefined ? digits : `${digits} times ten to the power of ${power}`;
}
