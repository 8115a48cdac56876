// The card of a story: a question, the reader's locked prediction, what happened, why, and something to try.

import { freshId, make, setText } from "../../ground/dom.js";
import { formatNumber, tied } from "../../ground/format.js";
import { lineSample } from "../../ground/look.js";
import { scaleOf, POSITIONS } from "../../ground/scale.js";
import { onSlide } from "../../ground/touch.js";
import { Hands } from "./hands.js";
import { TEXTS } from "../../ground/texts.js";

const PARTS = [["answer", TEXTS.story.answer], ["why", TEXTS.story.whyTab], ["goal", TEXTS.story.tryTab]];

export function makeStory(send) {
  const node = make("section", { class: "pk-card pk-story", "aria-label": TEXTS.story.story, hidden: true });
  const hands = new Hands();
  let shownKey = "";
  let goalLine;
  return {
    node,
    show({ goal, ...story } = {}) {
      const key = JSON.stringify(story);
      if (key === shownKey) {
        goalLine?.show(goal); // what is read or unfolded stays as it is
        return;
      }
      const before = shownKey ? JSON.parse(shownKey) : {};
      shownKey = key;
      node.hidden = !story.name;
      node.dataset.stage = story.stage ?? "";
      node.dataset.part = "answer";
      goalLine = goal && makeGoal(goal, send);
      if (story.stage === "asked") hands.begin();
      if (!story.name) return node.replaceChildren();
      node.replaceChildren(head(story, send), make("p", { class: "pk-question" }, tied(story.question)), ...parts(story, send, hands), ...(goalLine ? [goalLine.node] : []));
      // Whoever has just answered hears the answer; whoever opens a story starts at its question.
      if (before.name !== story.name && story.next) node.querySelector("h2").focus({ preventScroll: true });
    },
  };
}

function head(story, send) {
  const title = make("h2", { class: "pk-panel-title", tabindex: "-1" }, story.title);
  if (!story.next) return make("div", { class: "pk-story-head" }, title); // a question of a notebook stands alone
  const close = make("button", { type: "button", class: "pk-switch" }, TEXTS.story.closeStory);
  close.addEventListener("click", () => send("leave"));
  const next = make("button", { type: "button", class: "pk-switch", "aria-label": TEXTS.story.nextStory(story.next[1]) }, TEXTS.story.next, make("span", { class: "pk-next" }, `: ${story.next[1]}`));
  next.addEventListener("click", () => send("story", { name: story.next[0] }));
  return make("div", { class: "pk-story-head" }, title, make("div", { class: "pk-switches" }, next, close));
}

function parts(story, send, hands) {
  const live = make("div", { class: "pk-answer", role: "status", "aria-live": "polite" });
  if (story.stage === "asked") return [story.options ? choiceForm(story, send, hands) : guessForm(story, send, hands), live];
  if (story.stage === "measuring") live.append(make("p", {}, TEXTS.story.measuring));
  if (story.stage === "cancelled") {
    const on = make("button", { type: "button", class: "pk-switch" }, TEXTS.story.goOn);
    on.addEventListener("click", () => send("go_on"));
    live.append(make("p", {}, TEXTS.story.cancelled, on));
  }
  if (story.stage === "revealed") {
    live.append(make("p", { class: "pk-verdict" }, tied(story.verdict), " ", make("b", {}, tied(story.happened))));
    live.append(make("p", { class: "pk-why" }, make("b", {}, TEXTS.story.why), tied(story.why)));
    const bars = story.next ? hands.makeBars(story.options ?? story.guess.ranges, story.guess ? story.guess.right : story.right) : [];
    return [...(story.next ? [partSwitches()] : []), live, ...bars, ...(story.explain ? [explanation(story.explain)] : [])];
  }
  return [live];
}

// On a projector an answered card shows one part at a time, so that it fits beside the curves: see story.css.
function partSwitches() {
  const node = make("div", { class: "pk-parts", role: "group", "aria-label": TEXTS.story.parts });
  const choose = (name) => {
    const card = node.closest(".pk-story");
    if (card) card.dataset.part = name;
    for (const button of node.children) button.setAttribute("aria-pressed", String(button.dataset.name === name));
    if (card) card.scrollTop = 0;
  };
  for (const [name, label] of PARTS) {
    const button = make("button", { type: "button", class: "pk-switch", "data-name": name }, label);
    button.addEventListener("click", () => choose(name));
    node.append(button);
  }
  choose("answer");
  return node;
}

function explanation(model) {
  const summary = make("summary", {}, make("b", {}, TEXTS.story.explain), TEXTS.story.compare);
  return make("details", { class: "pk-explain" }, summary, make("p", {}, tied(model)));
}

// Something to try, which Python checks by the drawn runs.
function makeGoal(goal, send) {
  const standing = make("span", { class: "pk-standing", role: "status" });
  const back = make("button", { type: "button", class: "pk-switch" }, TEXTS.story.back);
  back.addEventListener("click", () => send("back"));
  const node = make("p", { class: "pk-goal" }, make("b", {}, TEXTS.story.tryIt), tied(goal.text), " ", standing, back);
  const show = ({ is_met: met, has_changed: changed, words }) => {
    node.toggleAttribute("data-met", met);
    standing.replaceChildren(make("b", {}, met ? TEXTS.story.done : TEXTS.story.notYet), " ", tied(words));
    back.hidden = !changed;
  };
  show(goal);
  return { node, show };
}

function choiceForm(story, send, hands) {
  const name = freshId("answer");
  const lock = lockButton();
  lock.disabled = true;
  const options = story.options.map(([key, label, colour]) => {
    const input = make("input", { type: "radio", name, value: key });
    input.addEventListener("input", () => (lock.disabled = false));
    const choice = make("label", { class: "pk-check" }, input, ...(colour ? [lineSample(colour, "solid")] : []), make("span", {}, label));
    return story.next ? make("span", { class: "pk-option" }, choice, hands.makeCounter(key, label)) : choice; // a notebook has no class before it
  });
  const group = make("fieldset", { class: "pk-options" }, make("legend", { class: "pk-hidden" }, TEXTS.story.yourPrediction), ...options);
  const node = form(lock, [group], () => {
    const chosen = group.querySelector("input:checked");
    if (chosen) send("predict", { value: chosen.value });
  });
  if (story.next) node.append(hands.makeSwitch(node));
  return node;
}

function guessForm(story, send, hands) {
  const { guess } = story;
  const id = freshId("guess");
  const scale = scaleOf(guess);
  const range = make("input", { id, type: "range", class: "pk-range", min: 0, max: POSITIONS, step: "any" });
  const output = make("output", { class: "pk-guess", for: id });
  // No value before the reader gives one: a number that stands there draws all guesses towards it.
  const lock = lockButton();
  lock.disabled = true;
  let value;
  const follow = () => {
    lock.disabled = false;
    const text = `${formatNumber(guess.integer ? value : Number(value.toPrecision(2)))} ${guess.unit}`;
    setText(output, text);
    range.setAttribute("aria-valuetext", text);
    range.style.setProperty("--fill", scale.position(value) / POSITIONS);
  };
  range.value = POSITIONS / 2;
  range.style.setProperty("--fill", 0);
  range.setAttribute("aria-valuetext", TEXTS.story.noPrediction);
  setText(output, `? ${guess.unit}`);
  const slid = () => {
    value = scale.value(Number(range.value));
    follow();
  };
  onSlide(range, slid, () => (range.value = value === undefined ? POSITIONS / 2 : scale.position(value)));
  range.addEventListener("keydown", (event) => {
    const direction = { ArrowRight: 1, ArrowUp: 1, PageUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    value = scale.step(value ?? scale.value(POSITIONS / 2), direction, event.key.startsWith("Page"));
    range.value = scale.position(value);
    follow();
  });
  const label = make("label", { for: id, class: "pk-hidden" }, TEXTS.story.yourPrediction);
  const fields = [make("div", { class: "pk-guess-line" }, label, range, output)];
  if (story.next) fields.push(make("ul", { class: "pk-ranges", "aria-label": TEXTS.story.raisedHands }, ...guess.ranges.map(([key, text]) => make("li", {}, make("span", {}, text), hands.makeCounter(key, text)))));
  const node = form(lock, fields, () => send("predict", { value }));
  if (story.next) node.append(hands.makeSwitch(node));
  return node;
}

function lockButton() {
  return make("button", { type: "submit", class: "pk-lock" }, TEXTS.story.lock);
}

function form(lock, fields, submit) {
  const node = make("form", { class: "pk-predict" }, ...fields, lock);
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    lock.disabled = true;
    submit();
  });
  return node;
}
