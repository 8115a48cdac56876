// What stands across a picture that is not the one the rail asks for: why it is not, the field that mends it, and the way
// back. The cards below are grey meanwhile, by the style sheet.

import { make, setText } from "../../ground/dom.js";
import { tied } from "../../ground/format.js";
import { TEXTS } from "../../ground/texts.js";

export function makeMismatch(mend, back) {
  let field = "";
  const button = (act, text) => {
    const made = make("button", { type: "button", class: "pk-lock" }, text);
    made.addEventListener("click", act);
    return made;
  };
  const words = make("p");
  const mender = button(() => mend(field), "");
  const returning = button(back, TEXTS.mismatch.back);
  returning.classList.add("pk-second");
  const node = make("div", { class: "pk-mismatch", hidden: true }, make("div", { class: "pk-card" }, words, make("p", {}, mender, returning)));
  return {
    node,
    show(why) {
      node.hidden = !why?.text;
      if (node.hidden) return;
      field = why.field;
      setText(words, tied(why.text));
      setText(mender, why.label);
      mender.hidden = !why.label;
    },
  };
}
