// The stories as a row of questions, for who comes to the page for the first time.

import { make } from "../ground/dom.js";
import { isKnown, remember } from "./newcomer.js";

// `stories` are lists of a name, a title, and "question" where there is something to predict.
export function makeQuestions(stories, open) {
  const asking = stories.filter(([, , kind]) => kind === "question");
  const buttons = asking.map(([name, title]) => {
    const button = make("button", { type: "button", class: "pk-switch" }, title);
    button.addEventListener("click", () => open(name));
    return button;
  });
  const away = make("button", { type: "button", class: "pk-unpin", "aria-label": "Hide these questions", title: "Hide these questions; they stay under Stories" }, "\u00d7");
  const list = make("div", { class: "pk-questions-list" }, ...buttons);
  const node = make("section", { class: "pk-questions", "aria-label": "Questions" }, make("span", {}, "What do you expect?"), list, away);
  const wanted = "voila" in document.body.dataset && asking.length && !isKnown();
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
