// The line between the page and its session, which runs in a worker of this page: in the place of a kernel.
//
// The page begins with a state that was recorded when it was built. What its reader does before Python is there waits;
// what the session says at first is held back until it has drawn the same picture, so that nothing jumps.
//
// A worker hears nothing within a long step, such as a factorization. One that does not hear of a cancel is ended, and a
// new session comes in its place. It has nothing to do until the reader wants something; then it hears first what the page
// shows. What is done with a picture, such as its export, waits until the session has one.

import { keyOf } from "../ground/ahead.js";
import { Model } from "../ground/model.js";
import { TEXTS } from "../ground/texts.js";

const WRITTEN = ["value", "view"]; // what the page says of itself
const HEAVY = ["frame", "third"];
const NO_ANSWER = ["here", "arrived", "sight", "ping", "plotly"]; // messages that are no wish of the reader's
const NO_WORK = [...NO_ANSWER, "open", "cancel"]; // and those that a new session need not begin for
const OF_PICTURE = ["export", "pin"]; // what a session does with a picture
const SEARCH = 150; // milliseconds for an answer to a cancel, while x* is sought
const PICTURE = 1000; // the same where a picture grows: its steps are short, but a phone may be slow

export class Line extends Model {
  constructor(state) {
    super(state);
    this.changed = new Set();
    this.waiting = []; // for a worker that listens, and for its picture
    this.unheard = []; // wishes that came after a cancel which the worker may not hear of
    this.held = new Map(); // what the session has said, while the recorded picture stands
    this.whole = new Set(); // the parts of the picture that it has drawn as a whole
    this.resting = false; // whether what waits does so for the reader
  }

  // The worker listens from now on; `carry` takes a text and buffers to it, and `silent` hears where it does not hear of a
  // cancel.
  connect(carry, silent) {
    Object.assign(this, { carry, silent, isKnown: true });
    this.flush();
  }

  // Nobody computes any more; what waits goes on waiting.
  cut() {
    this.clock = clearTimeout(this.clock);
    this.carry = null;
    this.hasPicture = false;
    this.release();
  }

  // What is drawn stays as it is, until the reader wants something.
  restart(words) {
    this.cut();
    this.resting = true;
    super.set("status", { kind: "cancelled", text: words });
    if (this.isBehind) super.set("mismatch", { text: words, field: "", label: "" });
    for (const name of HEAVY) super.set(name, { ...this.get(name), settled: true });
    this.beginAnew();
  }

  // After a session another one comes, which knows nothing of what is drawn: the page says now what it has to know, and then
  // what nobody has heard.
  beginAnew() {
    if (!this.isKnown) return;
    this.isKnown = false;
    this.tell("msg:custom", { anew: true, answers: this.get("value") });
    for (const [message, buffers] of this.unheard.splice(0)) {
      this.resting = false;
      this.deliver(message, buffers);
    }
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
    if (isWish({ act: content })) this.wish();
    const waits = OF_PICTURE.includes(content.do) ? !this.hasPicture : content.do === "qr" && !this.carry;
    if (waits) this.tell("msg:custom", { said: TEXTS.line.waits, waiting: true });
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
    this.hear();
    this.deliver({ act: { do: "ping" } });
    this.clock = setTimeout(this.silent, this.isBehind ? SEARCH : PICTURE);
  }

  hear() {
    this.clock = clearTimeout(this.clock);
    this.unheard = [];
  }

  deliver(message, buffers = []) {
    if (this.clock && isWish(message)) this.unheard.push([message, buffers]);
    this.waiting.push([message, buffers]);
    this.flush();
  }

  flush() {
    if (!this.carry || this.resting) return;
    const early = ([{ act }]) => OF_PICTURE.includes(act?.do) && !this.hasPicture;
    const now = this.waiting.filter((each) => !early(each));
    this.waiting = this.waiting.filter(early);
    for (const [message, buffers] of now) this.carry(JSON.stringify(message), buffers);
  }

  // What the session says.
  receive(text, buffers) {
    const message = JSON.parse(text);
    if (message.send?.pong) return this.hear();
    if (message.send) return this.tell("msg:custom", message.send, buffers.map(({ buffer }) => new DataView(buffer)));
    if (!message.show) return;
    const { show: name, value, bytes } = message;
    const views = buffers.map(({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength));
    const whole = bytes.length ? { ...value, ...Object.fromEntries(bytes.map((part, i) => [part, views[i]])) } : value;
    if (HEAVY.includes(name) && whole.serial === undefined) return; // nothing is drawn yet
    const trouble = (name === "status" && value.kind === "error") || (name === "mismatch" && value.text);
    if (!this.held) super.set(name, whole);
    else this.hold(name, whole, trouble);
    if (this.hasPicture || !(trouble || (name === "frame" && value.settled))) return;
    this.hasPicture = true; // or none will come, which the session says
    this.flush();
  }

  hold(name, value, trouble) {
    this.held.set(name, value);
    if (HEAVY.includes(name)) this.deliver({ act: { do: "arrived", [name]: value.serial } });
    if (value.settled) this.whole.add(name);
    if (trouble || HEAVY.every((part) => this.whole.has(part))) this.release();
  }

  // From now on the reader sees what the session says as it says it, but for what the reader has just changed.
  release() {
    const held = this.held ?? new Map();
    this.held = null;
    for (const [name, value] of held) if (!this.changed.has(name)) super.set(name, value);
  }
}

// Whether a reader wants something by it.
function isWish({ write, act }) {
  return Boolean(write) || (!NO_WORK.includes(act.do) && !act.again);
}
