// The quiet row above the charts: what one does with the whole page. At its left stands what has just been done.

import { make, setText } from "../ground/dom.js";
import { makeMenu } from "./menu.js";

const TOOLS = [
  ["cancel", "Cancel", "End the runs where they are"],
  ["pin", "Pin", "Keep these curves, in grey, while you change the settings"],
  ["reset", "Reset", "All settings as they were at first"],
  ["share", "Share", "Copy a link that opens this picture"],
];
const VIEWS = [
  ["present", "Present", "For a projector: large text, no controls"],
  ["controls", "Controls", "Show or hide the controls"],
];
const BY_PAGE = [
  ["code", "Copy code for a notebook"],
  ["svg", "Picture, SVG"],
  ["png", "Picture, PNG"],
];
const BY_PYTHON = [
  ["csv", "Numbers, CSV"],
  ["json", "Numbers, JSON"],
  ["html", "Page, HTML"],
];
const CANCEL_PAUSE = 250; // milliseconds: a run that is over by then needs no button, and none shall flash
const SPOKEN_TIME = 8000;

// `stories` are pairs of a name and a title. A page that is a file of its own has only what needs no Python.
export function makeToolbar(act, { stories = [], alone = false } = {}) {
  const node = make("div", { class: "pk-toolbar", role: "toolbar", "aria-label": "Page" });
  const words = make("span", { class: "pk-said", role: "status", "aria-live": "polite" });
  const files = alone ? BY_PAGE : [...BY_PAGE, ...BY_PYTHON];
  const menus = [
    ["export", makeMenu("Export", "Files and code of this picture", files, (name) => act("export", name))],
    ["stories", makeMenu("Stories", "Questions with an answer, and the paper\u2019s figures", stories, (name) => act("story", name))],
  ].filter(([name]) => name !== "stories" || stories.length);
  const button = ([name, label, title]) => [name, makeButton(label, title, () => act(name))];
  const [before, after] = [alone ? [] : TOOLS, alone ? VIEWS.slice(0, 1) : VIEWS].map((list) => list.map(button));
  const buttons = new Map([...before, ...menus.map(([name, menu]) => [name, menu.button]), ...after]);
  for (const [name, tool] of buttons) tool.dataset.tool = name;
  const nodes = (pairs) => pairs.map(([, part]) => part.node ?? part);
  node.append(words, ...nodes(before), ...nodes(menus), ...nodes(after));
  const showPresent = (on) => {
    setText(buttons.get("present"), on ? "Leave" : "Present");
    buttons.get("present").title = on ? "Back to the page (Escape)" : VIEWS[0][2];
  };
  const dispose = () => menus.forEach(([, menu]) => menu.dispose());
  return { node, buttons, showPresent, ...makeFollower(buttons.get("cancel")), ...makeSpeaker(words), dispose };
}

function makeButton(label, title, act) {
  const button = make("button", { type: "button", class: "pk-switch pk-tool", title }, label);
  button.addEventListener("click", act);
  return button;
}

// Only what is running can be cancelled.
function makeFollower(cancel) {
  if (!cancel) return { follow() {} };
  cancel.hidden = true;
  let timer;
  return {
    follow(status) {
      const running = status?.kind === "running";
      if (!running) {
        clearTimeout(timer);
        timer = undefined;
        if (document.activeElement === cancel) cancel.parentNode.querySelector("[data-tool=reset]").focus();
        cancel.hidden = true;
      } else timer ??= setTimeout(() => (cancel.hidden = false), CANCEL_PAUSE);
    },
  };
}

// A word on what has been done, gone after a while; one that waits for something stays until it is there.
function makeSpeaker(words) {
  let timer;
  return {
    say(text, waiting = false) {
      clearTimeout(timer);
      setText(words, text);
      words.title = text;
      words.toggleAttribute("data-waiting", waiting);
      if (!waiting) timer = setTimeout(() => setText(words, ""), SPOKEN_TIME);
    },
  };
}
