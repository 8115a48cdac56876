// A slider moves over 1000 positions; this maps them to values, in equal steps or equal ratios.

export const POSITIONS = 1000;

export function scaleOf(field) {
  const { min, max } = field;
  const least = field.zero ? 0 : min; // what the left end stands for
  const ratio = field.scale === "log" && min > 0;
  const into = ratio ? Math.log10 : (value) => value;
  const out = ratio ? (power) => 10 ** power : (value) => value;
  const low = into(min);
  const span = into(max) - low || 1;
  const tidy = (value) => clamp(field.integer ? Math.round(value) : Number(value.toPrecision(3)), min, max);
  return {
    position: (value) => clamp(((into(value) - low) / span) * POSITIONS, 0, POSITIONS) || 0,
    // Both ends are given as they are, without the rounding between.
    value: (position) =>
      position <= 0 ? least : position >= POSITIONS ? max : tidy(out(low + (position / POSITIONS) * span)),
    // An arrow key is a twentieth of a decade or a hundredth of the range, a page key a decade or a tenth.
    step: (value, direction, large) => {
      const size = ratio ? (large ? 1 : 0.05) : large ? span / 10 : field.integer ? 1 : span / 100;
      if (field.zero && direction < 0 && value <= min) return 0;
      if (field.zero && direction > 0 && value < min) return min;
      const next = tidy(out(into(clamp(value, min, max)) + direction * size));
      return field.integer && next === value ? clamp(value + direction, min, max) : next;
    },
  };
}

export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
