// The line between the page and its session, which runs in a worker of this page: in the place of a kernel.
//
// The page begins with a state that was recorded when it was built. What its reader does before Python is there waits;
// what the session says at first is held back until it has drawn the same picture, so that nothing jumps.
//
// A worker hears nothing within a long step, such as a factorization. One that does not hear of a cancel is ended, and a
// new session comes in its place. It has nothing to do until the reader wants something; then it hears first what the page
// shows.

import { keyOf } from "../ground/ahead.js";
import { Model } from "../ground/model.js";

const WRITTEN = ["value", "view"]; // what the page says of itself
const HEAVY = ["frame", "third"];
const NO_ANSWER = ["here", "arrived", "sight", "ping", "plotly"]; // messages that are no wish of the reader's
const NO_WORK = [...NO_ANSWER, "open", "cancel"]; // and those that a new session need not begin for
const SEARCH = 150; // milliseconds for an answer to a cancel, while x* is sought
const PICTURE = 1000; // the same where a picture grows: its steps are short, but a phone may be slow

export class Line extends Model {
  constructor(state) {
    super(state);
    this.changed = new Set();
    this.waiting = []; // for a worker that listens
    this.held = new Map(); // what the session has said, while the recorded picture stands
    this.whole = new Set(); // the parts of the picture that it has drawn as a whole
    this.resting = false; // whether what waits does so for the reader
  }

  // The worker listens from now on; `carry` takes a text and buffers to it, and `silent` hears where it does not hear of a
  // cancel.
  connect(carry, silent) {
    Object.assign(this, { carry, silent });
    this.flush();
  }

  // Nobody computes any more.
  cut() {
    clearTimeout(this.clock);
    this.carry = null;
    this.waiting = [];
    this.release();
  }

  // What is drawn stays as it is, and a session that knows nothing of it will come: the page says now what it has to know.
  restart(words) {
    this.cut();
    this.resting = true;
    super.set("status", { kind: "cancelled", text: words });
    if (this.isBehind) super.set("mismatch", { text: words, field: "", label: "" });
    for (const name of HEAVY) super.set(name, { ...this.get(name), settled: true });
    this.tell("msg:custom", { anew: true, answers: this.get("value") });
  }

  set(name, value) {
    if (WRITTEN.includes(name)) this.changed.add(name);
    super.set(name, value);
  }

  save_changes() {
    for (const name of this.changed) {
      this.wish();
      this.waiting = this.waiting.filter(([{ write }]) => write !== name);
      this.deliver({ write: name, content: this.get(name) });
    }
    this.changed.clear();
  }

  send(content, _, buffers = []) {
    if (!NO_ANSWER.includes(content.do)) this.release();
    if (!NO_WORK.includes(content.do) && !content.again) this.wish();
    this.deliver({ act: content }, buffers);
    if (content.do === "cancel" && this.carry && !this.resting) this.listen();
  }

  wish() {
    this.release();
    this.resting = false;
  }

  // Whether the picture is not the one that the rail asks for: then x* is sought.
  get isBehind() {
    return keyOf(this.get("frame").answers) !== keyOf(this.get("value"));
  }

  // Whether the worker has heard of a cancel shows in its answer to what is said after it.
  listen() {
    this.deliver({ act: { do: "ping" } });
    clearTimeout(this.clock);
    this.clock = setTimeout(this.silent, this.isBehind ? SEARCH : PICTURE);
  }

  deliver(message, buffers = []) {
    this.waiting.push([message, buffers]);
    this.flush();
  }

  flush() {
    if (!this.carry || this.resting) return;
    for (const [message, buffers] of this.waiting.splice(0)) this.carry(JSON.stringify(message), buffers);
  }

  // What the session says.
  receive(text, buffers) {
    const message = JSON.parse(text);
    if (message.send?.pong) return clearTimeout(this.clock);
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

  // From now on the reader sees what the session says as it says it, but for what the reader has just changed.
  release() {
    const held = this.held ?? new Map();
    this.held = null;
    for (const [name, value] of held) if (!this.changed.has(name)) super.set(name, value);
  }
}
