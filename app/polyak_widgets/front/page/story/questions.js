// The stories as a row of questions, for who comes to the page for the first time.

import { make } from "../../ground/dom.js";
import { isKnown, remember } from "./newcomer.js";
import { TEXTS } from "../../ground/texts.js";
import { isServed } from "../../ground/kept.js";

// `stories` are lists of a name, a title, and "question" where there is something to predict.
export function makeQuestions(stories, open) {
  const asking = stories.filter(([, , kind]) => kind === "question");
  const buttons = asking.map(([name, title]) => {
    const button = make("button", { type: "button", class: "pk-switch" }, title);
    button.addEventListener("click", () => open(name));
    return button;
  });
  const away = make("button", { type: "button", class: "pk-unpin", "aria-label": TEXTS.questions.hide, title: TEXTS.questions.hideTitle }, "\u00d7");
  const list = make("div", { class: "pk-questions-list" }, ...buttons);
  const more = moreButton(list);
  const node = make("section", { class: "pk-questions", "aria-label": TEXTS.questions.label }, make("span", {}, TEXTS.questions.heading), list, more, away);
  const wanted = isServed() && asking.length && !isKnown();
  node.hidden = !wanted;
  away.addEventListener("click", () => {
    node.hidden = true;
    remember();
    node.parentElement?.querySelector("[data-tool=stories]")?.focus();
  });
  return {
    node,
    // An open story stands in its place, and whoever has opened one knows where they are.
    follow(story) {
      if (story?.name && wanted) remember();
      node.hidden = !wanted || Boolean(story?.name) || isKnown();
    },
  };
}

// Moves on a list that is wider than its place, and from its end back to its beginning. The list fades where it goes on.
function moreButton(list) {
  const button = make("button", { type: "button", class: "pk-unpin", "aria-label": TEXTS.questions.more, title: TEXTS.questions.more }, "\u203a");
  const left = () => list.scrollWidth - list.clientWidth - list.scrollLeft;
  const follow = () => {
    button.hidden = list.scrollWidth <= list.clientWidth;
    list.toggleAttribute("data-on", left() > 1);
  };
  const cut = () => [...list.children].find((each) => each.getBoundingClientRect().right > list.getBoundingClientRect().right + 1);
  const place = (each) => list.scrollLeft + each.getBoundingClientRect().left - list.getBoundingClientRect().left;
  button.addEventListener("click", () => list.scrollTo({ left: left() > 1 && cut() ? place(cut()) : 0 }));
  list.addEventListener("scroll", follow);
  new ResizeObserver(follow).observe(list); // it goes with its list
  return button;
}
