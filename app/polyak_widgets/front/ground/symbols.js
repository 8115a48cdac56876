// Small signs: markers that tell curves apart without colour, letters of pins, and marks that say what happened at a record.
// All are drawn around (0, 0), about ten pixels large.

const POLYGONS = {
  "triangle-up": "M0,-4.2L4,3.2H-4Z",
  "triangle-down": "M0,4.2L4,-3.2H-4Z",
  square: "M-3.2,-3.2H3.2V3.2H-3.2Z",
  diamond: "M0,-4.4L4.4,0L0,4.4L-4.4,0Z",
  circle: "M-3.6,0A3.6,3.6 0 1 1 3.6,0A3.6,3.6 0 1 1 -3.6,0Z",
};
const STROKES = {
  ring: "M-4.5,0A4.5,4.5 0 1 1 4.5,0A4.5,4.5 0 1 1 -4.5,0Z",
  budget: "M0,-6V6",
  cancelled: "M-2.5,-6V6M2.5,-6V6",
  floor: "M-6,0H6M0,0V-6",
  stalled: "M-5,-5H5V5H-5Z",
  bouncing: "M-7,3L-3.5,-3L0,3L3.5,-3L7,3",
  diverged: "M0,6V-6M-4,-2L0,-6L4,-2",
  "non-finite": "M-4.5,-4.5L4.5,4.5M-4.5,4.5L4.5,-4.5",
  target: "M-5,0L-1.5,4L5,-5",
  exact: "M-5,-2H5M-5,2H5",
  frozen: "M0,-6V6M-5.2,-3L5.2,3M-5.2,3L5.2,-3",
  cross: "M-4,0H4M0,-4V4",
  A: "M-3.5,4.2L0,-4.2L3.5,4.2M-2.3,1.4H2.3",
  B: "M-2.8,-4.2V4.2H0.6A2.2,2.2 0 0 0 0.6,-0.2H-2.8M0.4,-0.2A2,2 0 0 0 0.4,-4.2H-2.8",
  C: "M3,-2.8A4.1,4.1 0 1 0 3,2.8",
};

// The attributes of a path that draws the sign.
export function symbolOf(name) {
  const filled = name in POLYGONS;
  return { d: POLYGONS[name] ?? STROKES[name] ?? STROKES.ring, class: filled ? "pk-solid" : "pk-line" };
}
