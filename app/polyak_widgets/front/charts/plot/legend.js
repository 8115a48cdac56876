// Names of curves as buttons, in a line above a chart or at the ends of its curves: each hides its curve and shows it
// again, by a click, Enter or the space bar; arrows go from one to the next, so that all are one stop of the Tab key.

import { setAttributes } from "../../ground/dom.js";

const ENTRY = "[data-uid]";
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

// `toggle` is told which curve is to be hidden or shown.
export function listenToEntries(node, toggle) {
  const press = ({ target }) => {
    const entry = target.closest(ENTRY);
    if (entry) toggle(entry.dataset.uid);
  };
  node.addEventListener("click", press);
  node.addEventListener("keydown", (event) => {
    const entries = [...node.querySelectorAll(ENTRY)];
    const at = entries.indexOf(event.target.closest(ENTRY));
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") press(event);
    else if (!STEPS[event.key]) return;
    else entries[(at + STEPS[event.key] + entries.length) % entries.length].focus();
    event.preventDefault();
  });
  node.addEventListener("focusin", ({ target }) => {
    for (const entry of node.querySelectorAll(ENTRY)) entry.setAttribute("tabindex", entry === target ? 0 : -1);
  });
}

// `point` is told which name a pointer or the keyboard is on, "" once it is on none.
export function watchEntries(node, point) {
  const enter = ({ target }) => point(target.closest(ENTRY)?.dataset.uid ?? "");
  node.addEventListener("pointerover", enter);
  node.addEventListener("focusin", (event) => {
    if (event.target.matches(":focus-visible")) enter(event);
  });
  for (const kind of ["pointerleave", "focusout"]) node.addEventListener(kind, () => point(""));
}

// Says of one name which curve it means, and whether that is hidden; of a name that says so already nothing is written.
export function describeEntry(node, { uid, label }, hidden) {
  const described = `${uid} ${label} ${hidden}`;
  if (node.described === described) return;
  node.described = described;
  if (!node.hasAttribute("tabindex")) setAttributes(node, { tabindex: hasNameBefore(node) ? -1 : 0 });
  setAttributes(node, { "data-uid": uid, "aria-label": label, "aria-pressed": String(!hidden) });
}

// Whether another name stands before this one, which may stand beside a heading.
function hasNameBefore(node) {
  return Boolean((node.closest(".pk-headed") ?? node).previousElementSibling);
}

// A curve that has no name of its own goes with the one that has: rings and marks with their method, and the grey
// curves of one pin with that which speaks for them.
export function familyOf(uid = "") {
  const parts = uid.split(":");
  return parts[0].startsWith("pin") ? parts[0] : parts.at(-1);
}
