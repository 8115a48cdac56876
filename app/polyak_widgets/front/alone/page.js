// The page without a server: stage and rail before a recorded state, then before a session in a worker.

import { bytesOf } from "../ground/model.js";
import { TEXTS } from "../ground/texts.js";
import { Rail } from "../rail/controls.js";
import { render } from "../page/stage.js";
import { Line } from "./line.js";
import { Waking } from "./waking.js";

const HEAVY = ["frame", "third"];

async function open() {
  const waking = new Waking();
  const files = JSON.parse(document.getElementById("files").textContent);
  try {
    const line = new Line(await recorded(files.recorded));
    uncover(document.getElementById("stage"), line);
    render({ model: line, el: document.getElementById("stage") });
    new Rail(line, document.getElementById("rail"));
    waking.begin(line, files);
  } catch (error) {
    waking.fail(error.message);
  }
}

// The still picture goes once the page has drawn; for a link, which may be long without a picture, once there is word of it.
function uncover(stage, line) {
  const look = () => "drawnSerial" in stage.dataset && go();
  const go = () => (observer.disconnect(), document.getElementById("loading")?.remove());
  const observer = new MutationObserver(look);
  observer.observe(stage, { attributes: true, attributeFilter: ["data-drawn-serial"] });
  if (location.search.length > 1) line.on("change:status", go);
}

// The state that was recorded when this page was built.
async function recorded(path) {
  const answer = await fetch(path).catch(() => null);
  if (!answer?.ok) throw new Error(TEXTS.page.notSent(path.split("?")[0]));
  const state = await answer.json().catch(() => null);
  if (!state) throw new Error(TEXTS.page.cutOff(path.split("?")[0]));
  for (const name of HEAVY) state[name].data = bytesOf(state[name].data);
  return state;
}

open();
