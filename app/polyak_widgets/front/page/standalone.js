// An exported file: the stage of the page, fed from what the file carries instead of by a kernel.

import { render } from "./stage.js";

class FileModel {
  constructor(state) {
    this.state = state;
    this.listeners = [];
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state[name] = value;
    for (const [event, react] of [...this.listeners]) if (event === `change:${name}`) react();
  }

  on(event, react) {
    this.listeners.push([event, react]);
  }

  off(event, react) {
    this.listeners = this.listeners.filter(([name, listener]) => name !== event || listener !== react);
  }

  save_changes() {}

  send() {}
}

function bytesOf(letters) {
  return new DataView(Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0)).buffer);
}

function openFile() {
  const carried = JSON.parse(document.getElementById("frame").textContent);
  const [frame, third] = [carried.frame, carried.third].map((part) => part && { ...part, data: bytesOf(part.data) });
  globalThis.__polyak_plotly = Promise.resolve(globalThis.Plotly);
  const model = new FileModel({ ...carried, alone: true, frame, third });
  document.querySelector(".pk-static").remove();
  render({ model, el: document.getElementById("stage") });
}

openFile();
