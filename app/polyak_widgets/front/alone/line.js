// The line between the page and its session, which runs in a worker of this page: in the place of a kernel.
//
// The page begins with a state that was recorded when it was built. What its reader does before Python is there waits;
// what the session says at first is held back until it has drawn the same picture, so that nothing jumps.

import { Model } from "../ground/model.js";

const WRITTEN = ["value", "view"]; // what the page says of itself
const HEAVY = ["frame", "third"];
const NO_ANSWER = ["here", "arrived", "sight", "ping", "plotly"]; // messages that are no wish of the reader's

export class Line extends Model {
  constructor(state) {
    super(state);
    this.changed = new Set();
    this.waiting = []; // for a worker that listens
    this.held = new Map(); // what the session has said, while the recorded picture stands
    this.whole = new Set(); // the parts of the picture that it has drawn as a whole
  }

  // The worker listens from now on; `carry` takes a text and buffers to it.
  connect(carry) {
    this.carry = carry;
    for (const message of this.waiting.splice(0)) this.deliver(...message);
  }

  // Nobody computes any more.
  cut() {
    this.carry = null;
    this.waiting = [];
    this.release();
  }

  set(name, value) {
    if (WRITTEN.includes(name)) this.changed.add(name);
    super.set(name, value);
  }

  save_changes() {
    for (const name of this.changed) {
      this.release();
      this.waiting = this.waiting.filter(([{ write }]) => write !== name);
      this.deliver({ write: name, content: this.get(name) });
    }
    this.changed.clear();
  }

  send(content, _, buffers = []) {
    if (!NO_ANSWER.includes(content.do)) this.release();
    this.deliver({ act: content }, buffers);
  }

  deliver(message, buffers = []) {
    if (this.carry) this.carry(JSON.stringify(message), buffers);
    else this.waiting.push([message, buffers]);
  }

  // What the session says.
  receive(text, buffers) {
    const message = JSON.parse(text);
    if (message.send) return this.tell("msg:custom", message.send, buffers.map(({ buffer }) => new DataView(buffer)));
    if (!message.show) return;
    const { show: name, value, bytes } = message;
    const views = buffers.map(({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength));
    const whole = bytes.length ? { ...value, ...Object.fromEntries(bytes.map((part, i) => [part, views[i]])) } : value;
    if (HEAVY.includes(name) && whole.serial === undefined) return; // nothing is drawn yet
    if (!this.held) super.set(name, whole);
    else this.hold(name, whole);
  }

  hold(name, value) {
    this.held.set(name, value);
    if (HEAVY.includes(name)) this.deliver({ act: { do: "arrived", [name]: value.serial } });
    if (value.settled) this.whole.add(name);
    const trouble = (name === "status" && value.kind === "error") || (name === "mismatch" && value.text);
    if (trouble || HEAVY.every((part) => this.whole.has(part))) this.release();
  }

  // From now on the reader sees what the session says as it says it.
  release() {
    const held = this.held ?? new Map();
    this.held = null;
    for (const [name, value] of held) super.set(name, value);
  }
}
