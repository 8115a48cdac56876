// An exported file: the stage of the page, fed from what the file carries instead of by a kernel.

import { bytesOf, Model } from "../ground/model.js";
import { render } from "./stage.js";

function openFile() {
  const carried = JSON.parse(document.getElementById("frame").textContent);
  const [frame, third] = [carried.frame, carried.third].map((part) => part && { ...part, data: bytesOf(part.data) });
  globalThis.__polyak_plotly = Promise.resolve(globalThis.Plotly);
  const model = new Model({ ...carried, alone: true, frame, third });
  document.querySelector(".pk-static").remove();
  render({ model, el: document.getElementById("stage") });
}

openFile();
