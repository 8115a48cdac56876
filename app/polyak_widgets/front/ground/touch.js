// A finger that scrolls the page may come down on a slider, and the browser moves the slider at once. What the slider
// says then waits until it is known what the finger wants, and is taken back where it scrolls.

const SLOP = 8; // pixels to the side after which a finger does not scroll any more

// Calls `take` for every move of a slider that is meant, `back` where it was none and the slider has to return.
export function onSlide(range, take, back) {
  let finger = null; // one that may still scroll
  const mean = () => {
    const moved = finger?.moved;
    finger = null;
    if (moved) take();
  };
  range.addEventListener("input", () => {
    if (finger) finger.moved = true;
    else take();
  });
  range.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") finger = { x: event.clientX, y: event.clientY, moved: false };
  });
  range.addEventListener("pointermove", (event) => {
    if (!finger) return;
    const [across, along] = [event.clientX - finger.x, event.clientY - finger.y].map(Math.abs);
    if (across > SLOP && across > along) mean();
  });
  range.addEventListener("pointerup", mean);
  range.addEventListener("pointercancel", () => {
    if (finger?.moved) back();
    finger = null;
  });
}
