// The stage: takes frames and shows the newest. One drawing is in flight at any time; a frame that comes while it
// runs only marks that there is something newer. Each one that comes is acknowledged: Python sends no more than the line
// takes.

import { Cards } from "../charts/cards/cards.js";
import { floatsOf } from "../charts/plot/chart.js";
import { CloserLook } from "../charts/cards/closer_look.js";
import { Cursor } from "../charts/reading/cursor.js";
import { makeCursorBar } from "../charts/reading/cursor_bar.js";
import { Ear } from "../charts/reading/ear.js";
import { Desk } from "./desk/desk.js";
import { Heartbeat } from "./heartbeat.js";
import { Ahead } from "../ground/ahead.js";
import { imprintOf, makeImprint } from "./share/imprint.js";
import { readLook, watchTheme } from "../ground/look.js";
import { release } from "../ground/model.js";
import { loadPlotly } from "./plotly.js";
import { watchPrinter } from "./share/print.js";
import { Sight } from "./sight.js";
import { makeStory } from "./story/story.js";
import { makeSentence, makeStatus, makeTable, makeUnusual } from "./words.js";
import { TEXTS } from "../ground/texts.js";

const QUIET = 60; // milliseconds without a new frame before plotly is brought up to date with what is seen
const REFRESH = 12; // milliseconds: what comes sooner after a drawing waits for the screen
const SIZING = 400; // milliseconds without a change of size before Python hears of it
const READING = 150; // milliseconds between two changes of the words while frames stream: curves come first

class View {
  constructor(model, root) {
    this.model = model;
    this.root = root;
    this.cursor = new Cursor();
    this.ear = new Ear(this.cursor);
    this.bar = makeCursorBar(this.cursor, (unit) => this.choose("x", unit), this.ear.button);
    this.sentence = makeSentence();
    const takeBack = model.get("alone") ? null : (values) => this.set(values);
    this.unusual = makeUnusual(takeBack, this.sentence.node);
    this.status = makeStatus();
    this.table = makeTable();
    this.story = makeStory((name, more) => this.press(name, more));
    this.closerLook = new CloserLook(model, this);
    this.cards = new Cards(this.table, this.closerLook);
    this.desk = new Desk(this);
    this.imprint = makeImprint();
    root.classList.add("pk-root", "pk-stage");
    root.dataset.lmSuppressShortcuts = ""; // keys pressed here are not a notebook's commands
    this.heartbeat = new Heartbeat(model, () => this.desk.keeping.promise, () => this.release());
    this.ahead = new Ahead(root, (behind) => this.showBehind(behind));
    const parts = [this.story, this.sentence, this.unusual, this.status].map((part) => part.node);
    const { above, below, mismatch, pins, keeping } = this.desk;
    const pictures = [mismatch.node, this.cards.grid, this.bar.node, pins.node, this.cards.lower, keeping.node];
    root.replaceChildren(this.heartbeat.node, ...above, ...parts, ...below, ...pictures, this.imprint.node, this.ear.node);
    this.table.show();
  }

  async start() {
    this.showStatus();
    this.showStory();
    this.model.on("change:status", (this.onStatus = () => this.showStatus()));
    this.model.on("change:story", (this.onStory = () => this.showStory()));
    this.model.on("change:frame", (this.onFrame = () => this.take()));
    this.model.on("msg:custom", (this.onWord = (content) => this.hear(content)));
    this.model.on("change:view", (this.onView = () => this.recount()));
    this.unwatch = watchTheme(() => this.follow());
    this.unwatchPrinter = watchPrinter(this.root, (look, size) => this.print(look, size));
    // A view is made before it is put on the page, where colours and sizes are not known yet.
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.root);
    this.watchHand();
    this.greet();
    this.sight = new Sight(this.closerLook.node, (what) => this.send("sight", what));
    this.model.widget_manager?.restored?.connect((this.onRestored = () => this.heartbeat.line && this.greet()));
    try {
      this.plotly = await loadPlotly(this.model);
      this.wake();
    } catch (error) {
      this.fail(error);
    }
  }

  // Tells Python what is here, and gets what is not: at first, and when a line that was down is there again. Then the host
  // has asked for the whole state anew, and while the answer is taken apart newer parts may come, which it overwrites.
  greet() {
    const [frame, third] = ["frame", "third"].map((name) => this.model.get(name)?.serial);
    this.send("here", { frame, third });
  }

  // The line is back: what the reader changes goes through again.
  release() {
    release(this.model);
    this.rail?.dispatchEvent(new CustomEvent("pk-release"));
  }

  // A session that began anew has to be told what is here.
  hear(content) {
    this.ahead.answer(content?.answers);
    if (!content?.anew) return;
    this.greet();
    this.sight.repeat();
    this.send("arrived", { pixels: this.pixels });
  }

  // Whether a finger or a button is down: then a slider may be moving.
  watchHand() {
    this.hand = new AbortController();
    const watched = { capture: true, signal: this.hand.signal };
    for (const kind of ["pointerdown", "pointerup", "pointercancel"]) {
      document.addEventListener(kind, () => (this.pressed = kind === "pointerdown"), watched);
    }
  }

  // A frame has come: drawn first, then acknowledged.
  take() {
    this.wake();
    this.send("arrived", { frame: this.model.get("frame")?.serial, pixels: this.pixels });
  }

  resized() {
    this.wake();
    clearTimeout(this.sizing);
    this.sizing = setTimeout(() => this.pixels && this.send("arrived", { pixels: this.pixels }), SIZING);
  }

  // How wide the widest chart is; nothing before one is there.
  get pixels() {
    const widths = [...this.panels.values()].map(({ hold }) => hold?.width ?? 0);
    return Math.round(Math.max(0, ...widths)) || undefined;
  }

  // The picture answers what the rail said some time ago: it pales, and is not read out as if it were the newest.
  showBehind(behind) {
    this.root.toggleAttribute("data-behind", behind);
    this.root.setAttribute("aria-busy", String(behind));
  }

  showStatus() {
    this.status.show(this.model.get("status"));
    if (this.drawn?.settled) this.fit();
  }

  // Under a slider that is held, and while runs grow, no chart changes its size.
  fit() {
    if (!this.pressed && this.model.get("status")?.kind !== "running") this.desk.present.fit();
  }

  showStory() {
    this.story.show(this.model.get("story"));
  }

  // A button: Python does the rest.
  send(name, more = {}, buffers = []) {
    try {
      this.model.send({ do: name, ...more }, undefined, buffers);
    } catch {
      // The line is closed, which the banner says.
    }
  }

  // A button that leads to another state, by a message to Python. The page takes it on at once as well: what is typed
  // before Python's answer comes on top of it, and nothing that still waits to be sent comes after it.
  goTo(name, { value, view }, more) {
    this.send(name, more);
    if (view) this.model.set("view", { ...this.view, ...view, present: this.view.present });
    if (view) this.model.save_changes();
    this.rail?.dispatchEvent(new CustomEvent("pk-assume", { detail: value }));
  }

  // A button whose state the page knows, or none.
  press(name, more = {}) {
    const { reset, story, predict } = this.model.get("states") ?? {};
    const answer = predict?.[this.model.get("story")?.name];
    const state = { reset, story: story?.[more.name], predict: answer, back: answer }[name];
    if (state) this.goTo(name, state, more);
    else this.send(name, more);
  }

  // Some settings, as if typed into the rail.
  set(values) {
    this.goTo("set", { value: values }, { values });
  }

  // The reader switches how the picture is shown; Python may have to bring other numbers for it.
  choose(name, value) {
    this.model.set("view", { ...this.view, [name]: value });
    this.model.save_changes();
  }

  // What stands around this widget and the rail.
  get explorer() {
    return this.root.closest(".polyak-explorer");
  }

  // A widget of its own, found in the page.
  get rail() {
    return this.explorer?.querySelector(".pk-controls");
  }

  // Maps the names of the panels to what is drawn.
  get panels() {
    return this.cards.cards;
  }

  get view() {
    return this.model.get("view") ?? {};
  }

  // The reader has changed the unit in which charts and table count, or a scale.
  recount() {
    this.cards.recount();
    if (this.drawn) this.tell(this.drawn);
  }

  // Writes the words of a frame; of one that streams only now and then, and not of the first.
  speak(frame) {
    const now = performance.now();
    if (!frame.settled && this.wereSettled) this.spokenAt = now;
    this.wereSettled = frame.settled;
    if (!frame.settled && now - (this.spokenAt ?? 0) < READING) return;
    this.spokenAt = now;
    this.sentence.show(frame.sentence);
    this.unusual.show(frame.unusual);
    this.desk.show(frame);
    this.tell(frame);
  }

  tell(frame) {
    const unit = this.view.x ?? "iterations";
    this.table.show(frame.rows, unit);
    this.bar.show(frame.cursor, unit);
    if (frame.cursor) this.cursor.follow(frame.cursor);
  }

  fail(error) {
    this.status.show({ kind: "error", text: TEXTS.stage.notDrawn(error) });
  }

  wake() {
    if (this.busy || this.gone || !this.plotly || !this.root.isConnected) return;
    this.busy = true;
    if (performance.now() - (this.drawnAt ?? 0) > REFRESH) this.work();
    else requestAnimationFrame(() => this.work());
  }

  async work() {
    const frame = this.model.get("frame");
    try {
      const newer = frame?.panels && frame !== this.drawn && !(frame.serial < this.drawn?.serial);
      if (newer && !this.gone && this.desk.accepts(frame)) await this.draw(frame);
    } catch (error) {
      this.fail(error);
    }
    this.busy = false;
    if (this.model.get("frame") !== frame) this.wake(); // something newer came meanwhile
  }

  async draw(frame) {
    clearTimeout(this.timer);
    this.drawn = frame;
    this.look ??= readLook(this.root);
    this.cards.arrange(frame.panels, this.plotly, this.look, this);
    const floats = floatsOf(frame.data);
    let { settled } = frame;
    for (const panel of frame.panels) {
      Object.assign(panel, { settled: frame.settled, subject: frame.subject });
      const card = this.cards.get(panel);
      if (card.drawLive(panel, floats, this.pressed)) settled = card.finish() && settled;
      else await card.drawFrame(panel, floats);
    }
    this.speak(frame);
    this.drawnAt = performance.now();
    this.ahead.answer(frame.answers);
    this.answer(frame, settled);
    if (frame.settled) this.timer = setTimeout(() => this.settle(frame).catch((error) => this.fail(error)), QUIET);
    this.closerLook.start(this.plotly, this.look);
  }

  // One chart a task, so that a slider never waits for all of them; given up as soon as there is a newer frame.
  async settle(frame) {
    for (const card of this.panels.values()) {
      if (this.gone || this.model.get("frame") !== frame) return;
      await card.catchUp();
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (this.gone || this.model.get("frame") !== frame) return;
    this.fit();
    this.answer(frame, true, true);
    for (const card of this.panels.values()) card.prepare();
  }

  // Says in the page what is on the screen; `whole` when plotly's own data are those of the picture too.
  answer(frame, settled, whole = false) {
    Object.assign(this.root.dataset, { drawnSerial: frame.serial, drawnSettled: settled, drawnWhole: whole });
  }

  // Lets go of what the reader has hidden and zoomed into.
  restore() {
    this.cards.restore();
    this.closerLook.restore();
  }

  follow() {
    if (!this.look) return;
    this.look = readLook(this.root);
    this.cards.setLook(this.look);
    this.closerLook.setLook(this.look);
  }

  print(look, size) {
    if (!this.look) return;
    this.look = look;
    this.imprint.write(imprintOf(this.desk.frame.share, this.desk.address.link()));
    this.cards.print(look, size);
    this.closerLook.print(look, size);
  }

  dispose() {
    this.gone = true;
    clearTimeout(this.timer);
    clearTimeout(this.sizing);
    this.ahead.dispose();
    this.unwatch();
    this.unwatchPrinter();
    this.model.widget_manager?.restored?.disconnect(this.onRestored);
    this.heartbeat.dispose();
    this.desk.dispose();
    this.observer.disconnect();
    this.sight?.dispose();
    this.hand.abort();
    this.model.off("change:status", this.onStatus);
    this.model.off("change:story", this.onStory);
    this.model.off("change:frame", this.onFrame);
    this.model.off("msg:custom", this.onWord);
    this.model.off("change:view", this.onView);
    this.cursor.dispose();
    this.ear.dispose();
    this.cards.dispose();
    this.closerLook.dispose();
  }
}

export function render({ model, el }) {
  const view = new View(model, el);
  view.start();
  return () => view.dispose();
}

export default { render };
