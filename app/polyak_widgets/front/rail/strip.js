// What holds the controls: a column at the left, or above the charts a strip of those that are moved most, which a button
// unfolds to all of them. The style sheet says which these are.

import { make, setText } from "../ground/dom.js";
import { TEXTS } from "../ground/texts.js";

const NARROW = "(max-width: 1100px)"; // as in the style sheet of the page

export function makeStrip(root) {
  const more = make("button", { type: "button", class: "pk-switch pk-more" });
  const node = make("div", { class: "pk-strip" }, more);
  const show = (all) => {
    node.toggleAttribute("data-all", all);
    more.setAttribute("aria-expanded", String(all));
    setText(more, all ? TEXTS.strip.fewer : TEXTS.strip.all);
  };
  more.addEventListener("click", () => show(!node.hasAttribute("data-all")));
  show(false);
  const narrow = matchMedia(NARROW);
  const follow = () => root.toggleAttribute("data-narrow", narrow.matches);
  narrow.addEventListener("change", follow);
  follow();
  return {
    node,
    unfold: () => show(true),
    // All of them, without a button for it.
    showAll(all) {
      more.hidden = all;
      if (all) show(true);
    },
    fill: (...parts) => node.replaceChildren(more, ...parts),
    dispose: () => narrow.removeEventListener("change", follow),
  };
}
