// The quiet row above the charts: what one does with the whole page. At its left stands what has just been done.

import { make, makeSvg, setText } from "../../ground/dom.js";
import { makeMenu } from "./menu.js";
import { TEXTS } from "../../ground/texts.js";

const TOOLS = [
  ["cancel", TEXTS.toolbar.cancel, TEXTS.toolbar.cancelTitle],
  ["undo", TEXTS.toolbar.undo, TEXTS.toolbar.undoTitle],
  ["redo", TEXTS.toolbar.redo, TEXTS.toolbar.redoTitle],
  ["pin", TEXTS.toolbar.pin, TEXTS.toolbar.pinTitle],
  ["reset", TEXTS.toolbar.reset, TEXTS.toolbar.resetTitle],
  ["share", TEXTS.toolbar.share, TEXTS.toolbar.shareTitle],
];
const VIEWS = [
  ["present", TEXTS.toolbar.present, TEXTS.toolbar.presentTitle],
  ["closer", TEXTS.toolbar.closer, TEXTS.toolbar.closerTitle],
  ["controls", TEXTS.toolbar.controls, TEXTS.toolbar.controlsTitle],
  ["notation", TEXTS.toolbar.notation, TEXTS.toolbar.notationTitle],
];
const BY_PAGE = [
  ["code", TEXTS.toolbar.code],
  ["svg", TEXTS.toolbar.svg],
  ["png", TEXTS.toolbar.png],
];
const BY_PYTHON = [
  ["csv", TEXTS.toolbar.csv],
  ["json", TEXTS.toolbar.json],
  ["html", TEXTS.toolbar.html],
  ["gif", TEXTS.toolbar.gif],
];
const ARROWS = { undo: "M6,2.5L2.5,6L6,9.5M2.5,6H9.5A3.75,3.75 0 0 1 9.5,13.5H5.5", redo: "M10,2.5L13.5,6L10,9.5M13.5,6H6.5A3.75,3.75 0 0 0 6.5,13.5H10.5" };
const CANCEL_PAUSE = 250; // milliseconds: a run that is over by then needs no button, and none shall flash
const SPOKEN_TIME = 8000;
const OFFER_TIME = 20_000; // for words with a button: one has to read, decide and find it

// `stories` are pairs of a name and a title, `kinds` the files that Python can write. A page that is a file of its own has only what needs no Python.
// `leave` takes the focus from a button that goes.
export function makeToolbar(act, { stories = [], kinds = ["csv", "json", "html"], alone = false, leave } = {}) {
  const node = make("div", { class: "pk-toolbar", role: "toolbar", "aria-label": TEXTS.toolbar.page });
  const words = make("span", { class: "pk-said", role: "status", "aria-live": "polite" });
  const files = alone ? BY_PAGE : [...BY_PAGE, ...BY_PYTHON.filter(([name]) => kinds.includes(name))];
  const menus = [
    ["export", makeMenu(TEXTS.toolbar.export, TEXTS.toolbar.exportTitle, files, (name) => act("export", name))],
    ["stories", makeMenu(TEXTS.toolbar.stories, TEXTS.toolbar.storiesTitle, stories, (name) => act("story", name))],
  ].filter(([name]) => name !== "stories" || stories.length);
  const button = ([name, label, title]) => [name, makeButton(name, label, title, name === "notation" ? () => {} : () => act(name))];
  const [before, after] = [alone ? [] : TOOLS, alone ? VIEWS.slice(0, 1) : VIEWS].map((list) => list.map(button));
  const buttons = new Map([...before, ...menus.map(([name, menu]) => [name, menu.button]), ...after]);
  for (const [name, tool] of buttons) tool.dataset.tool = name;
  Object.assign(buttons.get("notation")?.dataset ?? {}, { explains: "notation" }); // the rail answers, as for any name
  const nodes = (pairs) => pairs.map(([, part]) => part.node ?? part);
  node.append(words, ...nodes(before), ...nodes(menus), ...nodes(after));
  const showPresent = (on) => {
    setText(buttons.get("present"), on ? TEXTS.toolbar.leave : TEXTS.toolbar.present);
    buttons.get("present").title = on ? TEXTS.toolbar.leaveTitle : VIEWS[0][2];
  };
  const dispose = () => menus.forEach(([, menu]) => menu.dispose());
  const followPast = ({ canUndo, canRedo }) => {
    for (const [name, can] of [["undo", canUndo], ["redo", canRedo]]) buttons.get(name)?.setAttribute("aria-disabled", String(!can));
  };
  return { node, buttons, showPresent, followPast, ...makeFollower(buttons.get("cancel"), leave), ...makeSpeaker(words), dispose };
}

function makeButton(name, label, title, act) {
  const icon = ARROWS[name] && makeSvg("svg", { class: "pk-arrow", width: 16, height: 16, "aria-hidden": "true" }, makeSvg("path", { d: ARROWS[name] }));
  const button = make("button", { type: "button", class: "pk-switch pk-tool", title, "aria-label": icon ? label : null }, icon ?? label);
  button.addEventListener("click", act);
  return button;
}

// Only what is running can be cancelled.
function makeFollower(cancel, leave) {
  if (!cancel) return { follow() {} };
  cancel.hidden = true;
  let timer;
  return {
    follow(status) {
      const running = status?.kind === "running";
      if (!running) {
        clearTimeout(timer);
        timer = undefined;
        if (document.activeElement === cancel) leave?.();
        cancel.hidden = true;
      } else timer ??= setTimeout(() => (cancel.hidden = false), CANCEL_PAUSE);
    },
  };
}

// A word on what has been done, and perhaps buttons that take it back or go on, gone after a while; one that waits for something
// stays until it is there.
function makeSpeaker(words) {
  let timer;
  return {
    say(text, waiting = false, ...offers) {
      clearTimeout(timer);
      setText(words, text);
      for (const [label, act] of offers) words.append(" ", makeOnce(label, () => (setText(words, ""), act())));
      words.title = text;
      words.toggleAttribute("data-waiting", waiting);
      const hush = () => (words.contains(document.activeElement) ? (timer = setTimeout(hush, SPOKEN_TIME)) : setText(words, ""));
      if (!waiting) timer = setTimeout(hush, offers.length ? OFFER_TIME : SPOKEN_TIME);
    },
  };
}

function makeOnce(label, act) {
  const button = make("button", { type: "button", class: "pk-switch" }, label);
  button.addEventListener("click", act);
  return button;
}
