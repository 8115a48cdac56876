// The quiet row above the charts: what one does with the whole page. At its left stands what has just been done.

import { make, setText } from "./dom.js";
import { makeMenu } from "./menu.js";

const TOOLS = [
  ["cancel", "Cancel", "End the runs where they are"],
  ["pin", "Pin", "Keep these curves, in grey, while you change the settings"],
  ["reset", "Reset", "All settings as they were at first"],
  ["share", "Share", "Copy a link that opens this picture"],
];
const FILES = [
  ["code", "Copy code for a notebook"],
  ["svg", "Picture, SVG"],
  ["png", "Picture, PNG"],
  ["csv", "Numbers, CSV"],
  ["json", "Numbers, JSON"],
  ["html", "Page, HTML"],
];
const CANCEL_PAUSE = 250; // milliseconds: a run that is over by then needs no button, and none shall flash
const SAID_TIME = 8000;

// `stories` are pairs of a name and a title.
export function makeToolbar(act, stories = []) {
  const node = make("div", { class: "pk-toolbar", role: "toolbar", "aria-label": "Page" });
  const said = make("span", { class: "pk-said", role: "status", "aria-live": "polite" });
  const buttons = new Map(TOOLS.map(([name, label, title]) => [name, toolButton(label, title, () => act(name))]));
  const menu = makeMenu("Export", "Files and code of this picture", FILES, (name) => act("export", name));
  buttons.set("export", menu.button);
  const tales = makeMenu("Stories", "Questions with an answer, and the paper’s figures", stories, (name) => act("story", name));
  buttons.set("stories", tales.button);
  tales.node.hidden = !stories.length;
  buttons.set("present", toolButton("Present", "For a projector: large text, no controls (p)", () => act("present")));
  buttons.set("controls", toolButton("Controls", "Show or hide the controls", () => act("controls")));
  buttons.get("cancel").hidden = true;
  node.append(said, ...[...buttons].map(([name, button]) => ({ export: menu.node, stories: tales.node })[name] ?? button));
  for (const [name, button] of buttons) button.dataset.tool = name;
  return { node, buttons, ...follower(buttons.get("cancel")), ...speaker(said), dispose: () => (menu.dispose(), tales.dispose()) };
}

function toolButton(label, title, act) {
  const button = make("button", { type: "button", class: "pk-switch pk-tool", title }, label);
  button.addEventListener("click", act);
  return button;
}

// Only what is running can be cancelled.
function follower(cancel) {
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
function speaker(said) {
  let timer;
  return {
    say(text, waiting = false) {
      clearTimeout(timer);
      setText(said, text);
      said.title = text;
      said.toggleAttribute("data-waiting", waiting);
      if (!waiting) timer = setTimeout(() => setText(said, ""), SAID_TIME);
    },
  };
}
